// How the board knows the demo: its token has a label of its own (src/demo/show.cpp).
export const kDemoLabel = 'demo with simulated workers'
