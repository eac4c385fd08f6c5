#include "model/spammers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "allot/base/rng.hpp"
#include "model/multiclass_fit.hpp"

namespace allot::model::spammers_test {
namespace {

constexpr std::uint32_t kItems = 150, kWorkers = 20, kSpammers = 4;

/// Tables that differ little: those of usual strength say themselves who always gives a label.
MulticlassFitOptions options(std::uint32_t classes) {
  return {.item_count = kItems,
          .tables = {classes, Coins::two, {3, 0.9}, {}, 10 * pooled_row_strength(classes)},
          .shares = std::vector<double>(classes, 1.0 / classes),
          .design = nullptr,
          .weight_variance = 0,
          .pooled = true,
          .learn_mean = true,
          .prior_strength = 10,
          .find_spammers = true};
}

struct Crowd {
  bool has_spammers = true;  // the first workers always say class 0; others are right with .8
  std::uint32_t classes = 3;
  double common = 0;  // share of items that are of class 0, beside those at random
  std::uint32_t labels_per_item = 4;
};

MulticlassLabelsByWorker labels_of(const Crowd& crowd, std::uint64_t seed) {
  Rng rng(seed);
  const auto any = [&] { return static_cast<std::uint32_t>(below(rng, crowd.classes)); };
  MulticlassLabelsByWorker labels(kWorkers);
  for (std::uint32_t i = 0; i < kItems; ++i) {
    const std::uint32_t truth = uniform(rng) < crowd.common ? 0 : any();
    const auto first = static_cast<std::uint32_t>(below(rng, kWorkers));
    for (std::uint32_t n = 0; n < crowd.labels_per_item; ++n) {
      const std::uint32_t worker = (first + 3 * n) % kWorkers;
      const auto error = static_cast<std::uint32_t>(below(rng, crowd.classes - 1)) + 1;
      std::uint32_t label = uniform(rng) < 0.8 ? truth : (truth + error) % crowd.classes;
      if (worker < kSpammers && crowd.has_spammers) label = 0;
      labels[worker].push_back({i, label});
    }
  }
  return labels;
}

/// Workers whose labels probably do not depend on the item, in all runs together.
struct Found {
  int spammers = 0, others = 0;
};

Found found(const Crowd& crowd, int runs) {
  Found result;
  for (int seed = 1; seed <= runs; ++seed) {
    const auto labels = labels_of(crowd, static_cast<std::uint64_t>(seed));
    const MulticlassFit fit = multiclass_fit(labels, options(crowd.classes), 8);
    for (std::uint32_t j = 0; fit.spammers && j < kWorkers; ++j) {
      if (fit.spammers->probability(j) < 0.5) continue;
      ++(j < kSpammers && crowd.has_spammers ? result.spammers : result.others);
    }
  }
  return result;
}

TEST(Spammers, WhoAlwaysSayTheSameAreFoundAndNobodyElse) {
  for (const double common : {0.0, 0.6}) {
    for (const std::uint32_t classes : {2U, 3U, 8U}) {
      const Found who = found({true, classes, common}, 10);
      EXPECT_GE(who.spammers, 32) << "of 40, " << classes << " classes, " << common;
      EXPECT_LE(who.others, 1) << "of 160, " << classes << " classes, " << common;
    }
  }
}

TEST(Spammers, AreNotSeenInHonestCrowds) {
  for (const double common : {0.0, 0.6, 0.8})
    EXPECT_LE(found({false, 3, common}, 10).others, 2) << "of 200, " << common;
}

TEST(Spammers, AreNotJudgedByLabelsThatAreAloneOnTheirItem) {
  EXPECT_EQ(found({.labels_per_item = 1}, 5).spammers, 0);
}

/// The probability that a worker is a spammer by plain loops, of a fit that has come to rest.
double plain_probability(const MulticlassLabelsByWorker& labels, const MulticlassFit& fit,
                         std::uint32_t classes, std::size_t worker) {
  std::vector<double> voted(classes, 0.5), believed(classes);
  double all_votes = 0.5 * classes, label_count = 0;
  for (const auto& given : labels) {
    for (const WorkerClassLabel& one : given) ++voted[one.label], ++all_votes, ++label_count;
  }
  const double held = 12 * kItems / std::sqrt(label_count);
  for (std::size_t k = 0; k < classes; ++k) {
    believed[k] = held / classes;
    for (std::size_t i = 0; i < kItems; ++i) believed[k] += fit.probabilities[i * classes + k];
    believed[k] /= held + kItems;
  }
  const auto& own = labels[worker];
  const double before = fit.spammers->probability(worker), n = static_cast<double>(own.size());
  double log_odds = -7;
  for (const WorkerClassLabel& one : own) {
    double same = 0;
    for (const WorkerClassLabel& other : own) same += other.label == one.label;
    const double* const p = &fit.probabilities[one.item * classes];
    std::vector<double> counts(&fit.counts[worker * classes * classes],
                               &fit.counts[worker * classes * classes] + classes * classes);
    std::vector<double> table(counts.size());
    for (std::size_t k = 0; k < classes; ++k) counts[k * classes + one.label] -= p[k];
    fit.tables.mean(counts.data(), table.data());
    double predicted = 0, all = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      const double by_table = table[k * classes + one.label];
      const double by_both = (1 - before) * by_table + before * (same + 1.0 / classes) / (n + 1);
      const double by_others = p[k] / by_both * (voted[k] / all_votes) / believed[k];
      predicted += by_others * by_table;
      all += by_others;
    }
    log_odds += std::log((same - 1 + 1.0 / classes) / n) - std::log(predicted / all);
  }
  return 1 / (1 + std::exp(-log_odds));
}

TEST(Spammers, HaveTheOddsOfTheTwoReadings) {
  constexpr std::uint32_t kClasses = 3;
  int doubtful = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto labels = labels_of({true, kClasses, 0.6}, seed);
    for (std::uint32_t j = 0; j < kSpammers; ++j) labels[j].resize(labels[j].size() / 3);
    const MulticlassFit fit = multiclass_fit(labels, options(kClasses), 600);
    if (!fit.spammers || fit.moved > 1e-9) continue;
    for (std::size_t j = 0; j < kWorkers; ++j) {
      const double wanted = plain_probability(labels, fit, kClasses, j);
      if (std::abs(wanted - 0.05) < 1e-4) continue;
      EXPECT_NEAR(fit.spammers->probability(j), wanted < 0.05 ? 0 : wanted, 1e-6);
      doubtful += wanted > 0.1 && wanted < 0.9;
    }
  }
  EXPECT_GT(doubtful, 5) << "the test would see errors";
}

TEST(Spammers, OfOneLabelAreThoseWhoGiveItToNineItemsInTen) {
  MulticlassLabelsByWorker labels(4);
  for (std::uint32_t i = 0; i < 20; ++i) {
    labels[0].push_back({i, i < 18 ? 1U : 0U});
    labels[1].push_back({i, i < 17 ? 1U : 0U});
    labels[2].push_back({i, i % 3});
    if (i < 4) labels[3].push_back({i, 2});
  }
  EXPECT_EQ(workers_of_one_label(labels, 3), (std::vector{true, false, false, false}));
  labels[1].push_back({20, 1});
  labels[2].resize(5);
  EXPECT_EQ(workers_of_one_label({labels[0], labels[2]}, 3), (std::vector{true, false}));
  EXPECT_TRUE(workers_of_one_label({labels[0]}, 3).empty()) << "nobody else gave a label";
  labels[0].resize(5);
  EXPECT_TRUE(workers_of_one_label(labels, 3).empty()) << "less than a quarter of the labels";
}

TEST(Spammers, WhoAreKnownTeachNothing) {
  // The fit is the one to the labels of the others.
  const auto labels = labels_of({true, 3, 0.6}, 5);
  MulticlassFitOptions how = options(3);
  how.spammers.assign(kWorkers, false);
  MulticlassLabelsByWorker others = labels;
  for (std::uint32_t j = 0; j < kSpammers; ++j) {
    how.spammers[j] = true;
    others[j].clear();
  }
  const MulticlassFit fit = multiclass_fit(labels, how, 8);
  EXPECT_EQ(fit.probabilities, multiclass_fit(others, options(3), 8).probabilities);
  EXPECT_EQ(fit.spammers.value().probability(0), 1);
}

TEST(Spammers, ChancesAreTheMeanOfBothReadings) {
  const MulticlassLabelsByWorker labels{{{0, 1}, {1, 1}, {2, 0}}, {{0, 0}}};
  Spammers spammers(labels, 2);
  EXPECT_FALSE(spammers.any());
  EXPECT_EQ(spammers.chance(0, 1, 0.3), 0.3);
  spammers.judge(0, 7);
  EXPECT_TRUE(spammers.any());
  EXPECT_NEAR(spammers.probability(0), 0.5, 1e-15);
  EXPECT_NEAR(spammers.chance(0, 1, 0.3), (0.3 + 2.5 / 4) / 2, 1e-15);
  EXPECT_NEAR(spammers.log_share_apart(0, 1), std::log(1.5 / 3), 1e-15);
  spammers.judge(1, 4);
  EXPECT_EQ(spammers.probability(1), 0) << "e^-3 to 1 is less than .05";
  spammers.judge(1, std::nan(""));
  EXPECT_EQ(spammers.probability(1), 0) << "what cannot be weighed does not count";
}

}  // namespace
}  // namespace allot::model::spammers_test
