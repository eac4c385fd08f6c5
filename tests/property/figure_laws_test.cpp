// Laws of figures: no two texts overlap and none leaves the paper, for any content.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "allot/figure/dot_chart.hpp"
#include "allot/figure/line_chart.hpp"
#include "allot/figure/panels.hpp"
#include "figure/text.hpp"
#include "support/xml.hpp"

namespace allot::figure::figure_laws_test {
namespace {

struct Rectangle {
  double left, top, right, bottom;
  std::string text;

  bool meets(const Rectangle& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// The room of a text, from its anchor and the width that a wide font would take.
Rectangle room(const test::Element& text) {
  const double x = std::stod(text.attribute("x")), y = std::stod(text.attribute("y"));
  const bool title = text.attribute("class").find("title") != std::string::npos;
  const double size = title ? 16 * 1.1 : 12, width = text_width(text.text, size);
  const std::string anchor = text.attribute("text-anchor");
  const double left = anchor == "end" ? x - width : anchor == "middle" ? x - width / 2 : x;
  return {left, y - 0.8 * size, left + width, y + 0.2 * size, text.text};
}

void check_texts(const std::string& svg) {
  const test::Element root = test::parse_xml(svg);
  std::vector<Rectangle> rooms;
  for (const test::Element& text : test::elements(root, "text")) {
    if (!text.text.empty()) rooms.push_back(room(text));
  }
  const double width = std::stod(root.attribute("width")),
               height = std::stod(root.attribute("height"));
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    const Rectangle& room = rooms[i];
    if (room.left < 0 || room.right > width || room.top < 0 || room.bottom > height)
      RC_FAIL("'" + room.text + "' leaves the paper");
    for (std::size_t k = 0; k < i; ++k) {
      if (room.meets(rooms[k])) RC_FAIL("'" + room.text + "' meets '" + rooms[k].text + "'");
    }
  }
}

/// A number of any size, often equal to another.
double any_number() {
  const int kind = *rc::gen::inRange(0, 10);
  if (kind == 0) return 0;
  if (kind == 1) return NAN;
  const double digits = *rc::gen::inRange(-999, 1000);
  return digits * std::pow(10, *rc::gen::inRange(-15, 16));
}

std::string any_name() {
  return *rc::gen::element<std::string>("opt-kg", "uniform", "cvar:0.7", "<&>", "W",
                                        "a name that goes on and on and on for ever and ever",
                                        "名前", "\xff\x01", "");
}

RC_GTEST_PROP(LineChart, KeepsItsTextsApartAndOnThePaper, ()) {
  LineChart chart{any_name(), "mean of 200 runs", "labels per item", "accuracy", {}, 0, {}};
  chart.y_limits = kEverywhere;
  chart.x_unit = *rc::gen::element(0.0, 1.0, 50.0, 7919.0, 1e6);
  const double scale = std::pow(10, *rc::gen::inRange(-12, 13)),
               offset = *rc::gen::element(0.0, 1.0, 1e5) * 1000 * scale;
  const int series = *rc::gen::inRange(0, 14), points = *rc::gen::inRange(1, 25);
  for (int i = 0; i < series; ++i) {
    chart.series.push_back({any_name(), {}});
    for (int k = 0; k < points; ++k) {
      const double x = offset + *rc::gen::inRange(0, 100) * scale;
      chart.series.back().points.push_back({x, any_number(), any_number()});
    }
  }
  check_texts(svg_text(chart));
}

RC_GTEST_PROP(DotChart, KeepsItsTextsApartAndOnThePaper, ()) {
  DotChart chart{any_name(), any_name(), "accuracy", {}, kEverywhere};
  const int dots = *rc::gen::inRange(0, 14);
  for (int i = 0; i < dots; ++i) chart.dots.push_back({any_name(), any_number(), any_number()});
  check_texts(svg_text(chart));
}

/// Numbers as in figures of several panels.
double modest_number(double scale) {
  return *rc::gen::inRange(0, 20) == 0 ? NAN : *rc::gen::inRange(-100, 101) * scale;
}

RC_GTEST_PROP(Panels, KeepTheirTextsApartAndOnThePaper, ()) {
  PanelFigure figure{any_name(), "bands", {}, *rc::gen::inRange<std::size_t>(1, 4)};
  const int panels = *rc::gen::inRange(1, 6);
  for (int i = 0; i < panels; ++i) {
    const double x_scale = *rc::gen::element(0.01, 1.0, 80.0),
                 y_scale = *rc::gen::element(1e-5, 0.01, 1.0, 1e4);
    CurvePanel curves{any_name(), "labels per item", "accuracy", {}};
    BarPanel bars{any_name(), "soft label", "labels", {}, "opt-kg"};
    const int series = *rc::gen::inRange(0, 6), points = *rc::gen::inRange(1, 25);
    for (int k = 0; k < series; ++k) {
      curves.curves.push_back({any_name(), any_name(), {}});
      for (int n = 0; n < points; ++n) {
        curves.curves.back().points.push_back(
            {modest_number(x_scale), modest_number(y_scale), modest_number(y_scale)});
        bars.bars.push_back(
            {modest_number(x_scale), modest_number(y_scale), modest_number(y_scale)});
      }
    }
    if (*rc::gen::arbitrary<bool>()) {
      figure.panels.emplace_back(curves);
    } else {
      figure.panels.emplace_back(bars);
    }
  }
  check_texts(svg_text(figure));
  for (const std::string& panel : pieces(figure).panel_svgs) check_texts(panel);
}

RC_GTEST_PROP(Axis, CoversTheDataWithFewDifferentTicks, ()) {
  double low = any_number(), high = any_number();
  RC_PRE(drawable(low) && drawable(high));
  if (low > high) std::swap(low, high);
  const auto most = *rc::gen::inRange<std::size_t>(3, 12);
  const Ends ends = *rc::gen::element(Ends::at_data, Ends::at_ticks);
  const Axis axis = nice_axis({low, high}, most, ends);
  RC_ASSERT(axis.low <= low);
  RC_ASSERT(axis.high >= high);
  RC_ASSERT(axis.low < axis.high);
  RC_ASSERT(axis.ticks.size() >= (ends == Ends::at_ticks ? 2U : 1U));
  RC_ASSERT(axis.ticks.size() <= most);
  std::set<std::string> texts;
  for (const Tick& tick : axis.ticks) {
    texts.insert(tick.text);
    RC_ASSERT(tick.value >= axis.low - (axis.high - axis.low) * 1e-6);
    RC_ASSERT(tick.value <= axis.high + (axis.high - axis.low) * 1e-6);
  }
  RC_ASSERT(texts.size() == axis.ticks.size());
}

}  // namespace
}  // namespace allot::figure::figure_laws_test
