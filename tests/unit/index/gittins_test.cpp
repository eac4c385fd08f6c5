#include "allot/index/gittins.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "allot/index/knowledge_gradient.hpp"
#include "support/beliefs.hpp"

namespace allot::index::gittins_test {
namespace {

using test::beta_belief;

TEST(Gittins, IsTheExpectedRewardWhereOneLabelCanChangeTheAnswer) {
  const Index index = gittins(0.99);
  for (std::uint32_t a : {1U, 2U, 7U, 30U})
    EXPECT_NEAR(index(beta_belief(a, a)), kg(beta_belief(a, a)), 1e-12);
}

TEST(Gittins, OneStepFromTheTieHasAClosedForm) {
  // Pay until the tie is reached or missed: lambda (1 + delta q) = delta q R, as no state beyond is
  // worth that much.
  const double discount = 0.99;
  const Index index = gittins(discount);
  for (std::uint32_t b : {1U, 2U, 9U}) {
    const double q = static_cast<double>(b) / (2 * b + 1);
    const double reward = kg(beta_belief(b + 1, b + 1));
    EXPECT_NEAR(index(beta_belief(b + 1, b)), discount * q * reward / (1 + discount * q), 1e-12)
        << b;
  }
}

TEST(Gittins, WithoutAFutureIsKg) {
  const Index index = gittins(0);
  EXPECT_EQ(index(beta_belief(3, 3)), kg(beta_belief(3, 3)));
  EXPECT_EQ(index(beta_belief(4, 3)), 0);
}

TEST(Gittins, WithoutADiscountIsTheLimit) {
  const Index limit = gittins(1), near = gittins(1 - 1e-10);
  for (std::uint32_t a = 1; a <= 6; ++a) {
    EXPECT_NEAR(limit(beta_belief(a, 2)), near(beta_belief(a, 2)), 1e-9) << a;
  }
}

TEST(Gittins, FallsWithTheMarginAndIsMirrored) {
  const Index index = gittins(0.998);
  for (std::uint32_t margin = 0; margin < 12; ++margin) {
    EXPECT_GT(index(beta_belief(4 + margin, 4)), index(beta_belief(5 + margin, 4))) << margin;
    EXPECT_NEAR(index(beta_belief(4 + margin, 4)), index(beta_belief(4, 4 + margin)), 1e-12)
        << margin;
  }
}

TEST(Gittins, FallsSmoothlyAwayFromTheTie) {
  // Neighbouring ratios change slowly; a horizon that is too short shows as a jump.
  const Index index = gittins(1 - 1 / 5000.0);
  for (const std::uint32_t labels : {50U, 200U, 500U}) {
    double last = index(beta_belief(labels / 2, labels / 2)), last_ratio = 0;
    for (std::uint32_t step = 1; step <= 8; ++step) {
      const double here = index(beta_belief(labels / 2 + step, labels / 2 - step)),
                   ratio = here / last;
      EXPECT_GT(ratio, last_ratio * 0.9) << labels << " " << step;
      EXPECT_LT(ratio, 1) << labels << " " << step;
      last = here;
      last_ratio = ratio;
    }
  }
}

TEST(Gittins, IsNeverAboveItsBound) {
  const Index index = gittins(0.999);
  for (std::uint32_t a = 1; a <= 12; ++a) {
    for (std::uint32_t b = 1; b <= a; ++b) {
      EXPECT_LE(index(beta_belief(a, b)), index.bound(beta_belief(a, b)) + 1e-12) << a << " " << b;
    }
  }
  const model::Prior odd = model::Prior::beta(0.3, 1.2), mixture = test::skewed_mixture();
  for (const model::Prior* prior : {&odd, &mixture}) {
    for (std::uint32_t positive = 0; positive <= 5; ++positive) {
      for (std::uint32_t negative = 0; negative <= 5; ++negative) {
        const model::ItemBelief belief{prior, {positive, negative}};
        EXPECT_LE(index(belief), index.bound(belief) + 1e-12) << positive << ":" << negative;
      }
    }
  }
}

TEST(Gittins, OfFarStatesIsNegligibleAndQuick) {
  const Index index = gittins(0.999);
  EXPECT_EQ(index(beta_belief(60, 1)), 0);
  EXPECT_EQ(index(beta_belief(100000, 1)), 0);
  const model::Prior distant = model::Prior::beta(1e9, 999940000);
  EXPECT_LT(index({&distant, {0, 0}}), 1e-9);
  const model::Prior haldane = model::Prior::haldane();
  EXPECT_EQ(index({&haldane, {5, 0}}), 0);
  EXPECT_EQ(index({&haldane, {0, 0}}), 0.5);
}

TEST(Gittins, GivesTheSameNumbersToEveryThread) {
  const Index shared = gittins(0.99), alone = gittins(0.99);
  std::vector<std::vector<double>> found(4);
  {
    std::vector<std::jthread> threads;
    for (auto& values : found) {
      threads.emplace_back([&] {
        for (std::uint32_t a = 1; a < 12; ++a) {
          for (std::uint32_t b = 1; b < 12; ++b) values.push_back(shared(beta_belief(a, b)));
        }
      });
    }
  }
  std::vector<double> expected;
  for (std::uint32_t a = 1; a < 12; ++a) {
    for (std::uint32_t b = 1; b < 12; ++b) expected.push_back(alone(beta_belief(a, b)));
  }
  for (const auto& values : found) EXPECT_EQ(values, expected);
}

TEST(Gittins, RefusesADiscountOutsideItsRange) {
  EXPECT_THROW(gittins(-0.1), std::invalid_argument);
  EXPECT_THROW(gittins(1.1), std::invalid_argument);
}

}  // namespace
}  // namespace allot::index::gittins_test
