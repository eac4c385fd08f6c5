// The styles of all series of a figure.
#pragma once

#include <string>
#include <vector>

#include "allot/figure/panels.hpp"
#include "allot/figure/series_style.hpp"

namespace allot::figure {

/// The style of every name in a figure.
class StyleBook {
 public:
  explicit StyleBook(const PanelFigure& figure);
  /// The style of a name that occurs in the figure.
  const SeriesStyle& operator[](const std::string& name) const;

 private:
  std::vector<std::string> names_;
  std::vector<SeriesStyle> styles_;
};

}  // namespace allot::figure
