// On trees the fit is the exact posterior; the share of positive items is learned from round to
// round, so exactness is meant for the share that the fit has come to.
#include <gtest/gtest.h>

#include <cmath>

#include "model/binary_fits.hpp"
#include "support/enumeration.hpp"
#include "support/worker_labels.hpp"

namespace allot::model::belief_propagation_test {
namespace {

constexpr int kManyRounds = 100;

double probability(double log_odds) { return 1 / (1 + std::exp(-log_odds)); }

std::vector<double> probabilities(const GridFit& fit) {
  std::vector<double> result;
  for (const double one : fit.log_odds) result.push_back(probability(one));
  return result;
}

std::vector<WorkerGrid> grids() {
  const Prior types = Prior::mixture({{0.6, 5, 1}, {0.2, 1, 1}, {0.2, 1, 5}});
  return {{Prior::beta(4, 1), Coins::two},
          {Prior::beta(4, 1), Coins::one},
          {types, Coins::one},
          {types, Coins::two}};
}

Label random_label(Rng& rng) { return below(rng, 2) == 0 ? Label::negative : Label::positive; }

/// Items and workers joined one after the other, each by one label to one that is there already.
LabelsByWorker random_tree(Rng& rng, std::uint32_t items, std::uint32_t workers) {
  LabelsByWorker labels(workers);
  labels[0].push_back({0, random_label(rng)});
  std::uint32_t placed_items = 1, placed_workers = 1;
  while (placed_items < items || placed_workers < workers) {
    const bool item_next =
        placed_workers == workers || (placed_items < items && below(rng, 2) == 0);
    if (item_next) {
      labels[below(rng, placed_workers)].push_back({placed_items++, random_label(rng)});
    } else {
      labels[placed_workers++].push_back(
          {static_cast<std::uint32_t>(below(rng, placed_items)), random_label(rng)});
    }
  }
  return labels;
}

void expect_exact(const LabelsByWorker& labels, std::uint32_t items, const WorkerGrid& grid,
                  double prior_share) {
  const GridFit fit = belief_propagation(labels, items, grid, prior_share, kManyRounds);
  const test::ExactFit exact = test::enumerate(labels, items, grid, fit.positive_share);
  for (std::uint32_t i = 0; i < items; ++i) {
    EXPECT_NEAR(probability(fit.log_odds[i]), exact.positive[i], 1e-9);
  }
  for (std::size_t k = 0; k < exact.weights.size(); ++k) {
    EXPECT_NEAR(fit.weights[k], exact.weights[k], 1e-9);
  }
}

TEST(BeliefPropagation, IsExactWhereEveryItemHasOneLabel) {
  Rng rng(1);
  for (const WorkerGrid& grid : grids()) {
    for (int i = 0; i < 10; ++i) {
      LabelsByWorker labels(2);
      for (std::uint32_t item = 0; item < 7; ++item) {
        labels[below(rng, 2)].push_back({item, random_label(rng)});
      }
      expect_exact(labels, 7, grid, i % 2 == 0 ? 0.5 : 0.2);
    }
  }
}

TEST(BeliefPropagation, IsExactOnTrees) {
  Rng rng(2);
  for (const WorkerGrid& grid : grids()) {
    for (int i = 0; i < 10; ++i) {
      expect_exact(random_tree(rng, 7, 4), 7, grid, i % 2 == 0 ? 0.5 : 0.3);
    }
  }
}

/// Probabilities against the exact ones on crossing labels: 8 items, 5 workers, 60 % of all pairs.
struct Distance {
  double mean = 0, largest = 0, other_answers = 0;
};

Distance distance_on_crossing_labels(const WorkerGrid& grid, int rounds) {
  constexpr std::uint32_t kItems = 8, kSets = 50;
  Rng rng(3);
  Distance distance;
  for (std::uint32_t n = 0; n < kSets; ++n) {
    const LabelsByWorker labels = test::random_labels(rng, kItems, 5, 0.6);
    const GridFit fit = belief_propagation(labels, kItems, grid, 0.5, rounds);
    const test::ExactFit exact = test::enumerate(labels, kItems, grid, fit.positive_share);
    for (std::uint32_t i = 0; i < kItems; ++i) {
      const double here = probability(fit.log_odds[i]), off = std::abs(here - exact.positive[i]);
      distance.mean += off / (kItems * kSets);
      distance.largest = std::max(distance.largest, off);
      distance.other_answers +=
          ((here > 0.5) != (exact.positive[i] > 0.5)) / (1.0 * kItems * kSets);
    }
  }
  return distance;
}

TEST(BeliefPropagation, IsCloseToTheExactPosteriorWhereLabelsCross) {
  for (const Coins coins : {Coins::one, Coins::two}) {
    for (const int rounds : {5, 20}) {
      const Distance off = distance_on_crossing_labels({Prior::beta(4, 1), coins}, rounds);
      EXPECT_LT(off.mean, 0.006);  // 0.004 and 0.0015 when written
      EXPECT_LT(off.largest, 0.1);
      EXPECT_EQ(off.other_answers, 0);
    }
  }
}

TEST(BeliefPropagation, IsTooSureWhereAFifthOfTheWorkersMayBeMalicious) {
  // The exact posterior then keeps the mirror image of the answers as a second opinion.
  const Prior types = Prior::mixture({{0.6, 5, 1}, {0.2, 1, 1}, {0.2, 1, 5}});
  for (const Coins coins : {Coins::one, Coins::two}) {
    const Distance off = distance_on_crossing_labels({types, coins}, 20);
    EXPECT_LT(off.mean, 0.12);  // 0.07 and 0.05 over 200 sets
    EXPECT_LT(off.other_answers, 0.15);
  }
}

TEST(BeliefPropagation, StartsFromTheMeanWorker) {
  const WorkerGrid grid(Prior::beta(4, 1), Coins::two);
  const auto [s, t] = grid.state(grid.weight.data()).mean;
  const LabelsByWorker labels{{{0, Label::positive}}, {{0, Label::positive}, {1, Label::negative}}};
  const GridFit fit = belief_propagation(labels, 3, grid, 0.3, 0);
  EXPECT_NEAR(fit.log_odds[0], log_odds(0.3) + 2 * std::log(s / (1 - t)), 1e-12);
  EXPECT_NEAR(fit.log_odds[1], log_odds(0.3) + std::log((1 - s) / t), 1e-12);
  EXPECT_NEAR(fit.log_odds[2], log_odds(0.3), 1e-12);
  EXPECT_EQ(fit.positive_share, 0.3);
}

TEST(BeliefPropagation, LearnsTheShareOfEachRoundFromTheRoundBefore) {
  Rng rng(4);
  const WorkerGrid grid(Prior::beta(4, 1), Coins::two);
  const LabelsByWorker labels = test::random_labels(rng, 20, 5, 0.3);
  const PositiveShare positive_share(labels, 20, 0.4);
  for (int rounds = 0; rounds < 6; ++rounds) {
    const GridFit fit = belief_propagation(labels, 20, grid, 0.4, rounds);
    double share = fit.positive_share;
    for (int step = 0; step < 5; ++step) {
      std::vector<double> positive;
      for (const double one : fit.log_odds) {
        positive.push_back(probability(one - log_odds(fit.positive_share) + log_odds(share)));
      }
      share = positive_share(positive);
    }
    const GridFit next = belief_propagation(labels, 20, grid, 0.4, rounds + 1);
    EXPECT_NEAR(next.positive_share, share, 1e-12);
  }
}

TEST(BeliefPropagation, HoldsTheShareByPseudoItemsAndLeavesUnlabelledItemsOut) {
  const LabelsByWorker labels{{{0, Label::positive}}, {{2, Label::positive}}};
  // 3 sqrt(4) pseudo-items, a quarter of them positive, beside items 0 and 2.
  EXPECT_DOUBLE_EQ(PositiveShare(labels, 4, 0.25)({0.9, 0.1, 0.8, 0.1}), (1.5 + 1.7) / 8);
}

TEST(BeliefPropagation, ComesToRestAtAShareThatItsOwnAnswersHave) {
  Rng rng(5);
  const WorkerGrid grid(Prior::beta(4, 1), Coins::two);
  const LabelsByWorker labels = test::random_labels(rng, 20, 5, 0.3);
  const GridFit fit = belief_propagation(labels, 20, grid, 0.4, kManyRounds);
  EXPECT_NEAR(fit.positive_share, PositiveShare(labels, 20, 0.4)(probabilities(fit)), 1e-9);
}

TEST(BeliefPropagation, WithoutLabelsLeavesThePriors) {
  const WorkerGrid grid(Prior::beta(4, 1), Coins::two);
  const GridFit fit = belief_propagation(LabelsByWorker(2), 3, grid, 0.2, 5);
  for (const double one : fit.log_odds) EXPECT_NEAR(probability(one), 0.2, 1e-12);
  for (std::size_t k = 0; k < 2 * grid.size(); ++k) {
    EXPECT_NEAR(fit.weights[k], grid.weight[k % grid.size()], 1e-15);
  }
}

TEST(BeliefPropagation, DoesNotKnowTheNamesOfItemsAndWorkers) {
  Rng rng(6);
  for (const WorkerGrid& grid : grids()) {
    const LabelsByWorker labels = test::random_labels(rng, 12, 5, 0.5);
    const auto items = test::random_order(rng, 12), workers = test::random_order(rng, 5);
    const GridFit fit = belief_propagation(labels, 12, grid, 0.4, 8);
    const GridFit other =
        belief_propagation(test::renamed(labels, items, workers), 12, grid, 0.4, 8);
    for (std::size_t i = 0; i < items.size(); ++i) {
      EXPECT_NEAR(other.log_odds[items[i]], fit.log_odds[i], 1e-10);
    }
    for (std::size_t j = 0; j < workers.size(); ++j) {
      for (std::size_t k = 0; k < grid.size(); ++k) {
        EXPECT_NEAR(other.weights[workers[j] * grid.size() + k], fit.weights[j * grid.size() + k],
                    1e-12);
      }
    }
  }
}

TEST(BeliefPropagation, SwappingAllLabelsSwapsTheAnswersAndTheCoins) {
  Rng rng(7);
  for (const WorkerGrid& grid : grids()) {
    const LabelsByWorker labels = test::random_labels(rng, 12, 5, 0.5);
    const GridFit fit = belief_propagation(labels, 12, grid, 0.3, 8);
    const GridFit other = belief_propagation(test::reversed(labels), 12, grid, 0.7, 8);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(other.log_odds[i], -fit.log_odds[i], 1e-10);
    for (std::size_t j = 0; j < 5; ++j) {
      const WorkerState one = grid.state(&fit.weights[j * grid.size()]),
                        swapped = grid.state(&other.weights[j * grid.size()]);
      EXPECT_NEAR(one.mean.sensitivity, swapped.mean.specificity, 1e-12);
      EXPECT_NEAR(one.mean.specificity, swapped.mean.sensitivity, 1e-12);
    }
  }
}

TEST(BeliefPropagation, StandsManyLabelsOfOneWorker) {  // products of likelihoods would underflow
  const WorkerGrid grid(Prior::beta(4, 1), Coins::two);
  LabelsByWorker labels(3);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    for (auto& given : labels) given.push_back({i, i % 2 == 0 ? Label::positive : Label::negative});
  }
  const GridFit fit = belief_propagation(labels, 5000, grid, 0.5, 5);
  for (std::uint32_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(fit.log_odds[i] > 0, i % 2 == 0) << i;
    ASSERT_TRUE(std::isfinite(fit.log_odds[i]));
  }
  EXPECT_NEAR(grid.state(fit.weights.data()).mean.sensitivity, 0.95, 1e-6);
}

TEST(Absorb, IsBayesRuleOnTheGrid) {
  const WorkerGrid grid(Prior::beta(4, 1), Coins::two);
  for (const Label label : {Label::positive, Label::negative}) {
    std::vector<double> weights = grid.weight, truth;
    absorb(grid, 0.3, label, weights.data());
    double total = 0;
    for (std::size_t k = 0; k < grid.size(); ++k) {
      const double yes = 0.3 * grid.sensitivity[k] + 0.7 * (1 - grid.specificity[k]);
      truth.push_back(grid.weight[k] * (label == Label::positive ? yes : 1 - yes));
      total += truth.back();
    }
    for (std::size_t k = 0; k < grid.size(); ++k) EXPECT_NEAR(weights[k], truth[k] / total, 1e-15);
  }
}

}  // namespace
}  // namespace allot::model::belief_propagation_test
