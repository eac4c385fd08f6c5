#include "model/multiclass_em_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "allot/base/rng.hpp"

namespace allot::model {
namespace {

constexpr std::uint32_t kItems = 14, kWorkers = 5, kClasses = 3;

MulticlassLabelsByWorker random_labels(std::uint64_t seed) {
  Rng rng(seed);
  MulticlassLabelsByWorker labels(kWorkers);
  for (std::uint32_t j = 0; j < kWorkers; ++j) {
    for (std::uint32_t i = 0; i + 1 < kItems; ++i) {  // the last item has no label
      if (uniform(rng) < 0.3) continue;
      const bool right = uniform(rng) < 0.4 + 0.1 * j;
      labels[j].push_back(
          {i, right ? i % kClasses : static_cast<std::uint32_t>(below(rng, kClasses))});
    }
  }
  return labels;
}

/// The same fit by plain loops over all items, workers and classes, with products.
std::vector<double> plain(const MulticlassLabelsByWorker& labels, Coins coins,
                          const math::BetaShape& prior, const std::vector<double>& shares,
                          int rounds) {
  std::vector<std::vector<double>> p(kItems, std::vector<double>(kClasses, 1.0 / kClasses));
  std::vector<int> votes(kItems, 0);
  for (const auto& given : labels) {
    for (const auto& [item, label] : given) p[item][label] += 1, ++votes[item];
  }
  for (std::uint32_t i = 0; i < kItems; ++i) {
    for (double& one : p[i]) one /= votes[i] + 1;
  }
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> share(kClasses);
    double items = 3 * std::sqrt(kItems);
    for (std::size_t c = 0; c < kClasses; ++c) share[c] = items * shares[c];
    for (std::uint32_t i = 0; i < kItems; ++i) {
      if (votes[i] == 0) continue;
      items += 1;
      for (std::size_t c = 0; c < kClasses; ++c) share[c] += p[i][c];
    }
    auto next = p;
    for (auto& row : next) {
      for (std::size_t c = 0; c < kClasses; ++c) row[c] = share[c] / items;
    }
    for (const auto& given : labels) {
      double n[kClasses][kClasses] = {}, right = prior.a, wrong = prior.b;
      for (const auto& [item, label] : given) {
        for (std::size_t c = 0; c < kClasses; ++c) {
          n[c][label] += p[item][c];
          (c == label ? right : wrong) += p[item][c];
        }
      }
      for (const auto& [item, label] : given) {
        for (std::size_t c = 0; c < kClasses; ++c) {
          const double coin =
              c == label ? right / (right + wrong) : wrong / (right + wrong) / (kClasses - 1);
          const double row = n[c][0] + n[c][1] + n[c][2];
          next[item][c] *= coins == Coins::one ? coin : (4 * coin + n[c][label]) / (4 + row);
        }
      }
    }
    for (auto& row : next) {
      const double sum = row[0] + row[1] + row[2];
      for (double& one : row) one /= sum;
    }
    p = next;
  }
  std::vector<double> result;
  for (const auto& row : p) result.insert(result.end(), row.begin(), row.end());
  return result;
}

TEST(MulticlassEmFit, IsThatOfPlainLoops) {
  const std::vector<double> shares{0.5, 0.3, 0.2};
  for (const Coins coins : {Coins::one, Coins::two}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const MulticlassLabelsByWorker labels = random_labels(seed);
      const MulticlassFitOptions options{kItems, {kClasses, coins, {3, 0.9}}, shares, nullptr, 0};
      const MulticlassFit fit = multiclass_em_fit(labels, options, 7);
      const std::vector<double> wanted = plain(labels, coins, {3, 0.9}, shares, 7);
      for (std::size_t n = 0; n < wanted.size(); ++n) {
        EXPECT_NEAR(fit.probabilities[n], wanted[n], 1e-11) << "seed " << seed;
      }
    }
  }
}

TEST(MulticlassEmFit, CountsAddUpToTheLabels) {
  const MulticlassLabelsByWorker labels = random_labels(3);
  const MulticlassFitOptions options{
      kItems, {kClasses, Coins::two, {3, 0.9}}, {0.5, 0.3, 0.2}, nullptr, 0};
  const MulticlassFit fit = multiclass_em_fit(labels, options, 4);
  for (std::size_t j = 0; j < kWorkers; ++j) {
    double sum = 0;
    for (std::size_t n = 0; n < kClasses * kClasses; ++n) {
      sum += fit.counts[j * kClasses * kClasses + n];
    }
    EXPECT_NEAR(sum, static_cast<double>(labels[j].size()), 1e-9);
  }
}

TEST(MulticlassEmFit, EndsWhenLittleMoves) {
  const MulticlassLabelsByWorker labels = random_labels(4);
  const MulticlassFitOptions options{
      kItems, {kClasses, Coins::two, {3, 0.9}}, {0.5, 0.3, 0.2}, nullptr, 0};
  const MulticlassFit fit = multiclass_em_fit(labels, options, 1000, 1e-6);
  ASSERT_LT(fit.rounds, 1000);
  EXPECT_LE(fit.moved, 1e-6);
  const MulticlassFit same = multiclass_em_fit(labels, options, fit.rounds);
  const MulticlassFit before = multiclass_em_fit(labels, options, fit.rounds - 1);
  EXPECT_EQ(fit.probabilities, same.probabilities);
  EXPECT_GT(before.moved, 1e-6) << "not a round too many";
  double moved = 0;
  for (std::size_t n = 0; n < fit.probabilities.size(); ++n)
    moved = std::max(moved, std::abs(fit.probabilities[n] - before.probabilities[n]));
  EXPECT_EQ(fit.moved, moved);
}

}  // namespace
}  // namespace allot::model
