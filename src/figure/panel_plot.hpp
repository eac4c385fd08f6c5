// Drawing one panel in its place on the paper.
#pragma once

#include <string>
#include <vector>

#include "allot/figure/panels.hpp"
#include "figure/frame.hpp"

namespace allot::figure {

inline constexpr double kPanelWidth = 364, kPanelHeight = 300;

/// The look of every name in a figure.
class LookBook {
 public:
  explicit LookBook(const PanelFigure& figure);
  const Look& operator[](const std::string& name) const;

 private:
  std::vector<std::string> names_;
  std::vector<Look> looks_;
};

/// Draws the panel with its upper left corner at a place.
void draw_panel(Svg& svg, const Panel& panel, const LookBook& looks, double left, double top);

/// The panel in words.
std::string description(const Panel& panel);

/// A sample of line and marker for the legend, from x to x + kSampleWidth.
inline constexpr double kSampleWidth = 34;
void draw_sample(Svg& svg, const Look& look, double x, double y);

}  // namespace allot::figure
