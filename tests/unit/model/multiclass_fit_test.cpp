#include "model/multiclass_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allot/base/rng.hpp"

namespace allot::model::multiclass_fit_test {
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

using Items = std::vector<std::vector<double>>;

Items normalised(Items items) {
  for (auto& row : items) {
    const double sum = row[0] + row[1] + row[2];
    for (double& one : row) one /= sum;
  }
  return items;
}

std::vector<double> joined(const Items& items) {
  std::vector<double> all;
  for (const auto& row : items) all.insert(all.end(), row.begin(), row.end());
  return all;
}

/// The same fit by plain loops over all items, workers and classes, with products.
std::vector<double> plain(const MulticlassLabelsByWorker& labels, Coins coins,
                          const math::BetaShape& prior, const std::vector<double>& shares,
                          int rounds) {
  Items p(kItems, std::vector<double>(kClasses, 1.0 / kClasses));
  std::vector<int> votes(kItems, 0);
  for (const auto& given : labels) {
    for (const auto& [item, label, confidence] : given) p[item][label] += 1, ++votes[item];
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
      for (const auto& [item, label, confidence] : given) {
        for (std::size_t c = 0; c < kClasses; ++c) {
          n[c][label] += p[item][c];
          (c == label ? right : wrong) += p[item][c];
        }
      }
      for (const auto& [item, label, confidence] : given) {
        for (std::size_t c = 0; c < kClasses; ++c) {
          const double coin =
              c == label ? right / (right + wrong) : wrong / (right + wrong) / (kClasses - 1);
          const double row = n[c][0] + n[c][1] + n[c][2];
          next[item][c] *= coins == Coins::one ? coin : (4 * coin + n[c][label]) / (4 + row);
        }
      }
    }
    p = normalised(next);
  }
  return joined(p);
}

TEST(MulticlassFit, IsThatOfPlainLoops) {
  const std::vector<double> shares{0.5, 0.3, 0.2};
  for (const Coins coins : {Coins::one, Coins::two}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const MulticlassLabelsByWorker labels = random_labels(seed);
      const MulticlassFitOptions options{kItems, {kClasses, coins, {3, 0.9}}, shares, nullptr, 0};
      const MulticlassFit fit = multiclass_fit(labels, options, 7);
      const std::vector<double> wanted = plain(labels, coins, {3, 0.9}, shares, 7);
      for (std::size_t n = 0; n < wanted.size(); ++n) {
        EXPECT_NEAR(fit.probabilities[n], wanted[n], 1e-11) << "seed " << seed;
      }
    }
  }
}

/// The shares of the errors of each class, from the labels of all workers and 20 pseudo-labels.
std::vector<std::vector<double>> plain_errors(const MulticlassLabelsByWorker& labels,
                                              const Items& p, bool ordered) {
  std::vector<std::vector<double>> errors(kClasses, std::vector<double>(kClasses));
  for (std::uint32_t k = 0; k < kClasses; ++k) {
    const auto start = [&](std::uint32_t y) {
      return k == y ? 0 : ordered && (k > y ? k - y : y - k) == 2 ? 1.0 / 3 : 1.0;
    };
    const double all_start = start(0) + start(1) + start(2);
    double all = 0;
    for (std::uint32_t y = 0; y < kClasses; ++y) {
      errors[k][y] = 20 * start(y) / all_start;
      for (const auto& given : labels) {
        for (const auto& [item, label, confidence] : given) {
          if (label == y && y != k) errors[k][y] += p[item][k];
        }
      }
      all += errors[k][y];
    }
    for (double& share : errors[k]) share /= all;
  }
  return errors;
}

/// The prior of workers moved to the crowd's mean: five workers' worth of the prior, and every
/// worker with the weight of four labels at most.
math::BetaShape plain_prior(const MulticlassLabelsByWorker& labels, const Items& p) {
  double right = 5 * 3, all = 5 * 3.9;
  for (const auto& given : labels) {
    for (const auto& [item, label, confidence] : given) {
      const double weight = std::min(1.0, 4.0 / static_cast<double>(given.size()));
      right += weight * p[item][label];
      all += weight;
    }
  }
  const double mean = std::max(right / all, 1.0 / kClasses + 0.05);
  return {3.9 * mean, 3.9 * (1 - mean)};
}

/// A pooled fit from its definition: for each label everything its worker's other labels say is
/// counted again.
std::vector<double> plain_pooled(const MulticlassLabelsByWorker& labels, bool learn, bool ordered,
                                 int rounds) {
  Items p(kItems, std::vector<double>(kClasses, 1.0 / kClasses));
  std::vector<int> votes(kItems, 0);
  for (const auto& given : labels) {
    for (const auto& [item, label, confidence] : given) p[item][label] += 1, ++votes[item];
  }
  double labelled = 0, given_labels = 0;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    for (double& one : p[i]) one /= votes[i] + 1;
    labelled += votes[i] > 0;
    given_labels += votes[i];
  }
  for (int round = 0; round < rounds; ++round) {
    const auto errors = plain_errors(labels, p, ordered);
    const math::BetaShape prior = learn ? plain_prior(labels, p) : math::BetaShape{3, 0.9};
    auto next = p;
    for (std::uint32_t i = 0; i < kItems; ++i) {
      for (std::size_t k = 0; k < kClasses; ++k) {
        next[i][k] = 12 * labelled / std::sqrt(given_labels) / kClasses;
        for (std::uint32_t l = 0; l < kItems; ++l) next[i][k] += votes[l] > 0 ? p[l][k] : 0;
      }
    }
    for (const auto& given : labels) {
      for (const auto& [item, label, confidence] : given) {
        double right = prior.a, all = prior.a + prior.b;
        double row[kClasses] = {}, cell[kClasses] = {};
        for (const auto& other : given) {
          if (other.item == item) continue;
          right += p[other.item][other.label];
          all += 1;
          for (std::size_t k = 0; k < kClasses; ++k) {
            row[k] += p[other.item][k];
            if (other.label == label) cell[k] += p[other.item][k];
          }
        }
        for (std::size_t k = 0; k < kClasses; ++k) {
          const double coin = k == label ? right / all : (1 - right / all) * errors[k][label];
          next[item][k] *= (4.5 * coin + cell[k]) / (4.5 + row[k]);
        }
      }
    }
    p = normalised(next);
  }
  return joined(p);
}

MulticlassFitOptions pooled_options(bool learn, bool ordered) {
  return {.item_count = kItems,
          .tables = {kClasses, Coins::two, {3, 0.9}, {}, pooled_row_strength(kClasses)},
          .shares = std::vector<double>(kClasses, 1.0 / kClasses),
          .design = nullptr,
          .weight_variance = 0,
          .pooled = true,
          .learn_mean = learn,
          .ordered = ordered};
}

TEST(PooledFit, IsThatOfPlainLoops) {
  for (const bool learn : {false, true}) {
    for (const bool ordered : {false, true}) {
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const MulticlassLabelsByWorker labels = random_labels(seed);
        const MulticlassFit fit = multiclass_fit(labels, pooled_options(learn, ordered), 6);
        const std::vector<double> wanted = plain_pooled(labels, learn, ordered, 6);
        for (std::size_t n = 0; n < wanted.size(); ++n) {
          EXPECT_NEAR(fit.probabilities[n], wanted[n], 1e-11) << "seed " << seed;
        }
      }
    }
  }
}

TEST(PooledFit, AWorkersOnlyLabelSaysAsMuchAsTheCrowd) {
  // Two workers label the same item, and nothing else: equal votes stay equal.
  MulticlassLabelsByWorker labels = random_labels(5);
  for (const std::uint32_t label : {0U, 1U}) labels.push_back({{kItems - 1, label}});
  const MulticlassFit fit = multiclass_fit(labels, pooled_options(true, false), 8);
  const double* const p = &fit.probabilities[(kItems - 1) * kClasses];
  EXPECT_NEAR(p[0] / p[1], 1, 0.3);
  MulticlassFitOptions em = pooled_options(false, false);
  em.pooled = false;
  const MulticlassFit alone = multiclass_fit(labels, em, 8);
  const double* const q = &alone.probabilities[(kItems - 1) * kClasses];
  EXPECT_GT(std::abs(std::log(q[0] / q[1])), std::abs(std::log(p[0] / p[1])))
      << "where a label counts for its own worker, a lead of the shares grows";
}

TEST(PooledFit, AWorkerWithFewLabelsErrsAsTheCrowdDoes) {
  // Everybody takes class 0 for class 1, never for class 2; the last worker gave no label.
  MulticlassLabelsByWorker labels(4);
  for (std::uint32_t i = 0; i + 1 < kItems; ++i) {
    for (std::uint32_t j = 0; j < 3; ++j) {
      const std::uint32_t truth = i % kClasses;
      labels[j].push_back({i, truth == 0 && j == i % 3 ? 1 : truth});
    }
  }
  const MulticlassFit fit = multiclass_fit(labels, pooled_options(true, false), 8);
  std::vector<double> table(kClasses * kClasses);
  fit.tables.mean(&fit.counts[3 * kClasses * kClasses], table.data());
  EXPECT_GT(table[1], 1.1 * table[2]) << "of class 0";
  for (std::size_t k = 0; k < kClasses; ++k) {
    EXPECT_NEAR(table[k * kClasses] + table[k * kClasses + 1] + table[k * kClasses + 2], 1, 1e-12);
  }
}

TEST(PooledFit, SaysHowWellItPredictsLabels) {
  const MulticlassLabelsByWorker labels = random_labels(9);
  MulticlassFitOptions options = pooled_options(true, false);
  options.for_answers = true;
  const MulticlassFit fit = multiclass_fit(labels, options, 400);
  ASSERT_LT(fit.moved, 1e-10) << "the probabilities are those that the tables were made from";
  const auto [a, b] = fit.tables.prior;
  double sum = 0;
  for (std::size_t j = 0; j < kWorkers; ++j) {
    for (const auto& [item, label, confidence] : labels[j]) {
      const double* const p = &fit.probabilities[item * kClasses];
      std::vector<double> without(&fit.counts[j * 9], &fit.counts[j * 9] + 9), table(9);
      for (std::size_t k = 0; k < kClasses; ++k) without[k * kClasses + label] -= p[k];
      fit.tables.mean({a, b}, without.data(), table.data());
      double belief[kClasses], all = 0, predicted = 0;
      for (std::size_t k = 0; k < kClasses; ++k) all += belief[k] = p[k] / table[k * 3 + label];
      for (std::size_t k = 0; k < kClasses; ++k)
        predicted += belief[k] / all * table[k * 3 + label];
      sum += std::log(predicted);
    }
  }
  EXPECT_NEAR(fit.label_log_likelihood, sum, 1e-8);
  options.for_answers = false;
  EXPECT_EQ(multiclass_fit(labels, options, 400).label_log_likelihood, 0);
}

std::vector<double> shares_of_labels(const MulticlassLabelsByWorker& labels) {
  std::vector<double> shares(kClasses, 0.5);
  double all = 0.5 * kClasses;
  for (const auto& given : labels) {
    for (const auto& [item, label, confidence] : given) shares[label] += 1, all += 1;
  }
  for (double& share : shares) share /= all;
  return shares;
}

TEST(PooledFit, CanStartFromTheSharesOfTheLabels) {
  const MulticlassLabelsByWorker labels = random_labels(6);
  MulticlassFitOptions voted = pooled_options(true, false), given = voted;
  voted.voted_shares = true;
  given.shares = shares_of_labels(labels);
  EXPECT_EQ(multiclass_fit(labels, voted, 8).probabilities,
            multiclass_fit(labels, given, 8).probabilities);
}

TEST(MulticlassFit, CountsAddUpToTheLabels) {
  const MulticlassLabelsByWorker labels = random_labels(3);
  const MulticlassFitOptions options{
      kItems, {kClasses, Coins::two, {3, 0.9}}, {0.5, 0.3, 0.2}, nullptr, 0};
  const MulticlassFit fit = multiclass_fit(labels, options, 4);
  for (std::size_t j = 0; j < kWorkers; ++j) {
    double sum = 0;
    for (std::size_t n = 0; n < kClasses * kClasses; ++n) {
      sum += fit.counts[j * kClasses * kClasses + n];
    }
    EXPECT_NEAR(sum, static_cast<double>(labels[j].size()), 1e-9);
  }
}

TEST(MulticlassFit, EndsWhenLittleMoves) {
  const MulticlassLabelsByWorker labels = random_labels(4);
  const MulticlassFitOptions options{
      kItems, {kClasses, Coins::two, {3, 0.9}}, {0.5, 0.3, 0.2}, nullptr, 0};
  const MulticlassFit fit = multiclass_fit(labels, options, 1000, 1e-6);
  ASSERT_LT(fit.rounds, 1000);
  EXPECT_LE(fit.moved, 1e-6);
  const MulticlassFit same = multiclass_fit(labels, options, fit.rounds);
  const MulticlassFit before = multiclass_fit(labels, options, fit.rounds - 1);
  EXPECT_EQ(fit.probabilities, same.probabilities);
  EXPECT_GT(before.moved, 1e-6) << "not a round too many";
  double moved = 0;
  for (std::size_t n = 0; n < fit.probabilities.size(); ++n)
    moved = std::max(moved, std::abs(fit.probabilities[n] - before.probabilities[n]));
  EXPECT_EQ(fit.moved, moved);
}

}  // namespace
}  // namespace allot::model::multiclass_fit_test
