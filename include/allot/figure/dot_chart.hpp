// A dot chart as SVG text: one row a name, a marker at its value, a bar of one standard error on
// either side. For comparisons that have a single number each; see line_chart.hpp for the looks.
#pragma once

#include <string>
#include <vector>

#include "allot/figure/axis.hpp"

namespace allot::figure {

struct Dot {
  std::string name;
  /// Nothing is drawn for a value that cannot be.
  double value;
  /// Standard error; NaN if unknown.
  double error;
  /// Lines go through all rows: for limits beside what is compared.
  enum class Mark { dot, line } mark = Mark::dot;
};

struct DotChart {
  std::string title, subtitle, value_title;
  std::vector<Dot> dots;
  /// The axis ends here at the latest; 0 and 1 for shares.
  Range limits = kEverywhere;
};

std::string svg_text(const DotChart& chart);

}  // namespace allot::figure
