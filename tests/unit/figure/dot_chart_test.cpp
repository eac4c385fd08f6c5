#include "allot/figure/dot_chart.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/xml.hpp"

namespace allot::figure::dot_chart_test {
namespace {

const DotChart kChart{"Share of right answers",
                      "50 items",
                      "accuracy",
                      {{"uniform", 0.8795, 0.0031}, {"opt-kg", 0.9241, 0.0029}},
                      {0, 1}};

TEST(DotChart, HasOneRowPerNameWithItsValue) {
  const test::Element root = test::parse_xml(svg_text(kChart));
  const auto names = test::of_class(root, "text", "name");
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[1].text, "opt-kg");
  EXPECT_LT(std::stod(names[0].attribute("y")), std::stod(names[1].attribute("y")));
  EXPECT_EQ(root.children[1].text,
            "Dot chart of accuracy. uniform: 0.8795 ±0.0031. opt-kg: 0.9241 ±0.0029.");
}

TEST(DotChart, TakesUnknownErrorsAndValues) {
  DotChart chart = kChart;
  chart.dots[0].error = NAN;
  chart.dots[1].value = NAN;
  const std::string text = svg_text(chart);
  EXPECT_NO_THROW(test::parse_xml(text));
  EXPECT_EQ(text.find("nan"), std::string::npos);
  chart.dots.clear();
  EXPECT_NO_THROW(test::parse_xml(svg_text(chart)));
}

}  // namespace
}  // namespace allot::figure::dot_chart_test
