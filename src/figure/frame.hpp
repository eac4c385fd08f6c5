// Parts that all figures share: paper, headings, style sheet, axes, marks of a series.
//
// Every colour is the property `color` of a class, and shapes are drawn with currentColor. So the
// style sheet alone decides between light paper, a dark screen and print.
#pragma once

#include <string>

#include "allot/figure/axis.hpp"
#include "allot/figure/series_style.hpp"
#include "figure/svg.hpp"

namespace allot::figure {

inline constexpr double kWidth = 760, kMargin = 16, kFontSize = 12, kTitleSize = 16;
/// Distance between the baselines of two lines of text.
inline constexpr double kLine = 16;

struct Headings {
  std::string title, subtitle;
  /// The picture in words, for readers who cannot see it.
  std::string description;
};

/// The part of the paper that the axes enclose.
struct Box {
  double left, top, right, bottom;
};

/// Bottom of the headings.
double headings_bottom(const Headings& headings, double width = kWidth);

/// The rules of all classes, for light and dark paper.
std::string style_sheet();

/// Starts a figure: root element, style sheet, paper, headings. The caller closes the root.
Svg begin_figure(const Headings& headings, double height, double width = kWidth);

/// Writes a text; `anchor` is start, middle or end, `kind` a class of the style sheet.
void write(Svg& svg, double x, double y, const std::string& anchor, const std::string& kind,
           std::string_view text);
void draw_line(Svg& svg, double x1, double y1, double x2, double y2, double width);

/// Opens the root element and writes title and description; the caller closes it.
void open_root(Svg& svg, const Headings& headings, double height, double width);

/// Draws grid lines, with their numbers to the left of the box.
void draw_left_axis(Svg& svg, const Axis& axis, const Box& box);
/// Draws the base line and its ticks with their numbers below and, if `unit` is not 0, the numbers
/// times `unit` below that; the title comes last.
void draw_bottom_axis(Svg& svg, const Axis& axis, const Box& box, double unit,
                      const std::string& title);
/// Room of the bottom axis below the box, margin included.
double bottom_axis_height(double unit);

/// Width of the widest number at a tick, those in the other unit included.
double widest_tick(const Axis& axis, double unit);
/// True if the numbers at neighbouring ticks differ and have a gap between them.
bool ticks_keep_apart(const Axis& axis, double width, double unit);

/// Opens a group in the colour of a style; the caller closes it.
void open_series(Svg& svg, const SeriesStyle& style, const std::string& name);
void draw_marker(Svg& svg, const SeriesStyle& style, double x, double y,
                 const std::string& tooltip);

}  // namespace allot::figure
