#include "allot/figure/dot_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/figure/series_style.hpp"
#include "figure/frame.hpp"
#include "figure/text.hpp"

namespace allot::figure {
namespace {

constexpr double kRow = 28, kRowGap = 14, kNameWidth = 200;

/// Range of the values and their errors.
Range extent_of(const std::vector<Dot>& dots) {
  Extent extent;
  for (const Dot& dot : dots) {
    if (!drawable(dot.value)) continue;
    extent.join(dot.value - error_of(dot.error), dot.value + error_of(dot.error));
  }
  return extent.range();
}

/// "0.8803 ±0.0036", with two digits more than the axis.
std::string value_text(const Dot& dot, const Axis& axis) {
  const auto number = [&](double value) {
    const bool plain = axis.decimals <= 6 && std::abs(value) < 1e12;
    return plain ? grouped(value, axis.decimals + 2) : plain_number(value);
  };
  if (!drawable(dot.value)) return "-";
  return number(dot.value) + (drawable(dot.error) ? " ±" + number(std::abs(dot.error)) : "");
}

void draw_dot(Svg& svg, const Dot& dot, const SeriesStyle& style, const Scale& x, double y,
              const Box& box) {
  open_series(svg, style, dot.name);
  if (dot.mark == Dot::Mark::line) {
    draw_line(svg, x(dot.value), box.top, x(dot.value), box.bottom, 0.9);
    svg.close();
    return;
  }
  if (drawable(dot.error)) {
    const double low = x(dot.value - std::abs(dot.error)),
                 high = x(dot.value + std::abs(dot.error));
    draw_line(svg, low, y, high, y, 1.75);
    for (const double end : {low, high}) draw_line(svg, end, y - 4.5, end, y + 4.5, 1.75);
  }
  draw_marker(svg, style, x(dot.value), y, "");
  svg.close();
}

/// Faint lines at the ticks, from top to bottom.
void draw_grid(Svg& svg, const Axis& axis, const Box& box) {
  const Scale x(axis, box.left, box.right);
  svg.open("g", {{"class", "grid"}});
  for (const Tick& tick : axis.ticks)
    draw_line(svg, x(tick.value), box.top, x(tick.value), box.bottom, 1);
  svg.close();
}

/// A row of the chart with its place.
struct DotRow {
  std::string name, value;
};

std::vector<DotRow> rows_of(const DotChart& chart, const Axis& axis) {
  std::vector<DotRow> rows;
  for (const Dot& dot : chart.dots)
    rows.push_back({shortened(dot.name, kFontSize, kNameWidth), value_text(dot, axis)});
  return rows;
}

std::string description(const DotChart& chart, const std::vector<DotRow>& rows) {
  std::string text = fmt::format("Dot chart of {}.", chart.value_title);
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += fmt::format(" {}: {}.", chart.dots[i].name, rows[i].value);
  return text;
}

/// The box between names and values, wide enough for the numbers at the ends of the axis.
Box box_between(const std::vector<DotRow>& rows, const Axis& axis, double top) {
  double left = widest_tick(axis, 0) / 2, right = left;
  for (const DotRow& row : rows) {
    left = std::max(left, text_width(row.name, kFontSize) + kRowGap);
    right = std::max(right, text_width(row.value, kFontSize) + kRowGap);
  }
  const double height = kRow * static_cast<double>(std::max<std::size_t>(rows.size(), 1));
  return {kMargin + left, top, kWidth - kMargin - right, top + height};
}

}  // namespace

std::string svg_text(const DotChart& chart) {
  constexpr std::size_t kMostTicks = 6;
  const Range extent = extent_of(chart.dots);
  Axis axis = nice_axis(extent, kMostTicks, Ends::at_ticks, chart.limits);
  const std::vector<DotRow> rows = rows_of(chart, axis);
  const Headings headings{chart.title, chart.subtitle, description(chart, rows)};
  const Box box = box_between(rows, axis, headings_bottom(headings) + kMargin);
  axis = roomy_axis(extent, kMostTicks, Ends::at_ticks, box.right - box.left, 0, chart.limits);

  Svg svg = begin_figure(headings, box.bottom + bottom_axis_height(0));
  draw_grid(svg, axis, box);
  draw_bottom_axis(svg, axis, box, 0, chart.value_title);
  std::vector<std::string> names;
  for (const Dot& dot : chart.dots) names.push_back(dot.name);
  const std::vector<SeriesStyle> chosen = series_styles(names);
  const Scale x(axis, box.left, box.right);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = box.top + kRow * (static_cast<double>(i) + 0.5);
    write(svg, box.left - kRowGap, y + 4, "end", "ink name", rows[i].name);
    write(svg, kWidth - kMargin, y + 4, "end", "quiet", rows[i].value);
    if (drawable(chart.dots[i].value)) draw_dot(svg, chart.dots[i], chosen[i], x, y, box);
  }
  svg.close();
  return svg.document();
}

}  // namespace allot::figure
