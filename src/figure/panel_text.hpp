// Panels in words, for readers who cannot see them.
#pragma once

#include <string>
#include <vector>

#include "allot/figure/panels.hpp"

namespace allot::figure {

/// The panel in words: its axes, and the ends of its curves or its extreme values.
std::string description(const Panel& panel);

/// The points of a curve that can be drawn, from left to right.
std::vector<Point> points_to_draw(const Curve& curve, Steps steps);

}  // namespace allot::figure
