#include "figure/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "figure/text.hpp"

namespace allot::figure {
namespace {

constexpr double kTitleLine = 21, kTickLength = 5;

/// `.allot-figure .c0{color:#005a9e}` and so on, for light or dark paper.
std::string colour_rules(bool dark) {
  struct Rule {
    std::string_view kind, on_light, on_dark;
  };
  constexpr Rule kRules[] = {{"paper", "#ffffff", "#15171a"},
                             {"ink", "#1c1c1c", "#ededed"},
                             {"quiet", "#5a5a5a", "#b0b3b8"},
                             {"grid", "#e4e4e4", "#2b2e33"},
                             {"axis", "#808080", "#80848a"}};
  const auto rule = [](std::string_view kind, std::string_view colour) {
    return fmt::format(".allot-figure .{}{{color:{}}}\n", kind, colour);
  };
  std::string text;
  for (const auto& [kind, on_light, on_dark] : kRules)
    text += rule(kind, dark ? on_dark : on_light);
  for (std::size_t i = 0; i < palette().size(); ++i)
    text += rule(fmt::format("c{}", i), dark ? palette()[i].on_dark : palette()[i].on_light);
  return text;
}

std::vector<std::string> title_lines(const Headings& headings, double width) {
  // Bold letters are wider.
  return wrapped(headings.title, kTitleSize * 1.1, width - 2 * kMargin);
}

std::vector<std::string> subtitle_lines(const Headings& headings, double width) {
  if (headings.subtitle.empty()) return {};
  return wrapped(headings.subtitle, kFontSize, width - 2 * kMargin);
}

/// A tick in another unit, to hundredths below a hundred, else in whole numbers.
std::string in_unit(double value, double unit) {
  const double product = value * unit, size = std::abs(product);
  if (size < 1) return plain_number(product);
  return plain_number(size < 100 ? std::round(100 * product) / 100 : std::round(product));
}

}  // namespace

std::string length(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

void Svg::begin(std::string_view name, Attributes attributes) {
  document_ += fmt::format("{:{}}<{}", "", open_.size(), name);
  for (const auto& [key, value] : attributes) {
    if (!value.empty()) document_ += fmt::format(" {}=\"{}\"", key, escaped(value));
  }
}

void Svg::open(std::string_view name, Attributes attributes) {
  begin(name, attributes);
  document_ += ">\n";
  open_.emplace_back(name);
}

void Svg::close() {
  const std::string name = std::move(open_.back());
  open_.pop_back();
  document_ += fmt::format("{:{}}</{}>\n", "", open_.size(), name);
}

void Svg::empty(std::string_view name, Attributes attributes) {
  begin(name, attributes);
  document_ += "/>\n";
}

void Svg::text(std::string_view name, Attributes attributes, std::string_view content) {
  begin(name, attributes);
  document_ += fmt::format(">{}</{}>\n", escaped(content), name);
}

void Svg::raw(std::string_view name, std::string_view content) {
  begin(name, {});
  document_ += fmt::format(">\n{}</{}>\n", content, name);
}

std::string style_sheet() {
  return fmt::format(
      ".allot-figure{{font:{}px \"Helvetica Neue\",Helvetica,Arial,\"Liberation Sans\",sans-serif;"
      "fill:currentColor}}\n"
      ".allot-figure .title{{font-size:{}px;font-weight:bold}}\n"
      ".allot-figure .panel{{font-weight:bold}}\n"
      "{}@media screen and (prefers-color-scheme:dark){{\n{}}}\n",
      kFontSize, kTitleSize, colour_rules(false), colour_rules(true));
}

double headings_bottom(const Headings& headings, double width) {
  return kMargin + kTitleLine * static_cast<double>(title_lines(headings, width).size()) +
         kLine * static_cast<double>(subtitle_lines(headings, width).size());
}

void open_root(Svg& svg, const Headings& headings, double height, double width) {
  svg.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                   {"class", "allot-figure"},
                   {"role", "img"},
                   {"width", length(width)},
                   {"height", length(height)},
                   {"viewBox", fmt::format("0 0 {} {}", length(width), length(height))}});
  svg.text("title", {}, headings.title);
  svg.text("desc", {}, headings.description);
}

Svg begin_figure(const Headings& headings, double height, double width) {
  Svg svg;
  open_root(svg, headings, height, width);
  svg.raw("style", style_sheet());
  svg.empty("rect", {{"class", "paper"}, {"width", length(width)}, {"height", length(height)}});
  double y = kMargin - 3;
  for (const std::string& line : title_lines(headings, width))
    write(svg, kMargin, y += kTitleLine, "start", "ink title", line);
  for (const std::string& line : subtitle_lines(headings, width))
    write(svg, kMargin, y += kLine, "start", "quiet", line);
  return svg;
}

void write(Svg& svg, double x, double y, const std::string& anchor, const std::string& kind,
           std::string_view text) {
  svg.text("text",
           {{"class", kind},
            {"x", length(x)},
            {"y", length(y)},
            {"text-anchor", anchor == "start" ? "" : anchor}},
           text);
}

void draw_line(Svg& svg, double x1, double y1, double x2, double y2, double width) {
  svg.empty("path",
            {{"d", fmt::format("M{} {}L{} {}", length(x1), length(y1), length(x2), length(y2))},
             {"stroke", "currentColor"},
             {"stroke-width", length(width)}});
}

void draw_whisker(Svg& svg, double x, double low, double high, double half_width) {
  draw_line(svg, x, low, x, high, 1.25);
  for (const double y : {low, high}) draw_line(svg, x - half_width, y, x + half_width, y, 1.25);
}

void extend(std::string& outline, double x, double y) {
  outline += fmt::format("{}{} {}", outline.empty() ? 'M' : 'L', length(x), length(y));
}

void draw_curve(Svg& svg, const std::string& outline, const SeriesStyle& style,
                const std::string& width) {
  svg.empty("path", {{"d", outline},
                     {"fill", "none"},
                     {"stroke", "currentColor"},
                     {"stroke-width", width},
                     {"stroke-linejoin", "round"},
                     {"stroke-dasharray", std::string(dash_pattern(style))}});
}

void draw_left_axis(Svg& svg, const Axis& axis, const Box& box) {
  const Scale y(axis, box.bottom, box.top);
  svg.open("g", {{"class", "grid"}});
  for (const Tick& tick : axis.ticks)
    draw_line(svg, box.left, y(tick.value), box.right, y(tick.value), 1);
  svg.close();
  for (const Tick& tick : axis.ticks)
    write(svg, box.left - 8, y(tick.value) + 4, "end", "quiet", tick.text);
}

void draw_bottom_axis(Svg& svg, const Axis& axis, const Box& box, double unit,
                      const std::string& title) {
  const Scale x(axis, box.left, box.right);
  svg.open("g", {{"class", "axis"}});
  draw_line(svg, box.left, box.bottom, box.right, box.bottom, 1);
  for (const Tick& tick : axis.ticks)
    draw_line(svg, x(tick.value), box.bottom, x(tick.value), box.bottom + kTickLength, 1);
  svg.close();
  const double foot = box.bottom + kTickLength + kFontSize + 2;
  for (const Tick& tick : axis.ticks) {
    write(svg, x(tick.value), foot, "middle", unit == 0 ? "quiet" : "ink", tick.text);
    if (unit != 0)
      write(svg, x(tick.value), foot + kLine, "middle", "quiet", in_unit(tick.value, unit));
  }
  write(svg, (box.left + box.right) / 2, box.bottom + bottom_axis_height(unit) - kMargin + 2,
        "middle", "quiet", shortened(title, kFontSize, box.right - box.left));
}

double bottom_axis_height(double unit) {
  return kTickLength + kFontSize + 2 + (unit == 0 ? 0 : kLine) + kLine + kMargin;
}

double widest_tick(const Axis& axis, double unit) {
  double width = 0;
  for (const Tick& tick : axis.ticks) {
    width = std::max(width, text_width(tick.text, kFontSize));
    if (unit != 0) width = std::max(width, text_width(in_unit(tick.value, unit), kFontSize));
  }
  return width;
}

bool ticks_keep_apart(const Axis& axis, double width, double unit) {
  const Scale x(axis, 0, width);
  const double needed = widest_tick(axis, unit) + 14;
  const auto collide = [&](const Tick& tick, const Tick& next) {
    return tick.text == next.text || x(next.value) - x(tick.value) < needed;
  };
  return std::ranges::adjacent_find(axis.ticks, collide) == axis.ticks.end();
}

Axis roomy_axis(Range data, std::size_t most, Ends ends, double width, double unit, Range limits) {
  Axis axis = nice_axis(data, most, ends, limits);
  while (most > 3 && !ticks_keep_apart(axis, width, unit))
    axis = nice_axis(data, --most, ends, limits);
  // Even three long numbers can be too wide: the last ones go.
  while (axis.ticks.size() > 1 && !ticks_keep_apart(axis, width, unit)) axis.ticks.pop_back();
  return axis;
}

double error_of(double error) { return drawable(error) ? std::abs(error) : 0; }

std::string at_text(double value, double place) {
  return fmt::format("{} at {}", plain_number(value), plain_number(place));
}

std::string ends_text(const std::vector<Point>& points) {
  const Point &first = points.front(), &last = points.back();
  const std::string text = at_text(first.y, first.x);
  return points.size() == 1 ? text : fmt::format("{}, {}", text, at_text(last.y, last.x));
}

std::vector<Point> points_to_draw(std::vector<Point> points) {
  std::erase_if(points,
                [](const Point& point) { return !drawable(point.x) || !drawable(point.y); });
  std::ranges::stable_sort(points, {}, &Point::x);
  return points;
}

void open_series(Svg& svg, const SeriesStyle& style, const std::string& name) {
  svg.open("g", {{"class", fmt::format("c{}", style.colour)}});
  svg.text("title", {}, name);
}

void draw_marker(Svg& svg, const SeriesStyle& style, double x, double y,
                 const std::string& tooltip) {
  svg.open("g", {{"transform", fmt::format("translate({} {})", length(x), length(y))}});
  if (!tooltip.empty()) svg.text("title", {}, tooltip);
  svg.empty("path", {{"d", std::string(marker_outline(style))}});
  svg.close();
}

}  // namespace allot::figure
