// A line chart as SVG text: accuracy against budget, one line a policy.
//
// The text stands alone (no scripts, no fonts, no links), says in words what it shows, follows the
// reader's choice of a light or dark screen and prints on white. Lines carry their names at their
// ends, with a sample of dashes and marker; names never overlap. A band is one standard error wide
// on either side; a region that cannot be reached is shaded and says so. The same chart gives the
// same bytes on every machine.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "allot/figure/axis.hpp"

namespace allot::figure {

struct Point {
  double x, y;
  /// Standard error of y; NaN if unknown.
  double error = std::numeric_limits<double>::quiet_NaN();
};

struct Series {
  /// Decides what the line looks like, see look.hpp.
  std::string name;
  /// In any order; points that cannot be drawn are left out.
  std::vector<Point> points;
  /// Thin lines have no markers: for limits beside what is compared.
  enum class Weight { normal, thin } weight = Weight::normal;
};

struct LineChart {
  std::string title, subtitle, x_title, y_title;
  std::vector<Series> series;
  /// If not 0, every tick of the x axis also shows its value times this, rounded to a whole number
  /// if it is at least 1.
  double x_unit = 0;
  /// The y axis ends here at the latest; 0 and 1 for shares.
  Range y_limits = kEverywhere;
  /// The name of a series above which nothing can be: the region is shaded and says `beyond`. None
  /// if empty.
  std::string ceiling = {}, beyond = {};
};

std::string svg_text(const LineChart& chart);

}  // namespace allot::figure
