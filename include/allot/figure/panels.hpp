// A figure of several panels as SVG text, as papers have them: (a), (b), (c) side by side.
//
// Panels hold curves with bands, bars with errors, a table of cells shaded by value, or regions of
// a plane. What they share with line_chart.hpp: the text stands alone, says in words what it shows,
// suits light and dark screens and print, and no curve needs colour to be told from another. One
// legend stands above all panels and covers none of them.
//
// A page sets the panels itself, as many side by side as it has room for: see pieces.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "allot/figure/line_chart.hpp"

namespace allot::figure {

struct Curve {
  /// In the legend; curves of the same name in several panels share its entry.
  std::string name;
  /// Decides what the curve looks like, see look.hpp.
  std::string look;
  /// In any order; points that cannot be drawn are left out. A band is one standard error wide on
  /// either side.
  std::vector<Point> points;
  /// Shades what lies between the curve and zero.
  bool filled = false;
};

/// Where equal steps of an axis add the same, and where they double the value, which must be
/// positive.
enum class Steps { adding, doubling };

struct CurvePanel {
  std::string title, x_title, y_title;
  std::vector<Curve> curves;
  /// The y axis ends here at the latest; 0 and 1 for shares.
  Range y_limits = kEverywhere;
  Steps x_steps = Steps::adding;
};

struct Bar {
  double x, height;
  /// Standard error of the height; NaN if unknown.
  double error;
};

/// Bars from zero, all of the same width, as wide as the smallest distance between two allows.
struct BarPanel {
  std::string title, x_title, y_title;
  std::vector<Bar> bars;
  /// Decides their colour, see look.hpp.
  std::string look;
};

struct Cell {
  double x, y, value;
};

/// Cells of size 1 around whole numbers, the darker the further their value is from 0; those below
/// 0 in another colour, those above it with a dot if there are both. A scale stands beside them.
struct CellPanel {
  std::string title, x_title, y_title;
  std::vector<Cell> cells;
};

struct Region {
  std::string name;
  std::vector<Point> outline;
  /// Where the name stands.
  Point centre;
  /// Decides its colour, see look.hpp. Regions lie on those before; every other one is paler and
  /// has a dashed edge.
  std::string look;
};

struct RegionPanel {
  std::string title, x_title, y_title;
  Range x, y;
  std::vector<Region> regions;
};

using Panel = std::variant<CurvePanel, BarPanel, CellPanel, RegionPanel>;

struct PanelFigure {
  std::string title, subtitle;
  std::vector<Panel> panels;
  std::size_t columns = 3;
};

std::string svg_text(const PanelFigure& figure);

/// A figure in parts that a page can lay out: no headings, no style sheet.
struct Pieces {
  struct Entry {
    std::string name, sample_svg;
  };
  std::vector<Entry> legend;
  std::vector<std::string> panel_svgs;
};

Pieces pieces(const PanelFigure& figure);

/// The style sheet that pieces need, once a page.
std::string page_style();

}  // namespace allot::figure
