// Drawing of one panel.
#pragma once

#include "allot/figure/panels.hpp"
#include "figure/frame.hpp"
#include "figure/style_book.hpp"

namespace allot::figure {

inline constexpr double kPanelWidth = 364, kPanelHeight = 300;

/// Draws the panel with its upper left corner at this place.
void draw_panel(Svg& svg, const Panel& panel, const StyleBook& styles, double left, double top);

inline constexpr double kSampleWidth = 34;
/// Draws a sample of line and marker for the legend, from x to x + kSampleWidth.
void draw_sample(Svg& svg, const SeriesStyle& style, double x, double y);

}  // namespace allot::figure
