#include "allot/model/features.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace allot::model::features_test {
namespace {

const Features kSmall{3, {"length", "source", "age"}, {1, 5, 10, 2, 5, 30, 6, 5, 20}};

TEST(Features, AreStandardisedBehindAnIntercept) {
  const Design design = prepare(kSmall).value();
  EXPECT_EQ(design.item_count, 3U);
  EXPECT_EQ(design.columns, (std::vector<std::string>{"(intercept)", "length", "age"}));
  ASSERT_EQ(design.values.size(), 9U);
  for (std::size_t j = 1; j < 3; ++j) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(design.values[3 * i], 1);
      mean += design.values[3 * i + j] / 3;
      square += design.values[3 * i + j] * design.values[3 * i + j] / 3;
    }
    EXPECT_NEAR(mean, 0, 1e-15);
    EXPECT_NEAR(square, 1, 1e-15);
  }
  EXPECT_NEAR(design.values[1], -2 / std::sqrt(14.0 / 3), 1e-15);  // 1 among 1, 2, 6
}

TEST(Features, ThatAreTheSameForEveryItemAreLeftOutWithANote) {
  EXPECT_EQ(prepare(kSmall)->note(), "left out, the same for every item: 'source'");
  EXPECT_EQ(prepare({2, {"a"}, {1, 2}})->note(), "");
  const Features noise{3, {"sum"}, {0.1 + 0.2, 0.3, 0.3}};
  EXPECT_EQ(prepare(noise)->dropped.size(), 1U);
}

TEST(Features, StayAsTheyAreIfAskedFor) {
  const Design raw = prepare(kSmall, {.standardise = false, .intercept = false}).value();
  EXPECT_EQ(raw.values, kSmall.values);
  EXPECT_EQ(raw.columns, kSmall.names);
  const Design units = prepare(kSmall, {.standardise = false}).value();
  EXPECT_EQ(units.values, (std::vector<double>{1, 1, 10, 1, 2, 30, 1, 6, 20}));
}

TEST(Features, MayBeLargeOrSmall) {
  const Design design =
      prepare({3, {"a", "b"}, {1e308, 1e-300, -1e308, 2e-300, 0, 6e-300}}).value();
  for (const double x : design.values) EXPECT_LT(std::abs(x), 2);
}

TEST(Features, MustBeFinite) {
  const auto design = prepare({2, {"a", "b"}, {1, 2, 3, NAN}});
  ASSERT_FALSE(design);
  EXPECT_EQ(design.error().message, "feature 'b' of item 1 is nan; expected a finite number");
}

TEST(Features, MustLeaveSomething) {
  EXPECT_FALSE(prepare({2, {"a"}, {7, 7}}, {.intercept = false}));
  EXPECT_EQ(prepare({2, {"a"}, {7, 7}})->column_count, 1U);
  EXPECT_EQ(prepare({2, {}, {}})->column_count, 1U);
  EXPECT_THROW(prepare({2, {"a"}, {7}}).value(), std::invalid_argument);
}

TEST(Features, AreOfAnySizeOnlyIfStandardised) {
  const Features large{3, {"a", "b"}, {1, 1e100, 2, -1e101, 3, 0}};
  EXPECT_TRUE(prepare(large));
  EXPECT_EQ(prepare(large, {.standardise = false}).error().message,
            "feature 'b' of item 1 is -1e+101; expected at most 1e100 in size where it is not "
            "standardised");
}

}  // namespace
}  // namespace allot::model::features_test
