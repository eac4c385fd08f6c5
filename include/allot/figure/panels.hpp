// A figure of several panels as SVG text, as in papers: (a), (b), (c) side by side.
//
// Panels hold curves with bands, bars with errors, a table of cells shaded by value, or regions of
// a plane. As in line_chart.hpp, the text is self-contained, describes in words what it shows,
// suits light and dark screens and print, and no curve needs colour to be told from another. One
// legend above all panels covers none of them.
//
// A page can lay out the panels itself, as many side by side as it has room for: see pieces.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "allot/figure/line_chart.hpp"

namespace allot::figure {

/// One curve.
struct Curve {
  /// Name in the legend; curves of the same name in several panels share its entry.
  std::string name;
  /// Name that decides the style, see series_style.hpp.
  std::string style;
  /// Points in any order; points that cannot be drawn are left out. A band is one standard error
  /// wide on either side.
  std::vector<Point> points;
  /// True to shade the area between the curve and zero.
  bool filled = false;
};

/// Steps of an axis: equal steps add the same amount, or double the value, which must be positive.
enum class Steps { adding, doubling };

/// A panel of curves.
struct CurvePanel {
  std::string title;    ///< heading of the panel
  std::string x_title;  ///< title of the x axis
  std::string y_title;  ///< title of the y axis
  /// Curves of the panel.
  std::vector<Curve> curves;
  /// Limits of the y axis; 0 and 1 for shares.
  Range y_limits = kEverywhere;
  /// Steps of the x axis.
  Steps x_steps = Steps::adding;
};

/// One bar.
struct Bar {
  double x;       ///< centre of the bar
  double height;  ///< value
  /// Standard error of the height; NaN if unknown.
  double error;
};

/// Bars from zero, all of the same width, as wide as the smallest distance between two allows.
struct BarPanel {
  std::string title;    ///< heading of the panel
  std::string x_title;  ///< title of the x axis
  std::string y_title;  ///< title of the y axis
  /// Bars of the panel.
  std::vector<Bar> bars;
  /// Name that decides their colour, see series_style.hpp.
  std::string style;
};

/// One cell.
struct Cell {
  double x;      ///< centre
  double y;      ///< centre
  double value;  ///< decides the shade
};

/// Cells of size 1 around whole numbers, darker the further their value is from 0. Values below 0
/// have another colour; if there are both, values above 0 have a dot. A scale is drawn beside them.
struct CellPanel {
  std::string title;    ///< heading of the panel
  std::string x_title;  ///< title of the x axis
  std::string y_title;  ///< title of the y axis
  /// Cells of the panel.
  std::vector<Cell> cells;
};

/// A region of the plane.
struct Region {
  /// Name, written at the centre.
  std::string name;
  /// Corners of the region.
  std::vector<Point> outline;
  /// Place of the name.
  Point centre;
  /// Name that decides its colour, see series_style.hpp. Regions cover those before them; every
  /// other one is paler and has a dashed edge.
  std::string style;
};

/// A panel of regions.
struct RegionPanel {
  std::string title;    ///< heading of the panel
  std::string x_title;  ///< title of the x axis
  std::string y_title;  ///< title of the y axis
  Range x;              ///< range of the x axis
  Range y;              ///< range of the y axis
  /// Regions of the panel, from back to front.
  std::vector<Region> regions;
};

/// One panel of any kind.
using Panel = std::variant<CurvePanel, BarPanel, CellPanel, RegionPanel>;

/// A figure of panels.
struct PanelFigure {
  std::string title;     ///< first heading
  std::string subtitle;  ///< second heading
  /// Panels in reading order.
  std::vector<Panel> panels;
  /// Panels side by side.
  std::size_t columns = 3;
};

/// The figure as SVG text.
std::string svg_text(const PanelFigure& figure);

/// A figure in parts that a page can lay out: no headings, no style sheet.
struct Pieces {
  /// An entry of the legend.
  struct Entry {
    std::string name;        ///< name of the series
    std::string sample_svg;  ///< sample of its line and marker
  };
  /// Entries of the legend.
  std::vector<Entry> legend;
  /// One SVG text per panel.
  std::vector<std::string> panel_svgs;
};

/// Draws the parts of a figure.
Pieces pieces(const PanelFigure& figure);

/// The style sheet that pieces need, once per page.
std::string page_style();

}  // namespace allot::figure
