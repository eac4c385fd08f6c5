// What all figures share: paper, headings, style sheet, axes, marks of a series.
//
// Every colour is the property `color` of a class, and shapes are drawn with currentColor, so that
// the style sheet alone decides between light paper, a dark screen and print.
#pragma once

#include <string>

#include "allot/figure/axis.hpp"
#include "allot/figure/look.hpp"
#include "figure/svg.hpp"

namespace allot::figure {

inline constexpr double kWidth = 760, kMargin = 16, kFontSize = 12, kTitleSize = 16;
/// From the foot of one line of text to that of the next.
inline constexpr double kLine = 16;

struct Headings {
  std::string title, subtitle;
  /// The picture in words, for those who cannot see it.
  std::string description;
};

/// The part of the paper that the axes enclose.
struct Box {
  double left, top, right, bottom;
};

/// Where the headings end.
double headings_bottom(const Headings& headings, double width = kWidth);

/// The rules behind all classes, for light and dark paper.
std::string style_sheet();

/// Starts a figure: root element, style sheet, paper, headings. The caller closes the root.
Svg begin_figure(const Headings& headings, double height, double width = kWidth);

/// A text at a place, `anchor` start, middle or end; `kind` is a class, see the style sheet.
void write(Svg& svg, double x, double y, const std::string& anchor, const std::string& kind,
           std::string_view text);
void draw_line(Svg& svg, double x1, double y1, double x2, double y2, double width);

/// Opens the root element and writes title and description; the caller closes it.
void open_root(Svg& svg, const Headings& headings, double height, double width);

/// Grid lines, with their numbers to the left of the box.
void draw_left_axis(Svg& svg, const Axis& axis, const Box& box);
/// The base line and its ticks with their numbers below and, if `unit` is not 0, their numbers
/// times `unit` below that; the title comes last.
void draw_bottom_axis(Svg& svg, const Axis& axis, const Box& box, double unit,
                      const std::string& title);
/// The room that this takes below the box, margin included.
double bottom_axis_height(double unit);

/// Width of the widest number at a tick, those in the other unit included.
double widest_tick(const Axis& axis, double unit);
/// Whether the numbers at ticks side by side differ and have a gap between them.
bool ticks_keep_apart(const Axis& axis, double width, double unit);

/// Opens a group in the colour of a look; the caller closes it.
void open_series(Svg& svg, const Look& look, const std::string& name);
void draw_marker(Svg& svg, const Look& look, double x, double y, const std::string& tooltip);

}  // namespace allot::figure
