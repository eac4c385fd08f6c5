#include "figure/panel_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "figure/text.hpp"

namespace allot::figure {
namespace {

bool can_be_drawn(const Point& point, Steps steps) {
  return drawable(point.x) && drawable(point.y) && (steps == Steps::adding || point.x > 0);
}

std::string in_words(const CurvePanel& panel) {
  std::string text = fmt::format("{} against {}.", panel.y_title, panel.x_title);
  for (const Curve& curve : panel.curves) {
    const auto points = points_to_draw(curve, panel.x_steps);
    if (points.empty()) continue;
    const auto at = [](const Point& point) {
      return fmt::format("{} at {}", plain_number(point.y), plain_number(point.x));
    };
    text += fmt::format(" {}: {}", curve.name, at(points.front()));
    if (points.size() > 1) text += ", " + at(points.back());
    text += '.';
  }
  return text;
}

std::string in_words(const BarPanel& panel) {
  std::string text = fmt::format("{} by {}:", panel.y_title, panel.x_title);
  for (const Bar& bar : panel.bars)
    text += fmt::format(" {} at {};", plain_number(bar.height), plain_number(bar.x));
  return text;
}

std::string in_words(const CellPanel& panel) {
  const auto [low, high] = std::ranges::minmax(panel.cells, {}, &Cell::value);
  return fmt::format("{} by {}, from {} at {}, {} to {} at {}, {}.", panel.y_title, panel.x_title,
                     plain_number(low.value), plain_number(low.x), plain_number(low.y),
                     plain_number(high.value), plain_number(high.x), plain_number(high.y));
}

std::string in_words(const RegionPanel& panel) {
  std::string text = fmt::format("Regions of {} and {}:", panel.x_title, panel.y_title);
  for (const Region& region : panel.regions) text += fmt::format(" {};", region.name);
  return text;
}

}  // namespace

std::vector<Point> points_to_draw(const Curve& curve, Steps steps) {
  std::vector<Point> points = curve.points;
  std::erase_if(points, [&](const Point& point) { return !can_be_drawn(point, steps); });
  std::ranges::stable_sort(points, {}, &Point::x);
  return points;
}

std::string description(const Panel& panel) {
  return std::visit(
      [](const auto& kind) { return fmt::format("{}: {}", kind.title, in_words(kind)); }, panel);
}

}  // namespace allot::figure
