// Simulated crowds against independent measurements: 50 items with uniform soft labels, 100 workers
// whose reliability is Beta(4,1), each pair at most once, one coin, one pass, true priors, random
// ties. The reference means are over 300 runs (standard error about 0.004), ours over as many as
// fit into a few seconds. A right program fails one of the nine checks once in about 1,800 seeds.
// With 200 runs the means were .7898 .8568 .9085 (opt-kg), .7873 .8528 .9103 (kg), .7326 .7981
// .8524 (uniform).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "allot/model/binary_crowd.hpp"
#include "allot/policy/desk.hpp"

namespace allot::crowd_reference_test {
namespace {

using Policy = std::shared_ptr<const policy::Policy>;

constexpr std::uint32_t kItems = 50, kWorkers = 100;
constexpr std::array<int, 3> kBudgets{5 * kItems, 10 * kItems, 20 * kItems};
/// Standard deviation of one run's accuracy at each budget, over 200 runs of each policy.
constexpr std::array<double, 3> kDeviation{0.062, 0.055, 0.045};

/// The share of right answers at each budget of one run. Each item, worker and pair has its own
/// random numbers, so all policies meet the same crowd.
std::array<double, 3> accuracies(const Policy& policy, std::uint64_t run) {
  policy::Desk desk(model::make_crowd({.item_prior = model::Prior::uniform(),
                                       .worker_prior = model::Prior::beta(4, 1),
                                       .coins = model::Coins::one,
                                       .refit = model::Refit::off},
                                      kItems, kWorkers),
                    policy, policy::Offers::everyone(kItems, kWorkers));
  Rng world(1, Rng::Purpose::soft_label, run), ties(1, Rng::Purpose::tie, run);
  const Rng labels(1, Rng::Purpose::label, run);
  std::vector<double> soft_labels, reliabilities;
  for (std::uint32_t i = 0; i < kItems; ++i) soft_labels.push_back(uniform(world));
  for (std::uint32_t j = 0; j < kWorkers; ++j) reliabilities.push_back(beta(world, 4, 1));

  std::array<double, 3> result{};
  for (int spent = 1; spent <= kBudgets.back(); ++spent) {
    const policy::Pair pair = desk.choose(ties).value();
    const std::uint32_t item = position(pair.item), worker = position(pair.worker);
    const double theta = soft_labels[item], rho = reliabilities[worker];
    const double chance = rho * theta + (1 - rho) * (1 - theta);  // [CLZ eq:Z_1]
    const bool yes = unit_interval(labels.at(item * kWorkers + worker)) < chance;
    desk.record(pair, ClassId{yes ? 1U : 0U});
    const auto budget = std::ranges::find(kBudgets, spent);
    if (budget == kBudgets.end()) continue;
    double& right = result[static_cast<std::size_t>(budget - kBudgets.begin())];
    for (std::uint32_t i = 0; i < kItems; ++i) {
      const bool positive = favoured_label(desk.crowd().binary()->items()[i]) == Label::positive;
      right += (positive == (soft_labels[i] >= 0.5)) / double{kItems};
    }
  }
  return result;
}

void expect_reference(const Policy& policy, int runs, const std::array<double, 3>& reference) {
  std::array<double, 3> mean{};
  for (int run = 0; run < runs; ++run) {
    const std::array<double, 3> here = accuracies(policy, static_cast<std::uint64_t>(run));
    for (std::size_t k = 0; k < 3; ++k) mean[k] += here[k] / runs;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const double standard_error = std::hypot(kDeviation[k] / std::sqrt(runs), 0.004);
    EXPECT_NEAR(mean[k], reference[k], 4 * standard_error) << policy->name() << " " << kBudgets[k];
  }
}

TEST(CrowdReference, OptKgIsWithinFourStandardErrors) {
  expect_reference(
      policy::pair_index_policy("opt-kg", index::pair_opt_kg(), policy::TieBreak::random), 60,
      {.7859, .8535, .9032});
}

TEST(CrowdReference, KgIsWithinFourStandardErrors) {
  expect_reference(policy::pair_index_policy("kg", index::pair_kg(), policy::TieBreak::random), 8,
                   {.7845, .8477, .9034});
}

TEST(CrowdReference, UniformIsWithinFourStandardErrors) {
  expect_reference(policy::uniform_pair_policy(), 2000, {.7366, .8018, .8551});
}

}  // namespace
}  // namespace allot::crowd_reference_test
