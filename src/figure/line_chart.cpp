#include "allot/figure/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "allot/figure/series_style.hpp"
#include "figure/frame.hpp"
#include "figure/spread.hpp"
#include "figure/text.hpp"

namespace allot::figure {
namespace {

constexpr double kPlotHeight = 330, kTickRoom = 44;
/// Parts beside the box: a leader, a sample of the line, the name.
constexpr double kLeader = 22, kSample = 36, kGap = 6, kNameWidth = 170;
/// Lines with more points than this have no markers.
constexpr std::size_t kFewPoints = 12;

using Points = std::vector<Point>;

bool has_error(const Point& point) { return drawable(point.error); }

Points points_to_draw(const Series& series) {
  Points points;
  for (const Point& point : series.points) {
    if (drawable(point.x) && drawable(point.y)) points.push_back(point);
  }
  std::ranges::stable_sort(points, {}, &Point::x);
  return points;
}

Range joined(Range range, double low, double high) {
  return {std::min(range.low, low), std::max(range.high, high)};
}

/// One line of the chart.
struct Line {
  std::string name;
  SeriesStyle style;
  Points points;
  bool thin;

  std::string width() const { return thin ? "0.9" : "1.75"; }
};

std::string shown_name(const Line& line) { return shortened(line.name, kFontSize, kNameWidth); }

std::vector<Line> lines_of(const LineChart& chart) {
  std::vector<std::string> names;
  for (const Series& series : chart.series) names.push_back(series.name);
  const std::vector<SeriesStyle> chosen = series_styles(names);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    Points points = points_to_draw(chart.series[i]);
    const bool thin = chart.series[i].weight == Series::Weight::thin;
    if (!points.empty())
      lines.push_back({chart.series[i].name, chosen[i], std::move(points), thin});
  }
  return lines;
}

struct Extent {
  Range x, y;
};

/// Range of the points and their errors; the unit square if there are none.
Extent extent_of(const std::vector<Line>& lines) {
  if (lines.empty()) return {{0, 1}, {0, 1}};
  const Point& first = lines.front().points.front();
  Extent extent{{first.x, first.x}, {first.y, first.y}};
  for (const Line& line : lines) {
    for (const Point& point : line.points) {
      const double error = has_error(point) ? std::abs(point.error) : 0;
      extent.x = joined(extent.x, point.x, point.x);
      extent.y = joined(extent.y, point.y - error, point.y + error);
    }
  }
  return extent;
}

/// Ticks at the points themselves if they are few, else at as many round numbers as have room.
Axis bottom_axis(const std::vector<Line>& lines, Range data, double width, double unit) {
  constexpr std::size_t kMostTicks = 10;
  std::set<double> places;
  for (const Line& line : lines) {
    for (const Point& point : line.points) places.insert(point.x);
  }
  Axis axis = nice_axis(data, kMostTicks, Ends::at_data);
  if (places.size() > 1 && places.size() <= kMostTicks) {
    Axis exact = axis;
    exact.ticks.clear();
    for (const double place : places) exact.ticks.push_back({place, plain_number(place)});
    if (ticks_keep_apart(exact, width, unit)) return exact;
  }
  for (std::size_t most = kMostTicks; most > 3 && !ticks_keep_apart(axis, width, unit);)
    axis = nice_axis(data, --most, Ends::at_data);
  return axis;
}

std::string point_text(const Point& point) {
  return fmt::format("{} at {}", plain_number(point.y), plain_number(point.x));
}

std::string description(const LineChart& chart, const std::vector<Line>& lines) {
  std::string text = fmt::format("Line chart of {} against {}.", chart.y_title, chart.x_title);
  for (const Line& line : lines) {
    text += fmt::format(" {}: {}", line.name, point_text(line.points.front()));
    if (line.points.size() > 1) text += fmt::format(", {}", point_text(line.points.back()));
    text += '.';
  }
  if (!chart.ceiling.empty()) text += fmt::format(" Above {}: {}.", chart.ceiling, chart.beyond);
  return text;
}

double widest_name(const std::vector<Line>& lines) {
  double width = 0;
  for (const Line& line : lines) width = std::max(width, text_width(shown_name(line), kFontSize));
  return width;
}

/// Draws the lines of a chart in its box.
class Plot {
 public:
  Plot(Svg& svg, const Axis& x, const Axis& y, const Box& box)
      : svg_(svg), x_(x, box.left, box.right), y_(y, box.bottom, box.top), box_(box) {}

  void shade_above(const Line& line, const std::string& text);
  void draw_errors(const Line& line);
  void draw(const Line& line);
  void draw_names(const std::vector<Line>& lines);

 private:
  std::string place(double x, double y) const {
    return fmt::format("{} {}", length(x_(x)), length(y_(y)));
  }
  void draw_band(Points::const_iterator begin, Points::const_iterator end);
  void draw_error_bar(const Point& point);

  Svg& svg_;
  const Scale x_, y_;
  const Box& box_;
};

/// Draws a band between neighbours with errors, a bar for a point that stands alone.
void Plot::draw_errors(const Line& line) {
  open_series(svg_, line.style, line.name);
  for (auto begin = line.points.begin(); begin != line.points.end();) {
    const auto end = std::find_if_not(begin, line.points.end(), has_error);
    if (end - begin == 1) draw_error_bar(*begin);
    if (end - begin > 1) draw_band(begin, end);
    begin = end == line.points.end() ? end : end + 1;
  }
  svg_.close();
}

void Plot::draw_band(Points::const_iterator begin, Points::const_iterator end) {
  std::string outline;
  for (auto point = begin; point != end; ++point)
    outline += (outline.empty() ? "M" : "L") + place(point->x, point->y + point->error);
  for (auto point = end; point != begin;) {
    --point;
    outline += "L" + place(point->x, point->y - point->error);
  }
  svg_.empty("path", {{"d", outline + "Z"}, {"fill-opacity", "0.16"}});
}

/// Shades the box from the line up to its top. The meaning is written there, where no line can be.
void Plot::shade_above(const Line& line, const std::string& text) {
  const double right = x_(line.points.back().x), left = x_(line.points.front().x);
  std::string outline = fmt::format("M{} {}", length(left), length(box_.top));
  for (const Point& point : line.points) outline += "L" + place(point.x, point.y);
  outline += fmt::format("L{} {}Z", length(right), length(box_.top));
  svg_.open("g", {{"class", "quiet"}});
  svg_.text("title", {}, text);
  svg_.empty("path", {{"d", outline}, {"fill-opacity", "0.2"}});
  svg_.close();
  write(svg_, box_.right, box_.top - kGap, "end", "quiet",
        shortened("shaded: " + text, kFontSize, (box_.right - box_.left) / 2));
}

void Plot::draw_error_bar(const Point& point) {
  const double x = x_(point.x), low = y_(point.y - point.error), high = y_(point.y + point.error);
  draw_line(svg_, x, low, x, high, 1.25);
  for (const double y : {low, high}) draw_line(svg_, x - 4, y, x + 4, y, 1.25);
}

void Plot::draw(const Line& line) {
  open_series(svg_, line.style, line.name);
  std::string path;
  for (const Point& point : line.points)
    path += (path.empty() ? "M" : "L") + place(point.x, point.y);
  svg_.empty("path", {{"d", path},
                      {"fill", "none"},
                      {"stroke", "currentColor"},
                      {"stroke-width", line.width()},
                      {"stroke-linejoin", "round"},
                      {"stroke-dasharray", std::string(dash_pattern(line.style))}});
  if (!line.thin && line.points.size() <= kFewPoints) {
    for (const Point& point : line.points) {
      draw_marker(svg_, line.style, x_(point.x), y_(point.y),
                  fmt::format("{}: {}", line.name, point_text(point)));
    }
  }
  svg_.close();
}

void Plot::draw_names(const std::vector<Line>& lines) {
  std::vector<double> ends;
  for (const Line& line : lines) ends.push_back(y_(line.points.back().y));
  const std::vector<double> places = spread(ends, kLine, box_.top, box_.bottom);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const double sample = box_.right + kLeader, y = places[i];
    open_series(svg_, line.style, line.name);
    draw_line(svg_, x_(line.points.back().x) + 7, ends[i], sample - 3, y, 0.6);
    svg_.empty("path", {{"d", fmt::format("M{} {}h{}", length(sample), length(y), length(kSample))},
                        {"stroke", "currentColor"},
                        {"stroke-width", line.width()},
                        {"stroke-dasharray", std::string(dash_pattern(line.style))}});
    if (!line.thin) draw_marker(svg_, line.style, sample + kSample / 2, y, "");
    svg_.close();
    write(svg_, sample + kSample + kGap, y + 4, "start", "ink name", shown_name(line));
  }
}

}  // namespace

std::string svg_text(const LineChart& chart) {
  const std::vector<Line> lines = lines_of(chart);
  const Extent extent = extent_of(lines);
  const double plot_height = std::max(
      kPlotHeight, kLine * static_cast<double>(std::max<std::size_t>(lines.size(), 1) - 1));
  const Axis y = nice_axis(extent.y, static_cast<std::size_t>(plot_height / kTickRoom) + 1,
                           Ends::at_ticks, chart.y_limits);
  const Headings headings{chart.title, chart.subtitle, description(chart, lines)};
  const double top = headings_bottom(headings) + 2 * kLine + 4;
  Box box{kMargin + widest_tick(y, 0) + 8, top,
          kWidth - kMargin - widest_name(lines) - kGap - kSample - kLeader, top + plot_height};
  Axis x = bottom_axis(lines, extent.x, box.right - box.left, chart.x_unit);
  // The first number below the axis must not stick out to the left.
  box.left = std::max(box.left, kMargin + widest_tick(x, chart.x_unit) / 2);
  x = bottom_axis(lines, extent.x, box.right - box.left, chart.x_unit);

  Svg svg = begin_figure(headings, box.bottom + bottom_axis_height(chart.x_unit));
  write(svg, kMargin, box.top - kLine, "start", "quiet",
        shortened(chart.y_title, kFontSize, kWidth - 2 * kMargin));
  draw_left_axis(svg, y, box);
  draw_bottom_axis(svg, x, box, chart.x_unit, chart.x_title);
  Plot plot(svg, x, y, box);
  const auto ceiling = std::ranges::find(lines, chart.ceiling, &Line::name);
  if (!chart.ceiling.empty() && ceiling != lines.end()) plot.shade_above(*ceiling, chart.beyond);
  for (const Line& line : lines) plot.draw_errors(line);
  for (const Line& line : lines) plot.draw(line);
  plot.draw_names(lines);
  svg.close();
  return svg.document();
}

}  // namespace allot::figure
