// Worker priors that are learned while labels come in, in every way to hold beliefs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "allot/base/rng.hpp"
#include "allot/model/label_set.hpp"
#include "support/crowds.hpp"

namespace allot::model::learned_worker_prior_test {
namespace {

constexpr std::uint32_t kItems = 40, kWorkers = 16;

struct Way {
  Refit refit;
  Coins coins;
};
constexpr Way kWays[] = {{Refit::off, Coins::one},        {Refit::off, Coins::two},
                         {Refit::em, Coins::one},         {Refit::em, Coins::two},
                         {Refit::integrated, Coins::one}, {Refit::integrated, Coins::two}};
constexpr Way kClassWays[] = {{Refit::off, Coins::one},
                              {Refit::off, Coins::two},
                              {Refit::em, Coins::one},
                              {Refit::em, Coins::two}};

CrowdOptions options(const Way& way, bool learn) {
  CrowdOptions result;
  result.refit = way.refit;
  result.coins = way.coins;
  result.learn_workers = learn;
  return result;
}

CrowdOptions class_options(const Way& way, std::uint32_t classes, bool learn) {
  CrowdOptions result;
  result.item_prior = DirichletPrior::symmetric(classes);
  result.refit = way.refit;
  result.coins = way.coins;
  result.learn_workers = learn;
  return result;
}

/// Items of the classes in turn; everyone but the last worker labels all of them and is right with
/// the given chance.
std::vector<GivenLabel> labels(std::uint32_t classes, double right, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<GivenLabel> result;
  for (std::uint32_t j = 0; j + 1 < kWorkers; ++j) {
    for (std::uint32_t i = 0; i < kItems; ++i) {
      const auto off =
          uniform(rng) < right ? 0 : 1 + static_cast<std::uint32_t>(below(rng, classes - 1));
      result.push_back({ItemId{i}, WorkerId{j}, ClassId{(i + off) % classes}});
    }
  }
  for (std::size_t k = result.size(); k > 1; --k) std::swap(result[k - 1], result[below(rng, k)]);
  return result;
}

void record(Crowd& crowd, const GivenLabel& one) { crowd.record(one.item, one.worker, one.label); }

/// What is believed of the worker of whom nobody has seen a label.
double newcomer(const BinaryCrowd& crowd) { return crowd[WorkerId{kWorkers - 1}].mean.sensitivity; }
double newcomer(const MulticlassCrowd& crowd) { return crowd[WorkerId{kWorkers - 1}].front(); }

TEST(LearnedWorkerPrior, IsTheStartBeforeTheFirstLabel) {
  for (const Way& way : kWays) {
    EXPECT_NEAR(newcomer(*test::binary_crowd(options(way, true), kItems, kWorkers)),
                newcomer(*test::binary_crowd(options(way, false), kItems, kWorkers)), 1e-12);
  }
}

/// Not in one pass if workers disagree much: soft labels explain that as well as workers do.
TEST(LearnedWorkerPrior, TellsOfNewcomersWhatOthersAreLike) {
  for (const double right : {0.62, 0.95}) {
    const std::vector<GivenLabel> two = labels(2, right, 1), four = labels(4, right, 2);
    for (const Way& way : kWays) {
      if (way.refit == Refit::off && right < 0.9) continue;
      const auto crowd = test::binary_crowd(options(way, true), kItems, kWorkers);
      for (const GivenLabel& one : two) record(*crowd, one);
      EXPECT_NEAR(newcomer(*crowd), right, 0.06) << static_cast<int>(way.refit);
    }
    for (const Way& way : kClassWays) {
      if (way.refit == Refit::off && right < 0.9) continue;
      const auto crowd = test::multiclass_crowd(class_options(way, 4, true), kItems, kWorkers);
      for (const GivenLabel& one : four) record(*crowd, one);
      EXPECT_NEAR(newcomer(*crowd), right, 0.06) << static_cast<int>(way.refit);
    }
  }
}

TEST(LearnedWorkerPrior, IsEstimatedOnAScheduleCountedInLabels) {
  const std::vector<GivenLabel> given = labels(2, 0.8, 3);
  for (const Way& way : kWays) {
    const auto crowd = test::binary_crowd(options(way, true), kItems, kWorkers);
    const std::size_t every = way.refit == Refit::off ? 25 : 20;
    for (std::size_t n = 1; n <= 200; ++n) {
      const GivenLabel& one = given[n - 1];
      EXPECT_EQ(crowd->record(one.item, one.worker, one.label), n % every == 0) << n;
    }
  }
}

/// Between estimates one pass moves one item and one worker, and the answers come from an estimate
/// of all labels: as if the last label had been the one that is due.
TEST(LearnedWorkerPrior, OfOnePassAnswersFromAllLabels) {
  const std::vector<GivenLabel> given = labels(2, 0.7, 4);
  for (const Coins coins : {Coins::one, Coins::two}) {
    const auto crowd = test::binary_crowd(options({Refit::off, coins}, true), kItems, kWorkers);
    for (std::size_t n = 0; n < 100; ++n) record(*crowd, given[n]);
    EXPECT_EQ(crowd->final_probabilities(), class_probabilities(crowd->items()))
        << "the hundredth is due";
    const std::vector<ItemState> before(crowd->items().begin(), crowd->items().end());
    record(*crowd, given[100]);
    for (std::uint32_t i = 0; i < kItems; ++i) {
      if (ItemId{i} == given[100].item) continue;
      EXPECT_EQ((*crowd)[ItemId{i}], before[i]);
    }
  }
}

TEST(LearnedWorkerPrior, WithRefitsDoesNotDependOnTheOrderOfLabels) {
  std::vector<GivenLabel> given = labels(2, 0.7, 5);
  for (const Way& way : kWays) {
    if (way.refit == Refit::off) continue;
    const auto one = test::binary_crowd(options(way, true), kItems, kWorkers),
               other = test::binary_crowd(options(way, true), kItems, kWorkers);
    for (const GivenLabel& label : given) record(*one, label);
    std::ranges::reverse(given);
    for (const GivenLabel& label : given) record(*other, label);
    const auto some = one->final_probabilities(), others = other->final_probabilities();
    for (std::size_t n = 0; n < some.size(); ++n) EXPECT_NEAR(some[n], others[n], 1e-9);
  }
}

/// Few labels, one worker, labels that are all equal, workers who always agree or never do.
std::vector<std::vector<GivenLabel>> odd_campaigns() {
  std::vector<std::vector<GivenLabel>> result(6);
  result[0] = {{ItemId{0}, WorkerId{0}, ClassId{1}}};
  for (std::uint32_t i = 0; i < kItems; ++i) {
    result[1].push_back({ItemId{i}, WorkerId{0}, ClassId{i % 2}});
    for (std::uint32_t j = 0; j < kWorkers; ++j) {
      result[2].push_back({ItemId{i}, WorkerId{j}, ClassId{1}});
      result[3].push_back({ItemId{i}, WorkerId{j}, ClassId{i % 2}});
      result[4].push_back({ItemId{i}, WorkerId{j}, ClassId{(i + j) % 2}});
    }
    result[5].push_back({ItemId{i}, WorkerId{i % kWorkers}, ClassId{i % 3 == 0}});
  }
  return result;
}

TEST(LearnedWorkerPrior, DoesNotBlowUp) {
  for (const auto& campaign : odd_campaigns()) {
    for (const Way& way : kWays) {
      CrowdOptions sharp = options(way, true);
      sharp.worker_prior = Prior::beta(4000, 1000);
      const auto from_sharp = test::binary_crowd(sharp, kItems, kWorkers);
      for (const GivenLabel& one : campaign) record(*from_sharp, one);
      for (const double p : from_sharp->final_probabilities()) EXPECT_TRUE(p >= 0 && p <= 1) << p;
      const auto crowd = test::binary_crowd(options(way, true), kItems, kWorkers);
      for (const GivenLabel& one : campaign) record(*crowd, one);
      for (const double p : crowd->final_probabilities()) EXPECT_TRUE(p >= 0 && p <= 1) << p;
      for (std::uint32_t j = 0; j < kWorkers; ++j) {
        const Channel mean = (*crowd)[WorkerId{j}].mean;
        EXPECT_TRUE(mean.sensitivity > 0 && mean.sensitivity < 1) << mean.sensitivity;
        EXPECT_TRUE(mean.specificity > 0 && mean.specificity < 1) << mean.specificity;
      }
    }
    for (const Way& way : kClassWays) {
      const auto crowd = test::multiclass_crowd(class_options(way, 3, true), kItems, kWorkers);
      for (const GivenLabel& one : campaign) record(*crowd, one);
      for (const double p : crowd->final_probabilities()) EXPECT_TRUE(p >= 0 && p <= 1) << p;
      for (std::uint32_t j = 0; j < kWorkers; ++j) {
        for (const double chance : (*crowd)[WorkerId{j}]) EXPECT_TRUE(chance > 0 && chance < 1);
      }
    }
  }
}

}  // namespace
}  // namespace allot::model::learned_worker_prior_test
