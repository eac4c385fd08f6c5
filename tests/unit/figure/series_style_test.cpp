#include "allot/figure/series_style.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace allot::figure::series_style_test {
namespace {

TEST(SeriesStyles, AreTheSameInEveryFigure) {
  const std::vector<SeriesStyle> few = series_styles(std::vector<std::string>{"opt-kg", "uniform"});
  const std::vector<SeriesStyle> more =
      series_styles(std::vector<std::string>{"kg", "uniform", "my own", "opt-kg"});
  EXPECT_EQ(few[0], more[3]);
  EXPECT_EQ(few[1], more[1]);
  EXPECT_EQ(more[2], series_styles(std::vector<std::string>{"my own"})[0]);
}

TEST(SeriesStyles, DifferWithoutColour) {
  std::vector<std::string> names{"uniform", "kg",  "opt-kg",  "pessimistic-kg",
                                 "lu",      "nlu", "gittins", "dp"};
  while (names.size() < 36) names.push_back("policy " + std::to_string(names.size()));
  std::set<std::pair<std::size_t, std::size_t>> shapes;
  for (const SeriesStyle& style : series_styles(names)) shapes.emplace(style.dashes, style.marker);
  EXPECT_EQ(shapes.size(), names.size());
}

TEST(SeriesStyles, OfRelatedNamesHaveDifferentDashes) {
  const std::vector<std::string> names{"cvar:0.1", "cvar:0.2", "cvar:0.3", "cvar:0.5", "cvar:0.9"};
  std::set<std::size_t> dashes;
  for (const SeriesStyle& style : series_styles(names)) dashes.insert(style.dashes);
  EXPECT_EQ(dashes.size(), names.size());
}

TEST(SeriesStyles, OfOtherNamesNeverTakeTheColourOfAKnownPolicy) {
  const std::vector<SeriesStyle> mixed = series_styles(std::vector<std::string>{
      "uniform", "kg", "opt-kg", "pessimistic-kg", "lu", "nlu", "gittins", "dp", "a", "b", "c"});
  for (std::size_t known = 0; known < 8; ++known) {
    for (std::size_t other = 8; other < mixed.size(); ++other)
      EXPECT_NE(mixed[known].colour, mixed[other].colour);
  }
}

TEST(SeriesStyles, OfNamesThatDifferAfterAColonShareAColour) {
  const std::vector<SeriesStyle> pair =
      series_styles(std::vector<std::string>{"cvar:0.3", "cvar:0.7"});
  EXPECT_EQ(pair[0].colour, pair[1].colour);
  EXPECT_NE(pair[0], pair[1]);
}

TEST(SeriesStyles, ExistForMoreSeriesThanCanDiffer) {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back(std::to_string(i));
  EXPECT_EQ(series_styles(names).size(), 100U);
}

/// Relative luminance of "#rrggbb", as WCAG 2 defines it.
double luminance(std::string_view colour) {
  const auto part = [&](std::size_t at) {
    const double share = std::stoi(std::string(colour.substr(at, 2)), nullptr, 16) / 255.0;
    return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

TEST(Palette, ContrastsWithThePaper) {
  for (const Colour& colour : palette()) {
    EXPECT_GE(1.05 / (luminance(colour.on_light) + 0.05), 3) << colour.on_light;
    EXPECT_GE((luminance(colour.on_dark) + 0.05) / (luminance("#15171a") + 0.05), 3)
        << colour.on_dark;
  }
}

}  // namespace
}  // namespace allot::figure::series_style_test
