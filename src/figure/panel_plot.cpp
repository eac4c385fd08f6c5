#include "figure/panel_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>

#include "figure/text.hpp"

namespace allot::figure {
namespace {

/// Room above the axes: title and name of the y axis.
constexpr double kTop = 46, kRight = 20;
constexpr double kScaleWidth = 78;
/// Distance, in points of a long curve, between its markers.
constexpr std::size_t kMarkersOfACurve = 6;

constexpr std::size_t kMostTicksBelow = 8;

/// An axis with ticks at powers of two.
Axis doubling_axis(Range data, double width) {
  Axis axis{std::floor(data.low), std::max(std::ceil(data.high), std::floor(data.low) + 1), {}, 0};
  for (double step = 1; axis.ticks.empty() || !ticks_keep_apart(axis, width, 0); ++step) {
    axis.ticks.clear();
    for (double power = axis.low; power <= axis.high; power += step)
      axis.ticks.push_back({power, plain_number(std::exp2(power))});
  }
  return axis;
}

/// An axis with ticks at whole numbers only, for cells.
Axis whole_axis(Range data) {
  Axis axis{data.low, data.high, {}, 0};
  const double step = std::max(1.0, std::round((data.high - data.low) / 8));
  for (double value = std::ceil(data.low); value <= data.high; value += step)
    axis.ticks.push_back({value, plain_number(value)});
  return axis;
}

/// The smallest distance between two bars.
double gap_of(const std::vector<Bar>& bars) {
  std::set<double> places;
  for (const Bar& bar : bars) places.insert(bar.x);
  double gap = INFINITY;
  for (auto place = places.begin(); place != places.end() && std::next(place) != places.end();
       ++place)
    gap = std::min(gap, *std::next(place) - *place);
  return std::isfinite(gap) ? gap : 1;
}

/// Darkness of a value; the root makes small values visible.
double shade_of(double value, double largest) {
  return largest > 0 ? std::sqrt(std::min(1.0, std::abs(value) / largest)) : 0;
}

/// Draws the panels of a figure.
class PanelPlot {
 public:
  PanelPlot(Svg& svg, const StyleBook& styles, double left, double top)
      : svg_(svg), styles_(styles), left_(left), top_(top) {}

  void operator()(const CurvePanel& panel) {
    write_titles(panel);
    const auto in_steps = [&](double x) {
      return panel.x_steps == Steps::doubling ? std::log2(x) : x;
    };
    Extent across, up;
    for (const Curve& curve : panel.curves) {
      for (const Point& point : points_to_draw(curve, panel.x_steps)) {
        across.join(in_steps(point.x), in_steps(point.x));
        up.join(point.y - error_of(point.error), point.y + error_of(point.error));
        if (curve.filled) up.join(0, 0);
      }
    }
    const Axis y = nice_axis(up.range(), 6, Ends::at_ticks, panel.y_limits);
    const auto x_axis = [&](double width) {
      return panel.x_steps == Steps::doubling
                 ? doubling_axis(across.range(), width)
                 : roomy_axis(across.range(), kMostTicksBelow, Ends::at_data, width);
    };
    const Box area = fitted(box(y), x_axis);
    const Axis x = x_axis(area.right - area.left);
    draw_left_axis(svg_, y, area);
    draw_bottom_axis(svg_, x, area, 0, panel.x_title);
    const Scale of_steps(x, area.left, area.right), to_y(y, area.bottom, area.top);
    const auto to_x = [&](double place) { return of_steps(in_steps(place)); };
    for (const Curve& curve : panel.curves)
      draw_bands(curve, points_to_draw(curve, panel.x_steps), to_x, to_y);
    std::size_t nth = 0;
    for (const Curve& curve : panel.curves)
      draw(curve, points_to_draw(curve, panel.x_steps), to_x, to_y, nth++);
  }

  void operator()(const BarPanel& panel) {
    write_titles(panel);
    Extent across, up;
    for (const Bar& bar : panel.bars) {
      if (!drawable(bar.x) || !drawable(bar.height)) continue;
      across.join(bar.x, bar.x);
      up.join(std::min(0.0, bar.height), bar.height + error_of(bar.error));
    }
    const Axis y = nice_axis(up.range(), 6, Ends::at_ticks);
    const double gap = gap_of(panel.bars);
    const Range places = across.range();
    const auto x_axis = [&](double width) {
      return roomy_axis({places.low - gap / 2, places.high + gap / 2}, kMostTicksBelow,
                        Ends::at_data, width);
    };
    const Box area = fitted(box(y), x_axis);
    const Axis x = x_axis(area.right - area.left);
    draw_left_axis(svg_, y, area);
    const Scale to_x(x, area.left, area.right), to_y(y, area.bottom, area.top);
    const double width = 0.76 * (to_x(places.low + gap) - to_x(places.low));
    open_series(svg_, styles_.at(panel.style), panel.title);
    for (const Bar& bar : panel.bars) {
      if (!drawable(bar.x) || !drawable(bar.height)) continue;
      const double top = std::min(to_y(bar.height), to_y(0)),
                   bottom = std::max(to_y(bar.height), to_y(0));
      svg_.open("g", {{"fill-opacity", "0.55"}});
      svg_.text("title", {}, at_text(bar.height, bar.x));
      svg_.empty("rect", {{"x", length(to_x(bar.x) - width / 2)},
                          {"y", length(top)},
                          {"width", length(width)},
                          {"height", length(bottom - top)}});
      svg_.close();
    }
    svg_.close();
    svg_.open("g", {{"class", "ink"}});
    for (const Bar& bar : panel.bars) {
      if (!drawable(bar.error) || !drawable(bar.height)) continue;
      draw_whisker(svg_, to_x(bar.x), to_y(bar.height - std::abs(bar.error)),
                   to_y(bar.height + std::abs(bar.error)), std::min(3.0, width / 2));
    }
    svg_.close();
    draw_bottom_axis(svg_, x, area, 0, panel.x_title);
  }

  void operator()(const CellPanel& panel) {
    write_titles(panel);
    Extent across, up, values;
    values.join(0, 0);
    for (const Cell& cell : panel.cells) {
      across.join(cell.x - 0.5, cell.x + 0.5);
      up.join(cell.y - 0.5, cell.y + 0.5);
      values.join(cell.value, cell.value);
    }
    const auto [low, high] = values.range();
    const Axis x = whole_axis(across.range()), y = whole_axis(up.range());
    Box area = box(y, kRight + kScaleWidth);
    const double side = std::min(area.right - area.left, area.bottom - area.top);
    area.right = area.left + side;
    area.top = area.bottom - side;
    const Scale to_x(x, area.left, area.right), to_y(y, area.bottom, area.top);
    for (const Cell& cell : panel.cells) draw_cell(cell, to_x, to_y, std::max(-low, high), low < 0);
    write_numbers(y, area);
    draw_bottom_axis(svg_, x, area, 0, panel.x_title);
    draw_scale(area, low, high);
  }

  void operator()(const RegionPanel& panel) {
    write_titles(panel);
    const Axis y = nice_axis(panel.y, 6, Ends::at_data), x = nice_axis(panel.x, 6, Ends::at_data);
    Box area = box(y);
    const double side = std::min(area.right - area.left, area.bottom - area.top);
    area.right = area.left + side;
    const Scale to_x(x, area.left, area.right), to_y(y, area.bottom, area.top);
    bool hatched = false;
    for (const Region& region : panel.regions) {
      std::string outline;
      for (const Point& point : region.outline) extend(outline, to_x(point.x), to_y(point.y));
      // Paper first, so that the colours of overlapping regions do not mix.
      svg_.empty("path", {{"class", "paper"}, {"d", outline + "Z"}});
      open_series(svg_, styles_.at(region.style), region.name);
      svg_.empty("path", {{"d", outline + "Z"},
                          {"fill-opacity", hatched ? "0.12" : "0.34"},
                          {"stroke", "currentColor"},
                          {"stroke-width", "1.5"},
                          {"stroke-dasharray", hatched ? "6 3" : ""}});
      svg_.close();
      hatched = !hatched;
    }
    for (const Region& region : panel.regions)
      write(svg_, to_x(region.centre.x), to_y(region.centre.y) + 4, "middle", "ink", region.name);
    write_numbers(y, area);
    draw_bottom_axis(svg_, x, area, 0, panel.x_title);
  }

 private:
  Box box(const Axis& y, double right = kRight) const {
    return {left_ + widest_tick(y, 0) + 10, top_ + kTop, left_ + kPanelWidth - right,
            top_ + kPanelHeight - bottom_axis_height(0)};
  }
  /// The box in which the numbers at the ends of the bottom axis do not stick out; the axis follows
  /// from the width.
  template <typename AxisOfWidth>
  Box fitted(Box area, AxisOfWidth x_axis) const {
    const double half = widest_tick(x_axis(area.right - area.left), 0) / 2 + 2;
    area.left = std::max(area.left, left_ + half);
    area.right = std::min(area.right, left_ + kPanelWidth - half);
    return area;
  }

  template <typename Any>
  void write_titles(const Any& panel) {
    write(svg_, left_ + 4, top_ + 14, "start", "ink panel",
          shortened(panel.title, kFontSize * 1.1, kPanelWidth - 8));
    write(svg_, left_ + 4, top_ + 32, "start", "quiet",
          shortened(panel.y_title, kFontSize, kPanelWidth - 8));
  }

  /// The numbers of the left axis alone, where grid lines would be hidden.
  void write_numbers(const Axis& y, const Box& area) {
    const Scale to_y(y, area.bottom, area.top);
    for (const Tick& tick : y.ticks)
      write(svg_, area.left - 8, to_y(tick.value) + 4, "end", "quiet", tick.text);
  }

  void draw_bands(const Curve& curve, const std::vector<Point>& points, const auto& x,
                  const Scale& y) {
    if (points.empty()) return;
    open_series(svg_, styles_.at(curve.style), curve.name);
    const bool has_errors =
        std::ranges::all_of(points, [](const Point& point) { return drawable(point.error); });
    if (points.size() == 1 && has_errors) {
      const Point& point = points.front();
      draw_whisker(svg_, x(point.x), y(point.y - point.error), y(point.y + point.error), 4);
    } else if (has_errors || curve.filled) {
      std::string outline;
      for (const Point& point : points)
        extend(outline, x(point.x), y(point.y + error_of(point.error)));
      for (const Point& point : points | std::views::reverse)
        extend(outline, x(point.x), y(curve.filled ? 0 : point.y - error_of(point.error)));
      svg_.empty("path", {{"d", outline + "Z"}, {"fill-opacity", curve.filled ? "0.25" : "0.16"}});
    }
    svg_.close();
  }

  void draw(const Curve& curve, const std::vector<Point>& points, const auto& x, const Scale& y,
            std::size_t nth) {
    if (points.empty()) return;
    const SeriesStyle& style = styles_.at(curve.style);
    open_series(svg_, style, curve.name);
    std::string path;
    for (const Point& point : points) extend(path, x(point.x), y(point.y));
    draw_curve(svg_, path, style, "1.75");
    // Smooth curves need no markers. The markers of other curves start at different points, so that
    // they do not meet.
    constexpr std::size_t kSmooth = 40;
    const std::size_t step = std::max<std::size_t>(1, points.size() / kMarkersOfACurve);
    for (std::size_t i = nth % step; i < points.size() && points.size() < kSmooth; i += step) {
      draw_marker(svg_, style, x(points[i].x), y(points[i].y),
                  fmt::format("{}: {}", curve.name, at_text(points[i].y, points[i].x)));
    }
    svg_.close();
  }

  void draw_shade(double x, double y, double width, double height, double value, double largest) {
    svg_.empty("rect", {{"class", value < 0 ? "c1" : "c0"},
                        {"x", length(x)},
                        {"y", length(y)},
                        {"width", length(width)},
                        {"height", length(height)},
                        {"fill-opacity", length(shade_of(value, largest))}});
  }

  void draw_cell(const Cell& cell, const Scale& x, const Scale& y, double largest, bool dotted) {
    const double left = x(cell.x - 0.5), right = x(cell.x + 0.5), top = y(cell.y + 0.5),
                 bottom = y(cell.y - 0.5);
    svg_.open("g", {});
    svg_.text("title", {},
              fmt::format("{}, {}", at_text(cell.value, cell.x), plain_number(cell.y)));
    draw_shade(left, top, right - left - 0.6, bottom - top - 0.6, cell.value, largest);
    if (dotted && cell.value > 0) {
      svg_.empty("circle", {{"class", "ink"},
                            {"cx", length((left + right) / 2)},
                            {"cy", length((top + bottom) / 2)},
                            {"r", "2"}});
    }
    svg_.close();
  }

  /// Draws swatches from the highest value to the lowest.
  void draw_scale(const Box& area, double low, double high) {
    constexpr double kSwatch = 18;
    const double largest = std::max(std::abs(low), std::abs(high));
    std::vector<double> values;
    for (const double share : {1.0, 0.5, 0.2, 0.05}) {
      if (high > 0) values.push_back(high * share);
    }
    values.push_back(0);
    for (const double share : {0.05, 0.2, 0.5, 1.0}) {
      if (low < 0) values.push_back(low * share);
    }
    double y = area.top;
    for (const double value : values) {
      draw_shade(area.right + 10, y, kSwatch, kSwatch, value, largest);
      write(svg_, area.right + 10 + kSwatch + 4, y + 13, "start", "quiet", plain_number(value));
      y += kSwatch + 2;
    }
  }

  Svg& svg_;
  const StyleBook& styles_;
  const double left_, top_;
};

}  // namespace

std::vector<Point> points_to_draw(const Curve& curve, Steps steps) {
  std::vector<Point> points = points_to_draw(curve.points);
  if (steps == Steps::doubling)
    std::erase_if(points, [](const Point& point) { return point.x <= 0; });
  return points;
}

void draw_panel(Svg& svg, const Panel& panel, const StyleBook& styles, double left, double top) {
  std::visit(PanelPlot(svg, styles, left, top), panel);
}

void draw_sample(Svg& svg, const SeriesStyle& style, double x, double y) {
  svg.empty("path", {{"d", fmt::format("M{} {}h{}", length(x), length(y), length(kSampleWidth))},
                     {"fill", "none"},
                     {"stroke", "currentColor"},
                     {"stroke-width", "1.75"},
                     {"stroke-dasharray", std::string(dash_pattern(style))}});
  draw_marker(svg, style, x + kSampleWidth / 2, y, "");
}

}  // namespace allot::figure
