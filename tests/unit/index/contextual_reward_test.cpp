#include "allot/index/contextual_reward.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/plain_contextual.hpp"

namespace allot::index::contextual_reward_test {
namespace {

using model::Contextual;
using model::Design;
using test::random_design;
using test::record_random;

TEST(ContextualReward, DoesNotDependOnTheOtherCandidates) {
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
  const Contextual single(once), triple(thrice);
  const std::vector<std::uint32_t> rows{0, 1};
  const auto few = contextual_rewards(single, rows), many = contextual_rewards(triple, rows);
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

TEST(ContextualUncertainty, KeepsItsDigitsWhereAClassIsAllButCertain) {
  const Design design{2, 1, {1, -1}, {"x"}, {}};
  model::ContextualClasses belief(design, 3, {.prior_variance = 1e8});
  for (int label = 0; label < 60; ++label) {
    belief.record(ItemId{0}, ClassId{0});
    const std::vector<double> p = belief.probabilities(ItemId{0});
    EXPECT_DOUBLE_EQ(contextual_uncertainty(belief, belief.rows().row_of(ItemId{0})), p[1] + p[2]);
  }
}

}  // namespace
}  // namespace allot::index::contextual_reward_test
