#include "allot/figure/panels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/xml.hpp"

namespace allot::figure::panels_test {
namespace {

using test::Element;
using test::elements;
using test::of_class;
using test::parse_xml;

CurvePanel curves() {
  return {"(a) Beta(1,1)",
          "labels per item",
          "accuracy",
          {{"Opt-KG", "opt-kg", {{5, 0.88, 0.004}, {10, 0.92, 0.003}}},
           {"Uniform", "uniform", {{5, 0.83, 0.004}, {10, 0.88, 0.003}, {12, NAN}}}},
          {0, 1}};
}

TEST(Panels, ShareOneLegend) {
  const PanelFigure figure{"Policies compared", "bands", {curves(), curves()}, 2};
  const Element root = parse_xml(svg_text(figure));
  std::vector<std::string> names;
  for (const Element& text : of_class(root, "text", "name")) names.push_back(text.text);
  EXPECT_EQ(names, (std::vector<std::string>{"Opt-KG", "Uniform"}));
  EXPECT_EQ(of_class(root, "text", "panel").size(), 2U);
  EXPECT_EQ(elements(root, "style").size(), 1U);
}

TEST(Panels, ComeInPiecesForAPage) {
  const Pieces parts = pieces({"Policies compared", "bands", {curves(), curves()}, 2});
  ASSERT_EQ(parts.legend.size(), 2U);
  EXPECT_EQ(parts.legend[0].name, "Opt-KG");
  ASSERT_EQ(parts.panel_svgs.size(), 2U);
  const Element panel = parse_xml(parts.panel_svgs[0]);
  EXPECT_TRUE(elements(panel, "style").empty());
  EXPECT_EQ(panel.children[1].text,
            "(a) Beta(1,1): accuracy against labels per item. Opt-KG: 0.88 at 5, 0.92 at 10. "
            "Uniform: 0.83 at 5, 0.88 at 10.");
  EXPECT_NE(page_style().find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(Panels, DrawABarForEveryNumberWithItsError) {
  const BarPanel bars{
      "(a)", "soft label", "labels", {{0, 2, 0.5}, {0.5, 8, NAN}, {1, 3, 0.25}}, "opt-kg"};
  const Element root = parse_xml(pieces({"", "", {bars}, 1}).panel_svgs[0]);
  const auto rects = elements(root, "rect");
  ASSERT_EQ(rects.size(), 3U);
  const auto height = [&](std::size_t i) { return std::stod(rects[i].attribute("height")); };
  EXPECT_NEAR(height(1) / height(0), 4, 0.01);
}

TEST(Panels, ShadeCellsByTheirDistanceFromZero) {
  const CellPanel cells{"R-", "a", "b", {{1, 1, 0.25}, {2, 1, -0.25}, {2, 2, 0.0625}}};
  const Element root = parse_xml(pieces({"", "", {cells}, 1}).panel_svgs[0]);
  std::vector<Element> shades = elements(root, "rect");
  ASSERT_GE(shades.size(), 3U);
  EXPECT_EQ(shades[0].attribute("class"), "c0");
  EXPECT_EQ(shades[0].attribute("fill-opacity"), "1");
  EXPECT_EQ(shades[1].attribute("class"), "c1");
  EXPECT_EQ(shades[2].attribute("fill-opacity"), "0.5") << "the root of a quarter";
  EXPECT_EQ(elements(root, "circle").size(), 2U) << "a dot where the value is above 0";
}

TEST(Panels, DoubleAlongAnAxisThatDoubles) {
  CurvePanel panel = curves();
  panel.curves = {{"Opt-KG", "opt-kg", {{1, 0.5}, {2, 0.6}, {4, 0.7}, {0, 0.4}}}};
  panel.x_steps = Steps::doubling;
  const Element root = parse_xml(pieces({"", "", {panel}, 1}).panel_svgs[0]);
  std::vector<double> places;
  for (const Element& group : elements(root, "g")) {
    const std::string transform = group.attribute("transform");
    if (!transform.empty()) places.push_back(std::stod(transform.substr(10)));
  }
  ASSERT_EQ(places.size(), 3U) << "nothing doubles from 0";
  EXPECT_NEAR(places[1] - places[0], places[2] - places[1], 0.02);
}

TEST(Panels, NameTheirRegions) {
  const RegionPanel regions{
      "Which item", "theta 2", "theta 3",
      {0, 1},       {0, 1},    {{"ask item 2", {{0, 0}, {1, 0}, {1, 1}}, {0.7, 0.3}, "opt-kg"}}};
  const Element root = parse_xml(svg_text({"Toy", "", {regions}, 1}));
  bool named = false;
  for (const Element& text : elements(root, "text")) named = named || text.text == "ask item 2";
  EXPECT_TRUE(named);
}

}  // namespace
}  // namespace allot::figure::panels_test
