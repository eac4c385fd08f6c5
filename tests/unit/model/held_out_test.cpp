#include "model/held_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "allot/base/rng.hpp"

namespace allot::model::held_out_test {
namespace {

constexpr std::uint32_t kItems = 60, kClasses = 3, kWorkers = 8;

MulticlassFitOptions options(double strength = 1) {
  return {.item_count = kItems,
          .tables = {kClasses, Coins::two, {3, 0.9}, {}, 4.5 * strength},
          .shares = std::vector<double>(kClasses, 1.0 / kClasses),
          .design = nullptr,
          .weight_variance = 0,
          .pooled = true,
          .learn_mean = true,
          .prior_strength = strength};
}

/// Three labels per item; half of the workers are right with `low`, half with `high`.
MulticlassLabelsByWorker labels_of(std::uint64_t seed, double low, double high) {
  Rng rng(seed);
  MulticlassLabelsByWorker labels(kWorkers);
  for (std::uint32_t i = 0; i < kItems; ++i) {
    const auto truth = static_cast<std::uint32_t>(below(rng, kClasses));
    const auto first = static_cast<std::uint32_t>(below(rng, kWorkers));
    for (std::uint32_t n = 0; n < 3; ++n) {
      const std::uint32_t worker = (first + 3 * n) % kWorkers;
      const auto error = static_cast<std::uint32_t>(below(rng, kClasses - 1)) + 1;
      const bool is_right = uniform(rng) < (worker < kWorkers / 2 ? low : high);
      labels[worker].push_back({i, is_right ? truth : (truth + error) % kClasses});
    }
  }
  return labels;
}

double evidence(const MulticlassLabelsByWorker& labels, const MulticlassFitOptions& how) {
  std::vector<Contender> contenders{{how}, {how}};
  predict_hidden_labels(labels, 8, nullptr, contenders);
  EXPECT_EQ(contenders[0].log_evidence, contenders[1].log_evidence);
  return contenders[0].log_evidence;
}

TEST(HeldOut, LabelsOfAnItemGoToTheFourPartsInTurn) {
  const MulticlassLabelsByWorker labels = labels_of(5, 0.5, 0.9);
  const auto parts = hidden_parts(labels, kItems);
  std::vector<std::set<int>> of_item(kItems);
  std::vector<int> size(4);
  for (std::uint32_t j = 0; j < kWorkers; ++j) {
    for (std::size_t n = 0; n < labels[j].size(); ++n) {
      of_item[labels[j][n].item].insert(parts[j][n]);
      ++size[parts[j][n]];
    }
  }
  for (const std::set<int>& some : of_item) EXPECT_EQ(some.size(), 3U);
  for (const int count : size) EXPECT_GT(count, 25) << "of 180";
}

TEST(HeldOut, LabelsOfItemsThatAreAlikeGoToAllParts) {
  MulticlassLabelsByWorker labels(kWorkers);
  for (std::uint32_t i = 0; i < kItems; ++i)
    for (std::uint32_t j = 0; j < kWorkers; ++j) labels[j].push_back({i, j % kClasses});
  const auto parts = hidden_parts(labels, kItems);
  for (std::uint32_t j = 0; j < kWorkers; ++j)
    for (const int part : {0, 1, 2, 3})
      EXPECT_GT(std::ranges::count(parts[j], part), 5) << "of 60 by worker " << j;
}

TEST(HeldOut, EvidenceIsTheLogLikelihoodOfLabelsThatTheFitHasNotSeen) {
  const MulticlassLabelsByWorker labels = labels_of(1, 0.5, 0.9);
  const auto parts = hidden_parts(labels, kItems);
  double sum = 0;
  for (int part = 0; part < 4; ++part) {
    MulticlassLabelsByWorker others(kWorkers), hidden(kWorkers);
    for (std::uint32_t j = 0; j < kWorkers; ++j)
      for (std::size_t n = 0; n < labels[j].size(); ++n)
        (parts[j][n] == part ? hidden : others)[j].push_back(labels[j][n]);
    const MulticlassFit fit = multiclass_fit(others, options(), 8);
    for (std::uint32_t j = 0; j < kWorkers; ++j) {
      for (const auto& [item, label, confidence] : hidden[j]) {
        double table[kClasses * kClasses], chance = 0;
        fit.tables.mean(&fit.counts[j * 9], table);
        for (std::uint32_t k = 0; k < kClasses; ++k)
          chance += fit.probabilities[item * kClasses + k] * table[k * kClasses + label];
        sum += std::log(chance);
      }
    }
  }
  EXPECT_NEAR(evidence(labels, options()), sum, 1e-9);
}

TEST(HeldOut, FavoursOwnTablesWhereWorkersDifferAndOneTableWhereTheyAreAlike) {
  double differ = 0, alike = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto gain = [&](double low, double high) {
      const MulticlassLabelsByWorker labels = labels_of(seed, low, high);
      return evidence(labels, options()) - evidence(labels, options(1000));
    };
    differ += gain(0.1, 0.95) / 10;
    alike += gain(0.6, 0.6) / 10;
  }
  EXPECT_GT(differ, 10);
  EXPECT_LT(alike, -2);
}

TEST(HeldOut, DoesNotDependOnTheOrderOfItemsWorkersAndLabels) {
  const MulticlassLabelsByWorker labels = labels_of(2, 0.4, 0.95);
  MulticlassLabelsByWorker other(kWorkers);
  for (std::uint32_t j = 0; j < kWorkers; ++j) {
    other[kWorkers - 1 - j] = labels[j];
    for (WorkerClassLabel& one : other[kWorkers - 1 - j]) one.item = (one.item * 7 + 3) % kItems;
    std::ranges::reverse(other[kWorkers - 1 - j]);
  }
  EXPECT_NEAR(evidence(labels, options()), evidence(other, options()), 1e-8);
}

TEST(HeldOut, SaysNothingWhereNoLabelCanBePredicted) {
  MulticlassLabelsByWorker labels(kWorkers);
  for (std::uint32_t i = 0; i < kItems; ++i) labels[i % kWorkers].push_back({i, i % kClasses});
  EXPECT_EQ(evidence(labels, options()), 0) << "one label per item";
  MulticlassFitOptions grouped = options();
  grouped.groups.assign(kWorkers, 1);
  EXPECT_EQ(evidence(labels_of(3, 0.5, 0.9), grouped), 0) << "members of a group";
}

TEST(HeldOut, ReadsLabelsWithoutTheirConfidences) {
  const MulticlassLabelsByWorker labels = labels_of(4, 0.5, 0.9);
  MulticlassLabelsByWorker sure = labels;
  for (auto& given : sure)
    for (WorkerClassLabel& one : given) one.confidence = 0.9F;
  EXPECT_EQ(evidence(labels, options()), evidence(sure, options()));
}

}  // namespace
}  // namespace allot::model::held_out_test
