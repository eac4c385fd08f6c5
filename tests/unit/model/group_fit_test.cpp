#include "model/group_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allot/base/rng.hpp"
#include "model/multiclass_fit.hpp"

namespace allot::model::group_fit_test {
namespace {

constexpr std::uint32_t kItems = 200, kMembers = 5, kWorkers = 9, kClasses = 3;

/// The first five workers repeat a shared view with chance `repeats`; all are right with chance .75
/// else, and label half of the items.
MulticlassLabelsByWorker panel(double repeats, std::uint64_t seed) {
  Rng rng(seed);
  const auto noisy = [&](std::uint32_t truth) {
    if (uniform(rng) < 0.75) return truth;
    return (truth + 1 + static_cast<std::uint32_t>(below(rng, kClasses - 1))) % kClasses;
  };
  MulticlassLabelsByWorker labels(kWorkers);
  for (std::uint32_t i = 0; i < kItems; ++i) {
    const auto truth = static_cast<std::uint32_t>(below(rng, kClasses));
    const std::uint32_t view = noisy(truth);
    for (std::uint32_t j = 0; j < kWorkers; ++j) {
      const bool repeated = uniform(rng) < repeats && j < kMembers;
      const std::uint32_t label = repeated ? view : noisy(truth);
      if (uniform(rng) < 0.5) labels[j].push_back({i, label});
    }
  }
  return labels;
}

MulticlassFit fit(const MulticlassLabelsByWorker& labels, std::vector<std::uint32_t> groups,
                  int rounds = kFitRounds) {
  const MulticlassFitOptions options{.item_count = kItems,
                                     .tables = {.class_count = kClasses,
                                                .coins = Coins::two,
                                                .prior = {3, 0.9},
                                                .row_strength = pooled_row_strength(kClasses)},
                                     .shares = std::vector<double>(kClasses, 1.0 / kClasses),
                                     .design = nullptr,
                                     .weight_variance = {},
                                     .pooled = true,
                                     .learn_mean = true,
                                     .groups = std::move(groups)};
  return multiclass_fit(labels, options, rounds);
}

const std::vector<std::uint32_t> kDeclared{1, 1, 1, 1, 1};

/// 40 panels each. Of 1000 such panels of independent members 2.4 % showed as much evidence by
/// chance; 5 or more of 40 then have a chance of .3 %.
TEST(GroupFit, BelievesInASharedViewOnlyIfLabelsShowIt) {
  int wrongly = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto alone = fit(panel(0, seed), kDeclared).groups.repeats;
    wrongly += std::ranges::any_of(alone, [](double repeats) { return repeats > 0; });
    const auto together = fit(panel(0.68, seed), kDeclared).groups.repeats;
    for (std::uint32_t j = 0; j < kMembers; ++j) EXPECT_GT(together[j], 0.3) << seed;
  }
  EXPECT_LT(wrongly, 5);
}

/// Members without a shared view are read as if nobody had declared the group. The fits hold the
/// shares of classes by other weights, so that they agree only nearly, however long they run.
TEST(GroupFit, ReadsIndependentMembersAsWorkersAlone) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto labels = panel(0, seed);
    const MulticlassFit declared = fit(labels, kDeclared, 100), alone = fit(labels, {}, 100);
    if (declared.groups.repeats[0] > 0) continue;
    ++compared;
    for (std::size_t n = 0; n < alone.probabilities.size(); ++n)
      EXPECT_NEAR(declared.probabilities[n], alone.probabilities[n], 0.02) << seed;
    for (std::size_t n = 0; n < alone.counts.size(); ++n)
      EXPECT_NEAR(declared.counts[n], alone.counts[n], 0.1) << seed;
  }
  EXPECT_GT(compared, 5);
}

/// Two members who always agree: without labels of others, or with few, the declaration stands.
TEST(GroupFit, BelievesTheDeclarationWhileThereIsLittleToSee) {
  const auto repeats = [](std::uint32_t items, bool checked) {
    MulticlassLabelsByWorker labels(3);
    for (std::uint32_t i = 0; i < items; ++i) {
      const std::uint32_t label = i % kClasses;
      for (std::uint32_t j = 0; j < (checked ? 3U : 2U); ++j) labels[j].push_back({i, label});
    }
    return fit(labels, {1, 1}).groups.repeats[0];
  };
  EXPECT_GT(repeats(150, false), 0.3) << "nobody checks them";
  EXPECT_GT(repeats(49, true), 0.3);
  EXPECT_EQ(repeats(50, true), 0) << "one who is independent agrees as often";
}

/// One group that errs together does not decide for another that does not.
TEST(GroupFit, WeighsEachGroupAlone) {
  int right = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto repeats = fit(panel(0.68, seed), {1, 1, 1, 1, 1, 2, 2, 2, 2}).groups.repeats;
    right += repeats[0] > 0.3 && repeats[5] == 0 && repeats[8] == 0;
  }
  EXPECT_GE(right, 8);
}

}  // namespace
}  // namespace allot::model::group_fit_test
