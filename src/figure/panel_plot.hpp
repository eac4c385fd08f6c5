// Drawing of one panel.
#pragma once

#include <map>

#include "allot/figure/panels.hpp"
#include "figure/frame.hpp"

namespace allot::figure {

inline constexpr double kPanelWidth = 364, kPanelHeight = 300;

/// The styles of a figure's series by name.
using StyleBook = std::map<std::string, SeriesStyle>;

/// The points of a curve that can be drawn, from left to right.
std::vector<Point> points_to_draw(const Curve& curve, Steps steps);

/// Draws the panel with its upper left corner at this place.
void draw_panel(Svg& svg, const Panel& panel, const StyleBook& styles, double left, double top);

inline constexpr double kSampleWidth = 34;
/// Draws a sample of line and marker for the legend, from x to x + kSampleWidth.
void draw_sample(Svg& svg, const SeriesStyle& style, double x, double y);

}  // namespace allot::figure
