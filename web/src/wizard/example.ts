/** An example file for the wizard. */
export const kExample = `id,text,gold
m1,"Hello, my parcel has not come and I leave tomorrow. Where is it?",yes
m2,Thanks for the quick delivery. Lovely box too.,no
m3,"I would like to change the address of order 4711, please.",
m4,Just to let you know that the new site looks good.,
m5,The blue one was nicer. Not complaining!,
m6,Can somebody call me back today?,
m7,"Still waiting, third message now.",
m8,Your newsletter reached me twice this week.,
`
