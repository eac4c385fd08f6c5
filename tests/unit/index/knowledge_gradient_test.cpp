#include "allot/index/knowledge_gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support/beliefs.hpp"

namespace allot::index::knowledge_gradient_test {
namespace {

using test::beta_belief;

TEST(Reward, MatchesTheToyTable) {  // [CLZ tab:toy]
  const Reward first = reward(beta_belief(3, 1)), second = reward(beta_belief(2, 2)),
               third = reward(beta_belief(2, 1));
  EXPECT_DOUBLE_EQ(first.if_positive, 1.0 / 16);
  EXPECT_DOUBLE_EQ(first.if_negative, -3.0 / 16);
  EXPECT_EQ(first.expected, 0);
  EXPECT_DOUBLE_EQ(second.if_positive, 3.0 / 16);
  EXPECT_DOUBLE_EQ(second.if_negative, 3.0 / 16);
  EXPECT_DOUBLE_EQ(second.expected, 3.0 / 16);
  EXPECT_DOUBLE_EQ(third.if_positive, 1.0 / 8);
  EXPECT_DOUBLE_EQ(third.if_negative, -1.0 / 4);
  EXPECT_EQ(third.expected, 0);
}

TEST(OptKg, HasItsAnchorValues) {
  EXPECT_DOUBLE_EQ(opt_kg(beta_belief(1, 1)), 0.25);
  EXPECT_DOUBLE_EQ(opt_kg(beta_belief(2, 2)), 0.1875);
  EXPECT_DOUBLE_EQ(opt_kg(beta_belief(60, 1)), std::exp2(-61));
}

TEST(OptKg, UnderHaldanesPriorAsksContestedItemsOnlyAfterTheFirstLabel) {
  const model::Prior prior = model::Prior::haldane();
  EXPECT_EQ(opt_kg({&prior, {0, 0}}), 0.5);
  EXPECT_EQ(opt_kg({&prior, {4, 0}}), 0);
  EXPECT_GT(opt_kg({&prior, {1, 1}}), 0);
}

TEST(PessimisticKg, IsPositiveOnlyAtATie) {
  EXPECT_DOUBLE_EQ(pessimistic_kg(beta_belief(1, 1)), 0.25);
  EXPECT_DOUBLE_EQ(pessimistic_kg(beta_belief(2, 1)), -0.25);
  EXPECT_DOUBLE_EQ(pessimistic_kg(beta_belief(3, 1)), -3.0 / 16);
}

TEST(CvarKg, SpansFromKgToOptKg) {
  const model::ItemBelief belief = beta_belief(5, 3);
  EXPECT_EQ(cvar_kg(belief, 1), kg(belief));
  EXPECT_EQ(cvar_kg(belief, 0), opt_kg(belief));
  EXPECT_EQ(cvar_kg(belief, 0.5), opt_kg(belief));  // the better label has chance 5/8
  const Reward r = reward(belief);
  const double q = 5.0 / 8 / 0.8;
  EXPECT_NEAR(cvar_kg(belief, 0.8), q * r.if_positive + (1 - q) * r.if_negative, 1e-15);
}

TEST(CvarKg, RefusesAnAlphaOutsideItsRange) {
  EXPECT_THROW(cvar_kg(beta_belief(1, 1), -0.1), std::invalid_argument);
  EXPECT_THROW(cvar_kg(beta_belief(1, 1), 1.5), std::invalid_argument);
}

}  // namespace
}  // namespace allot::index::knowledge_gradient_test
