#include "allot/index/multiclass_reward.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace allot::index::multiclass_reward_test {
namespace {

TEST(MulticlassReward, OfTheFirstLabelIsTheSameForEveryClass) {
  // From 1/3 to 11/18 whichever class comes.
  const MulticlassReward reward = multiclass_reward({{1, 1, 1}});
  for (const double gain : reward.if_label) EXPECT_NEAR(gain, 5.0 / 18, 1e-15);
  EXPECT_NEAR(reward.expected, 5.0 / 18, 1e-15);
  EXPECT_EQ(pessimistic_kg(reward), opt_kg(reward));
}

TEST(MulticlassReward, HasItsExactValuesAfterOneLabel) {
  // Dirichlet(2,1,1): I = (11/18, 7/36, 7/36); (3,1,1): 2/2^3 - 1/3^3 is the error; (2,2,1): by
  // sums over exp(-jx), I_1 = I_2 = 47/108.
  const MulticlassReward reward = multiclass_reward({{2, 1, 1}});
  EXPECT_NEAR(reward.if_label[0], (1 - 2.0 / 8 + 1.0 / 27) - 11.0 / 18, 1e-15);
  EXPECT_NEAR(reward.if_label[1], 47.0 / 108 - 11.0 / 18, 1e-15);
  EXPECT_EQ(reward.if_label[2], reward.if_label[1]);
  EXPECT_EQ(reward.chance, (std::vector<double>{0.5, 0.25, 0.25}));
  EXPECT_EQ(reward.expected, 0);
  EXPECT_EQ(opt_kg(reward), reward.if_label[0]);
}

TEST(MulticlassReward, StaysAccurateWhereItIsTiny) {
  // (a,1,1) to (a+1,1,1): the error falls by 2^-a - (2/3) 3^-a.
  const double gain = opt_kg(multiclass_reward({{80, 1, 1}}));
  EXPECT_NEAR(gain / (std::exp2(-80) - 2 * std::pow(3, -80) / 3), 1, 1e-12);
}

TEST(MulticlassCvar, FillsTheBestOutcomesFirst) {
  const MulticlassReward reward{{0.3, -0.2, 0.1, -0.5}, {0.2, 0.3, 0.4, 0.1}, -0.01};
  EXPECT_EQ(cvar_kg(reward, 0.2), 0.3);
  EXPECT_NEAR(cvar_kg(reward, 0.5), (0.2 * 0.3 + 0.3 * 0.1) / 0.5, 1e-15);
  EXPECT_NEAR(cvar_kg(reward, 0.8), (0.2 * 0.3 + 0.4 * 0.1 - 0.2 * 0.2) / 0.8, 1e-15);
  EXPECT_EQ(cvar_kg(reward, 1), -0.01);
}

TEST(MulticlassCvar, RefusesAnAlphaOutsideItsRange) {
  const MulticlassReward reward = multiclass_reward({{1, 1, 1}});
  EXPECT_THROW(cvar_kg(reward, -0.1), std::invalid_argument);
  EXPECT_THROW(cvar_kg(reward, 1.5), std::invalid_argument);
}

}  // namespace
}  // namespace allot::index::multiclass_reward_test
