#include "allot/figure/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "allot/figure/series_style.hpp"
#include "figure/frame.hpp"
#include "figure/text.hpp"

namespace allot::figure {
namespace {

constexpr double kPlotHeight = 330, kTickRoom = 44;
/// Parts beside the box: a leader, a sample of the line, the name.
constexpr double kLeader = 22, kSample = 36, kNameGap = 6, kLineNameWidth = 170;
/// Lines with more points than this have no markers.
constexpr std::size_t kFewPoints = 12;

using Points = std::vector<Point>;

bool has_error(const Point& point) { return drawable(point.error); }

/// One line of the chart.
struct Line {
  std::string name;
  SeriesStyle style;
  Points points;
  bool thin;

  std::string width() const { return thin ? "0.9" : "1.75"; }
};

std::string shown_name(const Line& line) { return shortened(line.name, kFontSize, kLineNameWidth); }

std::vector<Line> lines_of(const LineChart& chart) {
  std::vector<std::string> names;
  for (const Series& series : chart.series) names.push_back(series.name);
  const std::vector<SeriesStyle> chosen = series_styles(names);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    Points points = points_to_draw(chart.series[i].points);
    const bool thin = chart.series[i].weight == Series::Weight::thin;
    if (!points.empty())
      lines.push_back({chart.series[i].name, chosen[i], std::move(points), thin});
  }
  return lines;
}

/// Ranges of the points and their errors.
std::pair<Range, Range> extents_of(const std::vector<Line>& lines) {
  Extent x, y;
  for (const Line& line : lines) {
    for (const Point& point : line.points) {
      x.join(point.x, point.x);
      y.join(point.y - error_of(point.error), point.y + error_of(point.error));
    }
  }
  return {x.range(), y.range()};
}

/// Ticks at the points themselves if they are few, else at as many round numbers as have room.
Axis bottom_axis(const std::vector<Line>& lines, Range data, double width, double unit) {
  constexpr std::size_t kMostTicks = 10;
  std::set<double> places;
  for (const Line& line : lines) {
    for (const Point& point : line.points) places.insert(point.x);
  }
  if (places.size() > 1 && places.size() <= kMostTicks) {
    Axis exact = nice_axis(data, kMostTicks, Ends::at_data);
    exact.ticks.clear();
    for (const double place : places) exact.ticks.push_back({place, plain_number(place)});
    if (ticks_keep_apart(exact, width, unit)) return exact;
  }
  return roomy_axis(data, kMostTicks, Ends::at_data, width, unit);
}

std::string description(const LineChart& chart, const std::vector<Line>& lines) {
  std::string text = fmt::format("Line chart of {} against {}.", chart.y_title, chart.x_title);
  for (const Line& line : lines) {
    text += fmt::format(" {}: {}.", line.name, ends_text(line.points));
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

  /// Draws a band between neighbours with errors, a bar for a point that stands alone.
  void draw_errors(const Line& line) {
    open_series(svg_, line.style, line.name);
    for (auto begin = line.points.begin(); begin != line.points.end();) {
      const auto end = std::find_if_not(begin, line.points.end(), has_error);
      if (end - begin == 1)
        draw_whisker(svg_, x_(begin->x), y_(begin->y - begin->error), y_(begin->y + begin->error),
                     4);
      if (end - begin > 1) draw_band(begin, end);
      begin = end == line.points.end() ? end : end + 1;
    }
    svg_.close();
  }

  /// Shades the box from the line up to its top. The meaning is written there, where no line can
  /// be.
  void shade_above(const Line& line, const std::string& text) {
    std::string outline;
    extend(outline, x_(line.points.front().x), box_.top);
    for (const Point& point : line.points) extend(outline, x_(point.x), y_(point.y));
    extend(outline, x_(line.points.back().x), box_.top);
    svg_.open("g", {{"class", "quiet"}});
    svg_.text("title", {}, text);
    svg_.empty("path", {{"d", outline + "Z"}, {"fill-opacity", "0.2"}});
    svg_.close();
    write(svg_, box_.right, box_.top - kNameGap, "end", "quiet",
          shortened("shaded: " + text, kFontSize, (box_.right - box_.left) / 2));
  }

  void draw(const Line& line) {
    open_series(svg_, line.style, line.name);
    std::string path;
    for (const Point& point : line.points) extend(path, x_(point.x), y_(point.y));
    draw_curve(svg_, path, line.style, line.width());
    if (!line.thin && line.points.size() <= kFewPoints) {
      for (const Point& point : line.points) {
        draw_marker(svg_, line.style, x_(point.x), y_(point.y),
                    fmt::format("{}: {}", line.name, at_text(point.y, point.x)));
      }
    }
    svg_.close();
  }

  void draw_names(const std::vector<Line>& lines) {
    std::vector<double> ends;
    for (const Line& line : lines) ends.push_back(y_(line.points.back().y));
    const std::vector<double> places = spread(ends, kLine, box_.top, box_.bottom);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Line& line = lines[i];
      const double sample = box_.right + kLeader, y = places[i];
      open_series(svg_, line.style, line.name);
      draw_line(svg_, x_(line.points.back().x) + 7, ends[i], sample - 3, y, 0.6);
      svg_.empty("path",
                 {{"d", fmt::format("M{} {}h{}", length(sample), length(y), length(kSample))},
                  {"stroke", "currentColor"},
                  {"stroke-width", line.width()},
                  {"stroke-dasharray", std::string(dash_pattern(line.style))}});
      if (!line.thin) draw_marker(svg_, line.style, sample + kSample / 2, y, "");
      svg_.close();
      write(svg_, sample + kSample + kNameGap, y + 4, "start", "ink name", shown_name(line));
    }
  }

 private:
  void draw_band(Points::const_iterator begin, Points::const_iterator end) {
    std::string outline;
    const std::ranges::subrange points(begin, end);
    for (const Point& point : points) extend(outline, x_(point.x), y_(point.y + point.error));
    for (const Point& point : points | std::views::reverse)
      extend(outline, x_(point.x), y_(point.y - point.error));
    svg_.empty("path", {{"d", outline + "Z"}, {"fill-opacity", "0.16"}});
  }

  Svg& svg_;
  const Scale x_, y_;
  const Box& box_;
};

}  // namespace

std::string svg_text(const LineChart& chart) {
  const std::vector<Line> lines = lines_of(chart);
  const auto [x_range, y_range] = extents_of(lines);
  const double plot_height = std::max(
      kPlotHeight, kLine * static_cast<double>(std::max<std::size_t>(lines.size(), 1) - 1));
  const Axis y = nice_axis(y_range, static_cast<std::size_t>(plot_height / kTickRoom) + 1,
                           Ends::at_ticks, chart.y_limits);
  const Headings headings{chart.title, chart.subtitle, description(chart, lines)};
  const double top = headings_bottom(headings) + 2 * kLine + 4;
  Box box{kMargin + widest_tick(y, 0) + 8, top,
          kWidth - kMargin - widest_name(lines) - kNameGap - kSample - kLeader, top + plot_height};
  Axis x = bottom_axis(lines, x_range, box.right - box.left, chart.x_unit);
  // The first number below the axis must not stick out to the left.
  box.left = std::max(box.left, kMargin + widest_tick(x, chart.x_unit) / 2);
  x = bottom_axis(lines, x_range, box.right - box.left, chart.x_unit);

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
