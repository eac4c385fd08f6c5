// The contextual model against plain Newton steps and fresh covariances in p dimensions, by Eigen.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "allot/index/contextual_reward.hpp"
#include "support/plain_contextual.hpp"

namespace allot::index::contextual_oracle_test {
namespace {

using model::Contextual;
using model::ContextualClasses;
using model::Design;
using test::plain;
using test::plain_confidence;
using test::plain_laplace;
using test::plain_prior;
using test::plain_row;
using test::PlainBelief;
using test::PlainLabel;
using test::random_design;
using test::record_random;

std::vector<std::uint32_t> all_rows(const model::ItemRows& rows) {
  std::vector<std::uint32_t> result(rows.row_count());
  std::iota(result.begin(), result.end(), 0U);
  return result;
}

TEST(ContextualOracle, ScalarUpdateMatchesNewtonInAllDimensions) {  // [CLZ eq:post_mean]
  Rng rng(1);
  for (const std::uint32_t columns : {1U, 2U, 5U, 12U}) {
    for (const double prior : {0.3, 1.0, 30.0}) {
      const Design design = random_design(15, columns, rng);
      Contextual belief(design, {.prior_variance = prior});
      PlainBelief slow = plain_prior(columns, prior);
      for (int i = 0; i < 150; ++i) {
        const auto item = static_cast<std::uint32_t>(below(rng, 15));
        const Label label = test::drawn_label(design, item, rng);
        slow = plain_laplace(slow, {{plain_row(design, item), label}});
        belief.record(ItemId{item}, label);
      }
      const PlainBelief fast = plain(belief);
      EXPECT_LT((fast.mean - slow.mean).norm(), 1e-10 * (1 + slow.mean.norm()));
      EXPECT_LT((fast.covariance - slow.covariance).norm(), 1e-10 * slow.covariance.norm());
    }
  }
}

TEST(ContextualOracle, LabelsOneByOneEndNearAllLabelsAtOnce) {
  Rng rng(2);
  double mean_off = 0, probability_off = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Design design = random_design(20, 3, rng);
    Contextual belief(design);
    const auto labels = record_random(belief, design, 60, rng);
    const PlainBelief batch = plain_laplace(plain_prior(3, 1), labels);
    for (std::uint32_t i = 0; i < 20; ++i) {
      const Eigen::VectorXd x = plain_row(design, i);
      const double m = x.dot(batch.mean), s = std::sqrt(x.dot(batch.covariance * x));
      mean_off = std::max(mean_off, std::abs(belief.mean(ItemId{i}) - m) / s);
      probability_off = std::max(probability_off, std::abs(belief.prob_positive(ItemId{i}) -
                                                           0.5 * std::erfc(-m / s / std::sqrt(2))));
    }
  }
  // Each label is approximated by a normal belief before the next; the error is below the remaining
  // uncertainty.
  EXPECT_LT(mean_off, 0.7);
  EXPECT_LT(probability_off, 0.25);
  RecordProperty("mean_off", std::to_string(mean_off));
  RecordProperty("probability_off", std::to_string(probability_off));
}

TEST(ContextualOracle, RewardsMatchFreshBeliefs) {  // [CLZ eq:reward_feature]
  Rng rng(3);
  for (const auto& [items, columns, labels] :
       {std::tuple{3U, 2U, 0}, {8U, 3U, 5}, {21U, 4U, 60}, {300U, 6U, 30}, {5U, 9U, 7}}) {
    const Design design = random_design(items, columns, rng);
    Contextual belief(design, {.prior_variance = 2});
    record_random(belief, design, labels, rng);
    const PlainBelief now = plain(belief);
    const double before = plain_confidence(design, now);
    const auto rewards = contextual_rewards(belief, all_rows(belief.rows()));
    for (std::uint32_t i = 0; i < std::min(items, 40U); ++i) {
      const Eigen::VectorXd x = plain_row(design, i);
      const double yes = plain_confidence(design, plain_laplace(now, {{x, Label::positive}}));
      const double no = plain_confidence(design, plain_laplace(now, {{x, Label::negative}}));
      const Reward& reward = rewards[i];
      ASSERT_NEAR(reward.if_positive, yes - before, 1e-12 * items);
      ASSERT_NEAR(reward.if_negative, no - before, 1e-12 * items);
      const double chance = belief.chance_positive(ItemId{i});
      EXPECT_EQ(reward.chance_positive, chance);
      EXPECT_NEAR(kg(reward), chance * (yes - before) + (1 - chance) * (no - before),
                  1e-12 * items);
    }
  }
}

TEST(ContextualOracle, DoubtfulRewardsMatchRecordedLabels) {
  Rng rng(4);
  const Design design = random_design(30, 4, rng);
  Contextual belief(design);
  record_random(belief, design, 25, rng);
  const double before = plain_confidence(design, plain(belief));
  for (const model::Channel worker :
       {model::Channel{1, 1}, {0.8, 0.7}, {0.3, 0.2}, {1, 0.6}, {0, 1}}) {
    const auto rewards = contextual_rewards(belief, all_rows(belief.rows()), worker);
    for (std::uint32_t i = 0; i < 30; ++i) {
      double mean = 0;
      for (const Label label : {Label::positive, Label::negative}) {
        const bool positive = label == Label::positive;
        const auto [a, b] = worker.likelihood(label);
        const double reward = positive ? rewards[i].if_positive : rewards[i].if_negative;
        if (a + b == 0) {
          EXPECT_EQ(reward, 0);
          continue;
        }
        Contextual after = belief;
        after.record(ItemId{i}, label, worker);
        ASSERT_NEAR(reward, plain_confidence(design, plain(after)) - before, 1e-10);
        const double q = belief.chance_positive(ItemId{i});
        mean += (a * q + b * (1 - q)) * reward;
      }
      EXPECT_NEAR(kg(rewards[i]), mean, 1e-12);
    }
  }
}

double largest_shares(const ContextualClasses& belief) {
  double sum = 0;
  for (std::uint32_t i = 0; i < belief.item_count(); ++i) {
    sum += std::ranges::max(belief.probabilities(ItemId{i}));
  }
  return sum;
}

TEST(ContextualOracle, ClassRewardsMatchRecordedLabels) {
  Rng rng(5);
  for (const std::uint32_t classes : {2U, 3U, 5U}) {
    const Design design = random_design(270, 4, rng);
    ContextualClasses belief(design, classes);
    for (int i = 0; i < 40; ++i) {
      belief.record(ItemId{static_cast<std::uint32_t>(below(rng, 270))},
                    ClassId{static_cast<std::uint32_t>(below(rng, classes))});
    }
    const double before = largest_shares(belief);
    const std::vector<std::uint32_t> rows{0, 3, 17, 100, 255, 256, 269};
    const auto rewards = contextual_rewards(belief, rows);
    ASSERT_EQ(rewards.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double sum = 0, mean = 0;
      for (std::uint32_t c = 0; c < classes; ++c) {
        ContextualClasses after = belief;
        after.record(ItemId{rows[i]}, ClassId{c});
        EXPECT_NEAR(rewards[i].if_label[c], largest_shares(after) - before, 1e-10);
        sum += rewards[i].chance[c];
        mean += rewards[i].chance[c] * (largest_shares(after) - before);
      }
      EXPECT_NEAR(sum, 1, 1e-14);
      EXPECT_NEAR(rewards[i].expected, mean, 1e-10);
    }
  }
}

/// Pr(w'x >= 0) of every item under the exact posterior of two weights with prior N(0, I), summed
/// on a grid.
std::vector<double> exact_probabilities(const Design& design,
                                        const std::vector<PlainLabel>& labels) {
  const PlainBelief prior = plain_prior(2, 1);
  std::vector<double> above(design.item_count);
  double mass = 0;
  for (double a = -6; a <= 6; a += 0.06) {
    for (double b = -6; b <= 6; b += 0.06) {
      const Eigen::Vector2d w(a + 0.01, b + 0.02);  // no node on a line w'x = 0
      const double density =
          std::exp(test::plain_log_posterior(w, prior, prior.covariance, labels) + 10);
      mass += density;
      for (std::size_t i = 0; i < above.size(); ++i) {
        if (plain_row(design, i).dot(w) >= 0) above[i] += density;
      }
    }
  }
  for (double& share : above) share /= mass;
  return above;
}

TEST(ContextualOracle, BothMethodsLieNearTheExactPosterior) {
  Rng rng(6);
  double laplace_off = 0, bound_off = 0, apart = 0, most_apart = 0;
  constexpr int kTrials = 12, kItems = 20;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Design design = random_design(kItems, 2, rng);
    Contextual laplace(design), bound(design, {.method = math::LogisticMethod::variational});
    std::vector<PlainLabel> labels;
    for (int i = 0; i < 25; ++i) {
      const auto item = static_cast<std::uint32_t>(below(rng, kItems));
      labels.push_back({plain_row(design, item), test::drawn_label(design, item, rng)});
      laplace.record(ItemId{item}, labels.back().label);
      bound.record(ItemId{item}, labels.back().label);
    }
    const auto exact = exact_probabilities(design, labels);
    for (std::uint32_t i = 0; i < kItems; ++i) {
      const double a = laplace.prob_positive(ItemId{i}), b = bound.prob_positive(ItemId{i});
      laplace_off += std::abs(a - exact[i]) / (kTrials * kItems);
      bound_off += std::abs(b - exact[i]) / (kTrials * kItems);
      apart += std::abs(a - b) / (kTrials * kItems);
      most_apart = std::max(most_apart, std::abs(a - b));
    }
  }
  EXPECT_LT(laplace_off, 0.02);
  EXPECT_LT(bound_off, 0.01);
  EXPECT_LT(apart, 0.025);
  EXPECT_LT(most_apart, 0.25);
  RecordProperty("laplace_off", std::to_string(laplace_off));
  RecordProperty("bound_off", std::to_string(bound_off));
  RecordProperty("apart", std::to_string(apart));
  RecordProperty("most_apart", std::to_string(most_apart));
}

}  // namespace
}  // namespace allot::index::contextual_oracle_test
