#include "allot/model/multiclass_crowd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allot/base/rng.hpp"
#include "allot/model/label_set.hpp"
#include "support/crowds.hpp"

namespace allot::model::multiclass_crowd_test {
namespace {

/// Labels of items whose class is the item's number modulo the classes, by workers who are right
/// eight times out of ten and else say the next class; the last worker guesses.
std::vector<GivenLabel> some_labels(std::uint32_t items, std::uint32_t workers,
                                    std::uint32_t classes, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<GivenLabel> labels;
  for (std::uint32_t i = 0; i < items; ++i) {
    for (std::uint32_t j = 0; j < workers; ++j) {
      const double u = uniform(rng);
      const std::uint32_t off =
          j + 1 == workers ? static_cast<std::uint32_t>(below(rng, classes)) : (u < 0.8 ? 0U : 1U);
      labels.push_back({ItemId{i}, WorkerId{j}, ClassId{(i + off) % classes}});
    }
  }
  for (std::size_t k = labels.size(); k > 1; --k) std::swap(labels[k - 1], labels[below(rng, k)]);
  return labels;
}

CrowdOptions options(std::uint32_t classes, Refit refit, Coins coins) {
  CrowdOptions result;
  result.item_prior = DirichletPrior::symmetric(classes);
  result.refit = refit;
  result.coins = coins;
  return result;
}

double accuracy(const std::vector<double>& probabilities, std::uint32_t classes) {
  std::uint32_t right = 0, items = static_cast<std::uint32_t>(probabilities.size()) / classes;
  for (std::uint32_t i = 0; i < items; ++i) {
    const auto first = probabilities.begin() + i * classes;
    right += std::max_element(first, first + classes) - first == i % classes;
  }
  return static_cast<double>(right) / items;
}

struct Way {
  Refit refit;
  Coins coins;
};
constexpr Way kWays[] = {{Refit::off, Coins::one},    {Refit::off, Coins::two},
                         {Refit::em, Coins::one},     {Refit::em, Coins::two},
                         {Refit::pooled, Coins::one}, {Refit::pooled, Coins::two}};

TEST(MulticlassCrowd, OfTwoClassesInOnePassIsTheCrowdOfYesNoItems) {
  for (const Coins coins : {Coins::one, Coins::two}) {
    const auto several = test::multiclass_crowd(options(2, Refit::off, coins), 10, 4);
    CrowdOptions two;
    two.refit = Refit::off;
    two.coins = coins;
    const auto yes_no = test::binary_crowd(two, 10, 4);
    for (const auto& [item, worker, label] : some_labels(10, 4, 2, 1)) {
      several->record(item, worker, label);
      yes_no->record(item, worker, label);
      const ItemState& wanted = (*yes_no)[item];
      EXPECT_NEAR((*several)[item][1], wanted.shape.a, 1e-9 * wanted.shape.a);
      EXPECT_NEAR((*several)[item][0], wanted.shape.b, 1e-9 * wanted.shape.b);
      const Channel& mean = (*yes_no)[worker].mean;
      EXPECT_NEAR((*several)[worker][0], mean.specificity, 1e-9);
      EXPECT_NEAR((*several)[worker][3], mean.sensitivity, 1e-9);
    }
    for (std::uint32_t i = 0; i < 10; ++i) {
      EXPECT_NEAR(several->final_probabilities()[2 * i + 1], prob_positive((*yes_no)[ItemId{i}]),
                  1e-9);
    }
  }
}

TEST(MulticlassCrowd, OfTwoClassesAndOneCoinRefitsAsTheCrowdOfYesNoItems) {
  const auto several = test::multiclass_crowd(options(2, Refit::em, Coins::one), 30, 4);
  CrowdOptions two;
  two.refit = Refit::em;
  two.coins = Coins::one;
  const auto yes_no = test::binary_crowd(two, 30, 4);
  int refits = 0;
  for (const auto& [item, worker, label] : some_labels(30, 4, 2, 2)) {
    const bool all = several->record(item, worker, label);
    ASSERT_EQ(all, yes_no->record(item, worker, label));
    if (!all) continue;
    ++refits;
    for (std::uint32_t i = 0; i < 30; ++i) {
      EXPECT_NEAR((*several)[ItemId{i}][1], prob_positive((*yes_no)[ItemId{i}]), 1e-9);
    }
  }
  EXPECT_EQ(refits, 6);
  for (std::uint32_t i = 0; i < 30; ++i) {
    EXPECT_NEAR(several->final_probabilities()[2 * i + 1], yes_no->final_probabilities()[2 * i + 1],
                1e-9);
  }
}

TEST(MulticlassCrowd, FindsTheClassesAndTheWorkerWhoGuesses) {
  constexpr std::uint32_t kItems = 60, kWorkers = 6, kClasses = 4;
  for (const auto& [refit, coins] : kWays) {
    const auto crowd = test::multiclass_crowd(options(kClasses, refit, coins), kItems, kWorkers);
    for (const auto& [item, worker, label] : some_labels(kItems, kWorkers, kClasses, 3)) {
      crowd->record(item, worker, label);
    }
    EXPECT_GT(accuracy(crowd->final_probabilities(), kClasses), 0.95);
    const auto reliability = [&](std::uint32_t worker) {
      double sum = 0;
      for (std::size_t k = 0; k < kClasses; ++k)
        sum += (*crowd)[WorkerId{worker}][k * kClasses + k];
      return sum / kClasses;
    };
    // One pass takes early labels at the word of the prior and learns slowly.
    for (std::uint32_t j = 0; j + 1 < kWorkers; ++j) {
      EXPECT_GT(reliability(j), reliability(kWorkers - 1) + 0.1);
      EXPECT_NEAR(reliability(j), 0.8, refit != Refit::off ? 0.13 : 0.2);
    }
    EXPECT_NEAR(reliability(kWorkers - 1), 0.25, refit != Refit::off ? 0.15 : 0.5);
  }
}

TEST(MulticlassCrowd, LearnsWhichClassesAWorkerMixesUp) {
  constexpr std::uint32_t kItems = 80, kWorkers = 6, kClasses = 4;
  const auto crowd =
      test::multiclass_crowd(options(kClasses, Refit::em, Coins::two), kItems, kWorkers);
  for (const auto& [item, worker, label] : some_labels(kItems, kWorkers, kClasses, 4)) {
    crowd->record(item, worker, label);
  }
  // Wrong labels are the next class, not the one after.
  const std::span<const double> table = (*crowd)[WorkerId{0}];
  double next = 0, after_next = 0;
  for (std::size_t k = 0; k < kClasses; ++k) {
    next += table[k * kClasses + (k + 1) % kClasses];
    after_next += table[k * kClasses + (k + 2) % kClasses];
  }
  EXPECT_GT(next, 2 * after_next);
}

TEST(MulticlassCrowd, RowsOfTablesAndProbabilitiesSumToOne) {
  for (const auto& [refit, coins] : kWays) {
    const auto crowd = test::multiclass_crowd(options(3, refit, coins), 12, 5);
    for (const auto& [item, worker, label] : some_labels(12, 5, 3, 5)) {
      crowd->record(item, worker, label);
      const std::span<const double> table = (*crowd)[worker];
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(table[3 * k] + table[3 * k + 1] + table[3 * k + 2], 1, 1e-12);
      }
    }
    const std::vector<double> probabilities = crowd->final_probabilities();
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(probabilities[3 * i] + probabilities[3 * i + 1] + probabilities[3 * i + 2], 1,
                  1e-12);
    }
  }
}

/// Classes have no order: renaming them renames what is believed.
TEST(MulticlassCrowd, RenamedClassesGiveTheRenamedBeliefs) {
  constexpr std::uint32_t kClasses = 3;
  for (const auto& [refit, coins] : kWays) {
    const auto crowd = test::multiclass_crowd(options(kClasses, refit, coins), 15, 5);
    const auto renamed = test::multiclass_crowd(options(kClasses, refit, coins), 15, 5);
    for (const auto& [item, worker, label] : some_labels(15, 5, kClasses, 6)) {
      crowd->record(item, worker, label);
      renamed->record(item, worker, ClassId{(position(label) + 1) % kClasses});
    }
    for (std::uint32_t i = 0; i < 15; ++i) {
      for (std::uint32_t c = 0; c < kClasses; ++c) {
        EXPECT_NEAR((*crowd)[ItemId{i}][c], (*renamed)[ItemId{i}][(c + 1) % kClasses], 1e-9);
      }
    }
  }
}

TEST(MulticlassCrowd, PerfectWorkersAddCounts) {
  CrowdOptions perfect = options(3, Refit::off, Coins::two);
  perfect.worker_prior = Prior::beta(1e12, 1e-12);
  const auto crowd = test::multiclass_crowd(perfect, 2, 2);
  crowd->record(ItemId{0}, WorkerId{0}, ClassId{2});
  crowd->record(ItemId{0}, WorkerId{1}, ClassId{2});
  crowd->record(ItemId{1}, WorkerId{0}, ClassId{0});
  EXPECT_EQ((std::vector<double>((*crowd)[ItemId{0}].begin(), (*crowd)[ItemId{0}].end())),
            (std::vector<double>{1, 1, 3}));
  EXPECT_EQ((*crowd)[ItemId{1}][0], 2);
}

TEST(MulticlassCrowd, ItemsNobodyLabelledAreAnsweredFromTheirFeatures) {
  constexpr std::uint32_t kItems = 90, kClasses = 3;
  auto design = std::make_shared<Design>();
  design->item_count = kItems;
  design->column_count = kClasses;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    for (std::uint32_t c = 0; c < kClasses; ++c) design->values.push_back(i % kClasses == c);
  }
  CrowdOptions with = options(kClasses, Refit::em, Coins::two);
  with.design = design;
  const auto crowd = test::multiclass_crowd(with, kItems, 3);
  for (const auto& [item, worker, label] : some_labels(kItems, 3, kClasses, 7)) {
    if (position(item) < 45) crowd->record(item, worker, label);
  }
  const std::vector<double> probabilities = crowd->final_probabilities();
  EXPECT_GT(accuracy({probabilities.begin() + 45 * kClasses, probabilities.end()}, kClasses), 0.95);
  for (std::uint32_t i = 45; i < kItems; ++i)
    EXPECT_GT(probabilities[i * kClasses + i % kClasses], 0.5);
}

TEST(MulticlassCrowd, JudgesEachWorkerByTheirOwnPrior) {
  constexpr std::uint32_t kItems = 12, kWorkers = 3, kClasses = 3;
  const std::vector<Prior> priors{Prior::beta(9, 1), Prior::beta(2, 2), Prior::beta(1, 3)};
  for (const Refit refit : {Refit::off, Refit::em, Refit::pooled}) {
    for (const Coins coins : {Coins::one, Coins::two}) {
      CrowdOptions each = options(kClasses, refit, coins);
      each.worker_priors = priors;
      for (std::uint32_t j = 0; j < kWorkers; ++j) {
        CrowdOptions one = options(kClasses, refit, coins);
        one.worker_prior = priors[j];
        const auto crowd = test::multiclass_crowd(each, kItems, kWorkers),
                   plain = test::multiclass_crowd(one, kItems, kWorkers);
        for (const GivenLabel& given : some_labels(kItems, kWorkers, kClasses, 2)) {
          if (given.worker != WorkerId{j}) continue;
          crowd->record(given.item, given.worker, given.label);
          plain->record(given.item, given.worker, given.label);
        }
        EXPECT_TRUE(std::ranges::equal((*crowd)[WorkerId{j}], (*plain)[WorkerId{j}]));
        EXPECT_EQ(crowd->final_probabilities(), plain->final_probabilities());
        const std::uint32_t other = (j + 1) % kWorkers;
        EXPECT_FALSE(std::ranges::equal((*crowd)[WorkerId{other}], (*plain)[WorkerId{other}]));
      }
      EXPECT_THROW(test::multiclass_crowd(each, kItems, 2), std::invalid_argument)
          << "one a worker";
    }
  }
}

/// The labels after which a crowd that takes turns believes otherwise than one that does not: it
/// has then believed the shares of the labels. Every item is labelled by all workers, who name
/// class 0 with this probability, and else any class.
std::vector<int> voted_turns(std::uint32_t classes, double common) {
  constexpr std::uint32_t kItems = 40, kWorkers = 6;
  CrowdOptions turning = options(classes, Refit::pooled, Coins::two);
  turning.shares_in_turn = true;
  const auto crowd = test::multiclass_crowd(turning, kItems, kWorkers);
  const auto plain =
      test::multiclass_crowd(options(classes, Refit::pooled, Coins::two), kItems, kWorkers);
  Rng rng(4);
  std::vector<int> differ;
  for (std::uint32_t t = 1; t <= kItems * kWorkers; ++t) {
    const ItemId item{(t - 1) % kItems};
    const WorkerId worker{(t - 1) / kItems};
    const auto any = static_cast<std::uint32_t>(below(rng, classes));
    const ClassId label{uniform(rng) < common ? 0 : any};
    crowd->record(item, worker, label);
    plain->record(item, worker, label);
    if (t % 20 == 0 && !std::ranges::equal((*crowd)[item], (*plain)[item])) differ.push_back(t);
  }
  EXPECT_EQ(crowd->final_probabilities(), plain->final_probabilities()) << "answers are the same";
  return differ;
}

TEST(MulticlassCrowd, BelievesTheSharesOfTheLabelsAtEveryThirdRefit) {
  EXPECT_EQ(voted_turns(6, 0.1), (std::vector{60, 120, 180, 240}));
  EXPECT_EQ(voted_turns(2, 0.9), (std::vector{60, 120, 180, 240})) << "two classes tell too little";
}

TEST(MulticlassCrowd, BelievesTheSharesOfTheLabelsMoreOftenTheLikelierClassesAreUneven) {
  EXPECT_EQ(voted_turns(4, 0.95).size(), 12U) << "at every refit";
  std::vector<std::size_t> turns;
  for (const double common : {0.1, 0.4, 0.5, 0.7}) {
    const std::vector<int> now = voted_turns(4, common);
    for (const int third : {60, 120, 180, 240}) EXPECT_TRUE(std::ranges::count(now, third));
    turns.push_back(now.size());
  }
  EXPECT_TRUE(std::ranges::is_sorted(turns));
  EXPECT_LE(turns.front(), 5U) << "the first labels say little";
  EXPECT_GT(turns[2], 4U);
  EXPECT_LT(turns[2], 12U) << "where it is not sure, both beliefs have turns";
}

TEST(MulticlassCrowd, RefitsByExpectationMaximisationWhateverIsAskedFor) {
  const auto crowd = test::multiclass_crowd(options(3, Refit::integrated, Coins::two), 12, 5),
             em = test::multiclass_crowd(options(3, Refit::em, Coins::two), 12, 5);
  for (const auto& [item, worker, label] : some_labels(12, 5, 3, 8)) {
    crowd->record(item, worker, label);
    em->record(item, worker, label);
  }
  EXPECT_EQ(crowd->final_probabilities(), em->final_probabilities());
}

TEST(MulticlassCrowd, RefusesWhatItCannotHold) {
  CrowdOptions bad = options(3, Refit::em, Coins::two);
  bad.refit_every = 0;
  EXPECT_THROW(make_crowd(bad, 3, 2), std::invalid_argument);
  const auto design = std::make_shared<Design>(Design{2, 1, {1, 2}, {"f"}, {}, false});
  bad = options(3, Refit::em, Coins::two);
  bad.design = design;
  EXPECT_THROW(make_crowd(bad, 3, 2), std::invalid_argument) << "of other items";
  bad.refit = Refit::off;
  EXPECT_THROW(make_crowd(bad, 2, 2), std::invalid_argument) << "without refits";
  bad = CrowdOptions{.refit = Refit::em};
  bad.design = design;
  EXPECT_THROW(make_crowd(bad, 2, 2), std::invalid_argument) << "of a binary crowd by em";
}

}  // namespace
}  // namespace allot::model::multiclass_crowd_test
