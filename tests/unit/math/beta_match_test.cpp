#include "allot/math/beta_match.hpp"

#include <gtest/gtest.h>

#include "allot/base/rng.hpp"

namespace allot::math::beta_match_test {
namespace {

const double kParameters[] = {1e-100, 1e-3, 0.3, 1, 1.5, 2, 7, 1e3 + 0.1, 1e6, 1e15};

TEST(MatchedAfter, ALabelBeyondDoubtAddsOneCount) {
  for (const double a : kParameters) {
    for (const double b : kParameters) {
      for (const double u : {1.0, 0.3, 1e-200}) {
        EXPECT_EQ(matched_after({a, b}, u, 0), (BetaShape{a + 1, b}));
        EXPECT_EQ(matched_after({a, b}, 0, u), (BetaShape{a, b + 1}));
      }
    }
  }
}

TEST(MatchedAfter, AnUninformativeLabelChangesNothing) {
  for (const double a : kParameters) {
    for (const double u : {1.0, 0.5, 1e-300}) {
      EXPECT_EQ(matched_after({a, 0.7}, u, u), (BetaShape{a, 0.7}));
    }
  }
}

TEST(MatchedAfter, IsTheFractionWorkedOutByHand) {
  // Beta(1,1) and a worker of Beta(4,1): E_1(theta) = 3/5, E_1(theta^2) = 13/30.
  const BetaShape after = matched_after({1, 1}, 0.8, 0.2);
  EXPECT_DOUBLE_EQ(after.a, 15.0 / 11);
  EXPECT_DOUBLE_EQ(after.b, 10.0 / 11);
  EXPECT_DOUBLE_EQ(after.mean(), 3.0 / 5);
}

TEST(MatchedAfter, SwappingTheSidesSwapsTheCounts) {
  Rng rng(1);
  for (int i = 0; i < 10'000; ++i) {
    const double a = 20 * uniform(rng), b = 20 * uniform(rng), u = uniform(rng), v = uniform(rng);
    const BetaShape shape = matched_after({a, b}, u, v), swapped = matched_after({b, a}, v, u);
    EXPECT_EQ(shape, (BetaShape{swapped.b, swapped.a})) << a << " " << b << " " << u << " " << v;
  }
}

TEST(MatchedAfter, DependsOnTheRatioOfTheLikelihoodsOnly) {
  Rng rng(2);
  for (int i = 0; i < 10'000; ++i) {
    const BetaShape shape{20 * uniform(rng), 20 * uniform(rng)};
    const double u = uniform(rng), v = uniform(rng);
    EXPECT_EQ(matched_after(shape, u, v), matched_after(shape, 0x1p-40 * u, 0x1p-40 * v));
  }
}

TEST(MatchedAfter, AddsAtMostOneCountAndMayTakeSomeAway) {  // a surprise widens a belief
  Rng rng(3);
  for (int i = 0; i < 10'000; ++i) {
    const BetaShape shape{20 * uniform(rng), 20 * uniform(rng)};
    const BetaShape after = matched_after(shape, uniform(rng), uniform(rng));
    EXPECT_LE(after.a + after.b, (shape.a + shape.b + 1) * (1 + 1e-15));
    EXPECT_GT(after.a, 0);
    EXPECT_GT(after.b, 0);
  }
  const BetaShape surprised = matched_after({30, 1}, 0.1, 0.9);
  EXPECT_LT(surprised.a + surprised.b, 31);
}

TEST(MatchedAfter, AnImpossibleLabelChangesNothing) {
  EXPECT_EQ(matched_after({1, 1e-300}, 0, 1e-300), (BetaShape{1, 1e-300}));
}

}  // namespace
}  // namespace allot::math::beta_match_test
