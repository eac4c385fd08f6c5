#include "allot/index/contextual_reward.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "support/plain_contextual.hpp"

namespace allot::index {
namespace {

using model::Contextual;
using model::Design;
using test::random_design;
using test::record_random;

TEST(ContextualReward, DoesNotDependOnTheCompany) {
  Rng rng(1);
  const Design design = random_design(150, 5, rng);
  Contextual belief(design);
  record_random(belief, design, 40, rng);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 150; ++i) rows.push_back(i * 7 % 150);
  const auto together = contextual_rewards(belief, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto alone = contextual_rewards(belief, std::vector{rows[i]});
    EXPECT_EQ(alone[0].if_positive, together[i].if_positive);
    EXPECT_EQ(alone[0].if_negative, together[i].if_negative);
  }
  EXPECT_TRUE(contextual_rewards(belief, {}).empty());
}

TEST(ContextualReward, CountsEveryItemOfARow) {
  const Design once{2, 2, {1, 0.5, 1, -1}, {"a", "b"}, {}};
  const Design thrice{6, 2, {1, 0.5, 1, 0.5, 1, -1, 1, 0.5, 1, -1, 1, -1}, {"a", "b"}, {}};
  const Contextual one(once), three(thrice);
  const std::vector<std::uint32_t> rows{0, 1};
  const auto few = contextual_rewards(one, rows), many = contextual_rewards(three, rows);
  for (const std::size_t i : {0, 1}) {
    EXPECT_NEAR(many[i].if_positive, 3 * few[i].if_positive, 1e-15);
  }
}

TEST(ContextualReward, IsTheSameForBothLabelsBeforeTheFirst) {
  Rng rng(2);
  const Contextual belief(random_design(9, 3, rng));
  for (const Reward& reward : contextual_rewards(belief, std::vector<std::uint32_t>{0, 4, 8})) {
    EXPECT_EQ(reward.if_positive, reward.if_negative);
    EXPECT_GT(kg(reward), 0);
  }
}

TEST(ContextualReward, OfASpammerIsZero) {
  Rng rng(3);
  const Design design = random_design(9, 3, rng);
  Contextual belief(design);
  record_random(belief, design, 10, rng);
  const auto rewards =
      contextual_rewards(belief, std::vector<std::uint32_t>{1}, model::Channel::one_coin(0.5));
  EXPECT_EQ(opt_kg(rewards[0]), 0);
  EXPECT_EQ(pessimistic_kg(rewards[0]), 0);
}

TEST(ContextualUncertainty, IsTheProbabilityOfTheOtherAnswer) {
  Rng rng(4);
  const Design design = random_design(9, 3, rng);
  Contextual belief(design);
  record_random(belief, design, 30, rng);
  for (std::uint32_t i = 0; i < 9; ++i) {
    const double p = belief.prob_positive(ItemId{i});
    EXPECT_NEAR(contextual_uncertainty(belief, i), std::min(p, 1 - p), 1e-15);
  }
}

OutcomeReward any_outcomes() {
  const std::size_t count = *rc::gen::inRange<std::size_t>(2, 7);
  OutcomeReward reward;
  double sum = 0;
  for (std::size_t c = 0; c < count; ++c) {
    reward.if_outcome.push_back(*rc::gen::inRange(-100, 100) / 64.0);
    reward.chance.push_back(*rc::gen::inRange(1, 100));
    sum += reward.chance.back();
  }
  for (double& chance : reward.chance) chance /= sum;
  return reward;
}

RC_GTEST_PROP(OutcomeIndices, OfTwoOutcomesAreThoseOfTheReward, ()) {
  const double p = *rc::gen::inRange(1, 100) / 100.0, alpha = *rc::gen::inRange(0, 101) / 100.0;
  const double yes = *rc::gen::inRange(-50, 50) / 8.0, no = *rc::gen::inRange(-50, 50) / 8.0;
  const Reward two{yes, no, p * yes + (1 - p) * no, p};
  const OutcomeReward same{{yes, no}, {p, 1 - p}};
  RC_ASSERT(opt_kg(same) == opt_kg(two));
  RC_ASSERT(pessimistic_kg(same) == pessimistic_kg(two));
  RC_ASSERT(std::abs(kg(same) - kg(two)) < 1e-14);
  RC_ASSERT(std::abs(cvar_kg(same, alpha) - cvar_kg(two, alpha)) < 1e-12);
}

RC_GTEST_PROP(OutcomeIndices, CvarFallsFromTheBestToTheMean, ()) {
  const OutcomeReward reward = any_outcomes();
  RC_ASSERT(cvar_kg(reward, 0) == opt_kg(reward));
  RC_ASSERT(std::abs(cvar_kg(reward, 1) - kg(reward)) < 1e-12);
  double last = opt_kg(reward);
  for (int step = 1; step <= 50; ++step) {
    const double here = cvar_kg(reward, step / 50.0);
    RC_ASSERT(here <= last + 1e-12);
    // The linear program's dual: the best threshold x + E(R - x)+ / alpha.
    double dual = std::numeric_limits<double>::infinity();
    for (const double x : reward.if_outcome) {
      double value = 0;
      for (std::size_t c = 0; c < reward.chance.size(); ++c) {
        value += reward.chance[c] * std::max(0.0, reward.if_outcome[c] - x);
      }
      dual = std::min(dual, x + value / (step / 50.0));
    }
    RC_ASSERT(std::abs(here - dual) < 1e-12);
    last = here;
  }
}

}  // namespace
}  // namespace allot::index
