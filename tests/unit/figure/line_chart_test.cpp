#include "allot/figure/line_chart.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/xml.hpp"

namespace allot::figure::line_chart_test {
namespace {

using test::Element;
using test::elements;
using test::of_class;

LineChart small_chart() {
  return {"Share of right answers",
          "50 items",
          "labels per item",
          "accuracy",
          {{"opt-kg", {{5, 0.88, 0.004}, {10, 0.92, 0.003}, {20, 0.95, 0.002}}},
           {"uniform", {{5, 0.83, 0.004}, {10, 0.88, 0.003}, {20, 0.92, 0.003}}}},
          50,
          {0, 1}};
}

Element drawn(const LineChart& chart) { return test::parse_xml(svg_text(chart)); }

/// Semi-transparent shapes.
std::size_t bands(const Element& root) {
  std::size_t count = 0;
  for (const Element& path : elements(root, "path"))
    count += path.attributes.contains("fill-opacity");
  return count;
}

std::vector<std::string> texts(const std::vector<Element>& found) {
  std::vector<std::string> result;
  for (const Element& element : found) result.push_back(element.text);
  return result;
}

TEST(LineChart, DescribesItselfInWords) {
  const Element root = drawn(small_chart());
  EXPECT_EQ(root.attribute("role"), "img");
  ASSERT_GE(root.children.size(), 2U);
  EXPECT_EQ(root.children[0].name, "title");
  EXPECT_EQ(root.children[0].text, "Share of right answers");
  EXPECT_EQ(root.children[1].name, "desc");
  EXPECT_EQ(root.children[1].text,
            "Line chart of accuracy against labels per item. opt-kg: 0.88 at 5, 0.95 at 20. "
            "uniform: 0.83 at 5, 0.92 at 20.");
}

TEST(LineChart, NamesLinesAtTheirEndsAndDrawsTheirBands) {
  const Element root = drawn(small_chart());
  EXPECT_EQ(texts(of_class(root, "text", "name")), (std::vector<std::string>{"opt-kg", "uniform"}));
  EXPECT_EQ(bands(root), 2U);
}

TEST(LineChart, ShowsTheXAxisInBothUnits) {
  const std::string text = svg_text(small_chart());
  for (const char* number : {">5<", ">10<", ">20<", ">250<", ">500<", ">1,000<"})
    EXPECT_NE(text.find(number), std::string::npos) << number;
}

TEST(LineChart, IsSelfContainedAndSuitsLightDarkAndPrint) {
  const std::string text = svg_text(small_chart());
  for (const char* word : {"<script", "href", "url(", "@import", "<image", "onload"})
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  EXPECT_NE(text.find("@media screen and (prefers-color-scheme:dark)"), std::string::npos);
}

TEST(LineChart, EscapesHostileNames) {
  LineChart chart = small_chart();
  const std::string hostile = "</text><script>alert(\"1\")</script>&amp;\x01\xff";
  chart.title = chart.series[0].name = hostile;
  const Element root = drawn(chart);
  EXPECT_TRUE(elements(root, "script").empty());
  EXPECT_EQ(root.children[0].text, "</text><script>alert(\"1\")</script>&amp;��");
}

TEST(LineChart, DrawsNoBandWhereTheErrorIsUnknown) {
  LineChart chart = small_chart();
  for (Point& point : chart.series[0].points) point.error = NAN;
  EXPECT_EQ(bands(drawn(chart)), 1U);
  EXPECT_EQ(svg_text(chart).find("nan"), std::string::npos);
}

TEST(LineChart, LeavesOutPointsThatCannotBeDrawn) {
  LineChart chart = small_chart();
  chart.series[0].points[1].y = NAN;
  chart.series[1].points = {{INFINITY, 1, 0}, {1, -INFINITY, 0}};
  const Element root = drawn(chart);
  EXPECT_EQ(texts(of_class(root, "text", "name")), (std::vector<std::string>{"opt-kg"}));
  EXPECT_EQ(svg_text(chart).find("inf"), std::string::npos);
}

TEST(LineChart, DrawsPointsByPlaceNotByOrder) {
  LineChart chart = small_chart(), turned = small_chart();
  std::ranges::reverse(turned.series[0].points);
  EXPECT_EQ(svg_text(chart), svg_text(turned));
}

TEST(LineChart, DrawsSinglePointsWithErrorBars) {
  LineChart chart = small_chart();
  for (Series& series : chart.series) series.points.resize(1);
  const Element root = drawn(chart);
  EXPECT_EQ(bands(root), 0U);
  EXPECT_EQ(texts(of_class(root, "text", "name")).size(), 2U);
}

TEST(LineChart, MarksPointsOnlyWhereTheyAreFew) {
  LineChart few = small_chart(), many = small_chart();
  for (int i = 1; i <= 40; ++i) many.series[0].points.push_back({20.0 + i, 0.95, 0.001});
  // Each line has one marker beside its name.
  EXPECT_EQ(elements(drawn(few), "g").size() - elements(drawn(many), "g").size(), 3U);
}

TEST(LineChart, IsDrawnEvenWithoutPoints) {
  EXPECT_NO_THROW(drawn({}));
  EXPECT_NO_THROW(drawn({"t", "s", "x", "y", {{"kg", {}}}, 0, {0, 1}}));
}

TEST(LineChart, StaysWithinItsLimits) {
  LineChart chart = small_chart();
  chart.series[0].points.back() = {20, 1, 0.5};
  const std::string text = svg_text(chart);
  EXPECT_EQ(text.find(">1.2<"), std::string::npos);
  EXPECT_NE(text.find(">1.0<"), std::string::npos);
}

TEST(LineChart, ShadesAndLabelsTheRegionAboveTheCeiling) {
  LineChart chart = small_chart();
  const std::size_t without = bands(drawn(chart));
  chart.ceiling = "opt-kg";
  chart.beyond = "nobody gets here";
  EXPECT_EQ(bands(drawn(chart)), without + 1);
  const std::string text = svg_text(chart);
  EXPECT_NE(text.find(">shaded: nobody gets here</text>"), std::string::npos);
  EXPECT_NE(text.find("Above opt-kg: nobody gets here."), std::string::npos);
  chart.ceiling = "of no series";
  EXPECT_EQ(bands(drawn(chart)), without);
}

}  // namespace
}  // namespace allot::figure::line_chart_test
