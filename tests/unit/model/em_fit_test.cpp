#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/binary_fits.hpp"
#include "support/worker_labels.hpp"

namespace allot::model::em_fit_test {
namespace {

constexpr std::uint32_t kItems = 12, kWorkers = 5;

/// The same fit over a full table of labels, item by item, with products instead of logarithms.
struct Dense {
  std::vector<std::array<double, 2>> probability;            // of negative and positive, by item
  std::vector<std::array<std::array<double, 2>, 2>> counts;  // by worker, truth and label

  Dense(const LabelsByWorker& labels, Coins coins, const math::BetaShape& prior, double prior_share,
        int rounds) {
    std::vector<std::vector<int>> table(kItems, std::vector<int>(kWorkers, -1));
    for (std::uint32_t j = 0; j < kWorkers; ++j) {
      for (const auto& [item, label] : labels[j]) table[item][j] = label == Label::positive;
    }
    for (const auto& row : table) {
      const auto yes = static_cast<double>(std::ranges::count(row, 1)),
                 no = static_cast<double>(std::ranges::count(row, 0));
      probability.push_back({(no + 0.5) / (yes + no + 1), (yes + 0.5) / (yes + no + 1)});
    }
    for (int n = 0; n < rounds; ++n) {
      count(table, coins, prior);
      weigh(table, prior_share);
    }
  }

  void count(const std::vector<std::vector<int>>& table, Coins coins,
             const math::BetaShape& prior) {
    counts.assign(kWorkers, {{{prior.a, prior.b}, {prior.b, prior.a}}});
    for (std::size_t i = 0; i < kItems; ++i) {
      for (std::size_t j = 0; j < kWorkers; ++j) {
        if (table[i][j] < 0) continue;
        const auto label = static_cast<std::size_t>(table[i][j]);
        for (const std::size_t truth : {0U, 1U}) counts[j][truth][label] += probability[i][truth];
      }
    }
    if (coins == Coins::two) return;
    for (auto& one : counts) {  // right and wrong, whatever the truth
      const double right = one[0][0] + one[1][1] - prior.a, wrong = one[0][1] + one[1][0] - prior.b;
      one = {{{right, wrong}, {wrong, right}}};
    }
  }

  void weigh(const std::vector<std::vector<int>>& table, double prior_share) {
    const double pseudo_items = 3 * std::sqrt(kItems);
    double positive = pseudo_items * prior_share, items = pseudo_items;
    for (std::size_t i = 0; i < kItems; ++i) {
      if (std::ranges::all_of(table[i], [](int label) { return label < 0; })) continue;
      positive += probability[i][1];
      items += 1;
    }
    const double share = positive / items;
    for (std::size_t i = 0; i < kItems; ++i) {
      std::array<double, 2> joint{1 - share, share};
      for (std::size_t j = 0; j < kWorkers; ++j) {
        if (table[i][j] < 0) continue;
        for (const std::size_t truth : {0U, 1U}) {
          const auto& row = counts[j][truth];
          joint[truth] *= row[static_cast<std::size_t>(table[i][j])] / (row[0] + row[1]);
        }
      }
      probability[i] = {joint[0] / (joint[0] + joint[1]), joint[1] / (joint[0] + joint[1])};
    }
  }
};

TEST(EmFit, IsThatOfADenseImplementation) {
  Rng rng(1);
  for (int set = 0; set < 20; ++set) {
    const LabelsByWorker labels = test::random_labels(rng, kItems, kWorkers, 0.5);
    for (const Coins coins : {Coins::one, Coins::two}) {
      for (const int rounds : {1, 2, 8, 50}) {
        const EmFit fit = em_fit(labels, kItems, coins, math::BetaShape{4, 1.5}, 0.3, rounds);
        const Dense dense(labels, coins, math::BetaShape{4, 1.5}, 0.3, rounds);
        for (std::size_t i = 0; i < kItems; ++i) {
          EXPECT_NEAR(fit.log_odds[i], std::log(dense.probability[i][1] / dense.probability[i][0]),
                      1e-9);
        }
        for (std::size_t j = 0; j < kWorkers; ++j) {
          EXPECT_NEAR(fit.sensitivity[j].a, dense.counts[j][1][1], 1e-10);
          EXPECT_NEAR(fit.sensitivity[j].b, dense.counts[j][1][0], 1e-10);
          EXPECT_NEAR(fit.specificity[j].a, dense.counts[j][0][0], 1e-10);
          EXPECT_NEAR(fit.specificity[j].b, dense.counts[j][0][1], 1e-10);
        }
      }
    }
  }
}

TEST(EmFit, DoesNotKnowTheNamesOfItemsAndWorkers) {
  Rng rng(2);
  for (const Coins coins : {Coins::one, Coins::two}) {
    const LabelsByWorker labels = test::random_labels(rng, kItems, kWorkers, 0.5);
    const auto items = test::random_order(rng, kItems), workers = test::random_order(rng, kWorkers);
    const EmFit fit = em_fit(labels, kItems, coins, math::BetaShape{4, 1}, 0.4, 8);
    const EmFit other =
        em_fit(test::renamed(labels, items, workers), kItems, coins, math::BetaShape{4, 1}, 0.4, 8);
    for (std::size_t i = 0; i < kItems; ++i) {
      EXPECT_NEAR(other.log_odds[items[i]], fit.log_odds[i], 1e-10);
    }
    for (std::size_t j = 0; j < kWorkers; ++j) {
      EXPECT_NEAR(other.sensitivity[workers[j]].a, fit.sensitivity[j].a, 1e-11);
      EXPECT_NEAR(other.specificity[workers[j]].b, fit.specificity[j].b, 1e-11);
    }
  }
}

TEST(EmFit, SwappingAllLabelsSwapsTheAnswersAndTheCoins) {
  Rng rng(3);
  for (const Coins coins : {Coins::one, Coins::two}) {
    const LabelsByWorker labels = test::random_labels(rng, kItems, kWorkers, 0.5);
    const EmFit fit = em_fit(labels, kItems, coins, math::BetaShape{4, 1}, 0.3, 8);
    const EmFit other =
        em_fit(test::reversed(labels), kItems, coins, math::BetaShape{4, 1}, 0.7, 8);
    for (std::size_t i = 0; i < kItems; ++i) {
      EXPECT_NEAR(other.log_odds[i], -fit.log_odds[i], 1e-10);
    }
    for (std::size_t j = 0; j < kWorkers; ++j) {
      EXPECT_NEAR(other.sensitivity[j].a, fit.specificity[j].a, 1e-11);
      EXPECT_NEAR(other.sensitivity[j].b, fit.specificity[j].b, 1e-11);
    }
  }
}

TEST(EmFit, WithoutLabelsLeavesThePriors) {
  const EmFit fit = em_fit(LabelsByWorker(2), 3, Coins::two, math::BetaShape{4, 1}, 0.5, 8);
  for (const double one : fit.log_odds) EXPECT_NEAR(one, 0, 1e-12);
  EXPECT_EQ(fit.sensitivity[1], (math::BetaShape{4, 1}));
  EXPECT_EQ(fit.specificity[0], (math::BetaShape{4, 1}));
}

TEST(EmFit, HasNumbersWhereCertainWorkersContradictEachOther) {
  const LabelsByWorker labels{{{0, Label::positive}, {1, Label::positive}},
                              {{0, Label::negative}, {1, Label::positive}}};
  for (const Coins coins : {Coins::one, Coins::two}) {
    const EmFit fit = em_fit(labels, 2, coins, math::BetaShape{1e12, 1e-12}, 0.5, 8);
    EXPECT_NEAR(fit.log_odds[0], 0, 1) << "one against one";
    EXPECT_GT(fit.log_odds[1], 30);
    EXPECT_TRUE(std::isfinite(fit.log_odds[1]));
  }
}

}  // namespace
}  // namespace allot::model::em_fit_test
