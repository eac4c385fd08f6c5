// Parts that all figures share: paper, headings, style sheet, axes, marks of a series.
//
// Every colour is the property `color` of a class, and shapes are drawn with currentColor. So the
// style sheet alone decides between light paper, a dark screen and print.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/figure/axis.hpp"
#include "allot/figure/line_chart.hpp"
#include "allot/figure/series_style.hpp"

namespace allot::figure {

/// A length on the paper: at most two digits after the point, the same on every machine.
std::string length(double value);

/// A writer of SVG, element by element.
class Svg {
 public:
  using Attributes = std::initializer_list<std::pair<std::string_view, std::string>>;

  /// Opens an element. Attributes without a value are left out; values are escaped.
  void open(std::string_view name, Attributes attributes);
  /// Closes the element opened last.
  void close();
  void empty(std::string_view name, Attributes attributes);
  /// Writes an element with a text, which is escaped.
  void text(std::string_view name, Attributes attributes, std::string_view content);
  /// Writes an element with trusted text, such as a style sheet, verbatim.
  void raw(std::string_view name, std::string_view content);

  /// The document so far.
  const std::string& document() const { return document_; }

 private:
  void begin(std::string_view name, Attributes attributes);

  std::string document_;
  std::vector<std::string> open_;
};

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
/// Draws an upright line with a stroke across either end.
void draw_whisker(Svg& svg, double x, double low, double high, double half_width);

/// Adds a place to the outline of a path: "M1 2" to begin it, then "L3 4".
void extend(std::string& outline, double x, double y);
/// Draws a line of a series along a path.
void draw_curve(Svg& svg, const std::string& outline, const SeriesStyle& style,
                const std::string& width);

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
/// The axis with as many ticks, up to `most`, as have room in the width.
Axis roomy_axis(Range data, std::size_t most, Ends ends, double width, double unit = 0,
                Range limits = kEverywhere);

/// The range of data as it grows; 0 to 1 while there are none.
class Extent {
 public:
  void join(double low, double high) {
    low_ = low < low_ ? low : low_;
    high_ = high > high_ ? high : high_;
  }
  Range range() const { return low_ <= high_ ? Range{low_, high_} : Range{0, 1}; }

 private:
  double low_ = kEverywhere.high, high_ = kEverywhere.low;
};

/// The size of an error; 0 if it is unknown.
double error_of(double error);
/// "0.85 at 200".
std::string at_text(double value, double place);
/// The first point and the last: "0.7 at 100, 0.85 at 200".
std::string ends_text(const std::vector<Point>& points);
/// The points that can be drawn, from left to right.
std::vector<Point> points_to_draw(std::vector<Point> points);

/// Opens a group in the colour of a style; the caller closes it.
void open_series(Svg& svg, const SeriesStyle& style, const std::string& name);
void draw_marker(Svg& svg, const SeriesStyle& style, double x, double y,
                 const std::string& tooltip);

}  // namespace allot::figure
