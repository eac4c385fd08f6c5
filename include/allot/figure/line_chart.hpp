// A line chart as SVG text: accuracy against budget, one line per policy.
//
// The text is self-contained (no scripts, no fonts, no links) and describes in words what it shows.
// It follows the reader's choice of a light or dark screen and prints on white. Names are written
// at the ends of the lines, with a sample of dashes and marker, and never overlap. A band is one
// standard error wide on either side. An unreachable region is shaded and labelled. The same chart
// gives the same bytes on every machine.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "allot/figure/axis.hpp"

namespace allot::figure {

/// A point of a curve.
struct Point {
  double x;  ///< place along the x axis
  double y;  ///< place along the y axis
  /// Standard error of y; NaN if unknown.
  double error = std::numeric_limits<double>::quiet_NaN();
};

/// One line.
struct Series {
  /// Name of the line; it decides the style, see series_style.hpp.
  std::string name;
  /// Points in any order; points that cannot be drawn are left out.
  std::vector<Point> points;
  /// Thin lines have no markers: for limits beside the values compared.
  enum class Weight { normal, thin };
  /// Weight of the line.
  Weight weight = Weight::normal;
};

/// The content of a chart.
struct LineChart {
  std::string title;     ///< first heading
  std::string subtitle;  ///< second heading
  std::string x_title;   ///< title of the x axis
  std::string y_title;   ///< title of the y axis
  /// Lines of the chart.
  std::vector<Series> series;
  /// If not 0, every tick of the x axis also shows its value times this, rounded to a whole number
  /// if it is at least 1.
  double x_unit = 0;
  /// Limits of the y axis; 0 and 1 for shares.
  Range y_limits = kEverywhere;
  /// Name of a series that nothing can exceed; the region above it is shaded. None if empty.
  std::string ceiling = {};
  /// Text written in the shaded region.
  std::string beyond = {};
};

/// The chart as SVG text.
std::string svg_text(const LineChart& chart);

}  // namespace allot::figure
