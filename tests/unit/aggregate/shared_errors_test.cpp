#include "allot/aggregate/shared_errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "allot/aggregate/pooled.hpp"
#include "allot/base/rng.hpp"

namespace allot::aggregate::shared_errors_test {
namespace {

constexpr std::uint32_t kCopied = 3, kCopy = 9;

/// Ten workers; the last one copies worker 3 if `copies`. On hard items everybody guesses. A share
/// of the items is of the first class; the others are of any class.
struct TenWorkers {
  std::uint32_t items = 300, classes = 2;
  bool copies = false;
  double hard = 0, kept = 0.6, common = 0, worst = 0.65;
  std::uint32_t workers = 10;
};

struct Labelled {
  model::LabelSet set;
  std::vector<std::optional<ClassId>> truth;
};

Labelled draw_labels(const TenWorkers& crowd, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> right;
  for (std::uint32_t j = 0; j < crowd.workers; ++j)
    right.push_back(crowd.worst + (0.95 - crowd.worst) * uniform(rng));
  Labelled result{{crowd.items, crowd.workers, crowd.classes, {}}, {}};
  for (std::uint32_t i = 0; i < crowd.items; ++i) {
    const bool is_common = crowd.common > 0 && uniform(rng) < crowd.common;
    const auto truth = is_common ? 0 : static_cast<std::uint32_t>(below(rng, crowd.classes));
    const bool hard = uniform(rng) < crowd.hard;
    result.truth.emplace_back(ClassId{truth});
    std::optional<ClassId> copied;
    for (std::uint32_t j = 0; j < crowd.workers; ++j) {
      const bool is_right = uniform(rng) < (hard ? 1.0 / crowd.classes : right[j]);
      const auto other = static_cast<std::uint32_t>(below(rng, crowd.classes - 1));
      ClassId label{is_right ? truth : (truth + 1 + other) % crowd.classes};
      bool kept = uniform(rng) < crowd.kept;
      if (crowd.copies && j + 1 == crowd.workers) {
        kept = copied.has_value();
        label = copied.value_or(label);
      }
      if (!kept) continue;
      if (j == kCopied) copied = label;
      result.set.labels.push_back({ItemId{i}, WorkerId{j}, label});
    }
  }
  return result;
}

double accuracy_with(const Labelled& labelled, const std::vector<std::uint32_t>& groups) {
  PooledOptions options;
  options.groups = groups;
  return *accuracy(pooled(labelled.set, options).value().answers.answers, labelled.truth);
}

/// 20 crowds each. Answers with the group that was found are as good as those without the copy.
TEST(SharedErrors, OfACopyAreFoundAndCostNothingOnceDeclared) {
  for (const std::uint32_t classes : {2U, 4U}) {
    int found = 0;
    double declared = 0, undeclared = 0;
    constexpr int kCrowds = 20;
    for (int seed = 1; seed <= kCrowds; ++seed) {
      const Labelled labelled =
          draw_labels({.classes = classes, .copies = true}, static_cast<std::uint64_t>(seed));
      const SharedErrors errors = find_shared_errors(labelled.set).value();
      EXPECT_EQ(errors.pairs, 45U);
      if (errors.suspects.size() == 1) {
        found += errors.suspects[0].first == WorkerId{kCopied} &&
                 errors.suspects[0].second == WorkerId{kCopy};
      }
      Labelled without = labelled;
      std::erase_if(without.set.labels,
                    [](const auto& given) { return given.worker == WorkerId{kCopy}; });
      const double alone = accuracy_with(without, {});
      declared += (accuracy_with(labelled, errors.groups) - alone) / kCrowds;
      undeclared += (accuracy_with(labelled, {}) - alone) / kCrowds;
    }
    EXPECT_GE(found, 18) << classes;
    EXPECT_GT(declared, -0.005) << classes;
    EXPECT_LT(undeclared, -0.01) << classes
                                 << ": the copy spoils the answers if nobody knows of it";
  }
}

/// 150 crowds of independent workers. A rate of 5 % gives 14 or more alarms with a chance of 2 %.
TEST(SharedErrors, GiveFalseAlarmsNoMoreOftenThanStated) {
  int alarms = 0;
  for (int seed = 1; seed <= 150; ++seed) {
    const TenWorkers crowd{.items = 120, .classes = seed % 2 == 0 ? 2U : 3U};
    const Labelled labelled = draw_labels(crowd, static_cast<std::uint64_t>(seed));
    alarms += !find_shared_errors(labelled.set).value().suspects.empty();
  }
  EXPECT_LT(alarms, 14);
}

/// 100 crowds of three to seven workers, most of whose items are of one class. A rate of 5 % gives
/// 11 or more alarms with a chance of 1 %. Without the margin for few workers there are 28.
TEST(SharedErrors, OfFewWorkersAndACommonClassAreNoAlarm) {
  int alarms = 0;
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    const TenWorkers crowd{.items = 1000,
                           .classes = 2 + seed % 2,
                           .kept = 1,
                           .common = 0.9,
                           .worst = 0.5,
                           .workers = 3 + seed % 5};
    alarms += !find_shared_errors(draw_labels(crowd, seed).set).value().suspects.empty();
  }
  EXPECT_LT(alarms, 11);
}

TEST(SharedErrors, OfACopyAmongFiveWorkersAreFound) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Labelled labelled = draw_labels({.copies = true, .kept = 1, .workers = 5}, seed);
    const SharedErrors errors = find_shared_errors(labelled.set).value();
    found += !errors.suspects.empty() && errors.suspects[0].first == WorkerId{kCopied} &&
             errors.suspects[0].second == WorkerId{4};
  }
  EXPECT_GE(found, 16);
}

/// A negative control: items that are hard for everybody make all pairs agree in their errors.
TEST(SharedErrors, OfEverybodyOnHardItemsAreNoAlarm) {
  int alarms = 0;
  for (int seed = 1; seed <= 50; ++seed) {
    const Labelled labelled =
        draw_labels({.items = 200, .hard = 0.2}, static_cast<std::uint64_t>(seed));
    alarms += !find_shared_errors(labelled.set).value().suspects.empty();
  }
  EXPECT_LT(alarms, 7);
}

/// A second pair of copies: worker 10 copies worker 0.
TEST(SharedErrors, OfTwoPairsAreTwoGroups) {
  Labelled labelled = draw_labels({.copies = true}, 4);
  const std::vector<model::GivenLabel> before = labelled.set.labels;
  labelled.set.worker_count = 11;
  for (const model::GivenLabel& given : before) {
    if (given.worker == WorkerId{0})
      labelled.set.labels.push_back({given.item, WorkerId{10}, given.label});
  }
  const SharedErrors errors = find_shared_errors(labelled.set).value();
  EXPECT_EQ(errors.groups, (std::vector<std::uint32_t>{1, 0, 0, 2, 0, 0, 0, 0, 0, 2, 1}));
  EXPECT_EQ(find_shared_errors(labelled.set, {.most_suspects = 1}).value().suspects.size(), 1U);
}

TEST(SharedErrors, OfDeclaredGroupsAreNotReported) {
  const Labelled labelled = draw_labels({.copies = true}, 4);
  std::vector<std::uint32_t> groups(10);
  groups[kCopied] = groups[kCopy] = 1;
  const SharedErrors errors = find_shared_errors(labelled.set, {.groups = groups}).value();
  EXPECT_TRUE(errors.suspects.empty());
  EXPECT_EQ(errors.groups, groups);
  EXPECT_THROW(find_shared_errors(labelled.set, {.groups = {1, 1}}).value(), std::invalid_argument);
}

TEST(SharedErrors, LeaveOutPairsWithFewSharedItems) {
  const Labelled labelled = draw_labels({.items = 12, .kept = 0.4}, 5);
  EXPECT_EQ(find_shared_errors(labelled.set).value().pairs, 0U);
  EXPECT_GT(find_shared_errors(labelled.set, {.least_shared = 1}).value().pairs, 30U);
  EXPECT_THROW(find_shared_errors(labelled.set, {.false_alarms = 0}).value(),
               std::invalid_argument);
  EXPECT_FALSE(find_shared_errors({2, 2, 1, {{ItemId{0}, WorkerId{0}, ClassId{0}}}}));
}

}  // namespace
}  // namespace allot::aggregate::shared_errors_test
