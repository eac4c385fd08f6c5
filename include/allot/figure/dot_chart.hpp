// A dot chart as SVG text: one row per name, a marker at its value, a bar of one standard error on
// either side. For comparisons with a single number each; line_chart.hpp describes the style.
#pragma once

#include <string>
#include <vector>

#include "allot/figure/axis.hpp"

namespace allot::figure {

/// One row.
struct Dot {
  /// Name of the row; it decides the style, see series_style.hpp.
  std::string name;
  /// Value; nothing is drawn if it is not drawable.
  double value;
  /// Standard error; NaN if unknown.
  double error;
  /// A dot, or a line through all rows for a limit beside the values compared.
  enum class Mark { dot, line };
  /// Kind of the mark.
  Mark mark = Mark::dot;
};

/// The content of a chart.
struct DotChart {
  std::string title;        ///< first heading
  std::string subtitle;     ///< second heading
  std::string value_title;  ///< title of the axis
  /// Rows from top to bottom.
  std::vector<Dot> dots;
  /// Limits of the axis; 0 and 1 for shares.
  Range limits = kEverywhere;
};

/// The chart as SVG text.
std::string svg_text(const DotChart& chart);

}  // namespace allot::figure
