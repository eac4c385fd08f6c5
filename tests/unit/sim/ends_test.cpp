// Runs that end before their budget, and budgets in money.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "allot/index/stopping.hpp"
#include "allot/policy/registry.hpp"
#include "allot/sim/experiment.hpp"
#include "support/experiments.hpp"
#include "support/row_equality.hpp"
#include "support/watched_policy.hpp"

namespace allot::sim::ends_test {
namespace {

using model::Prior;
using policy::StopReason;
using policy::StopRules;
using policy::TieBreak;
using test::alike_of;
using test::crowd_of;
using test::simulation_of;

constexpr std::uint32_t kItems = 12, kWorkers = 9;
const Money kCent = Money::billionths(10'000'000);

Experiment alike(std::vector<std::uint64_t> budgets, std::uint32_t runs = 3) {
  return {.world = Simulation{.item_count = kItems},
          .policies = test::policies_named({"uniform", "opt-kg", "nlu"}),
          .budgets = std::move(budgets),
          .runs = runs};
}

Experiment classes(std::vector<std::uint64_t> budgets) {
  const auto prior = model::DirichletPrior::symmetric(3);
  return {.world = Simulation{.item_count = 5, .class_truth = prior},
          .workers = AlikeWorkers{.prior = prior},
          .policies = test::policies_named({"uniform", "opt-kg"}),
          .budgets = std::move(budgets),
          .runs = 3};
}

Experiment differing(model::Refit refit = model::Refit::off) {
  DifferingWorkers workers;
  workers.beliefs = {Prior::uniform(), Prior::beta(4, 1), model::Coins::one, refit, 10};
  return {.world = Simulation{kItems, kWorkers, Prior::uniform(), Prior::beta(4, 1)},
          .workers = workers,
          .policies = test::policies_named({"uniform", "opt-kg", "eig"}),
          .runs = 3};
}

/// Three prices, so that what is left of a budget pays some and not others.
std::vector<Money> some_prices() {
  std::vector<Money> prices(kWorkers, kCent * 3);
  prices[0] = kCent;
  prices[4] = prices[5] = kCent * 8;
  return prices;
}

std::vector<Row> rows_of(const Experiment& experiment) { return run(experiment).value(); }

std::uint32_t stopped(const Row& row, StopReason reason) {
  return row.stopped[static_cast<std::size_t>(reason)];
}

/// Rules that no campaign here can meet.
StopRules never(bool worth) {
  return {1, 1, worth ? std::optional(Money::whole(1000)) : std::nullopt};
}

TEST(StoppedRuns, AreAsBeforeIfNoRuleIsMet) {
  const auto budgets = std::vector<std::uint64_t>{5, 30};
  Experiment one = alike(budgets), other = one;
  other.stop = never(true);
  test::expect_equal(run(other).value(), run(one).value());
  alike_of(one).learn = alike_of(other).learn = model::PriorLearning{};
  test::expect_equal(run(other).value(), run(one).value());
  Experiment few = classes(budgets), fewer = few;
  fewer.stop = never(false);
  test::expect_equal(run(fewer).value(), run(few).value());
  for (const auto refit : {model::Refit::off, model::Refit::integrated}) {
    for (const auto market : {Marketplace::push, Marketplace::pull}) {
      Experiment crowd = differing(refit);
      crowd_of(crowd).marketplace = market;
      crowd.budgets = budgets;
      Experiment same = crowd;
      same.stop = never(true);
      const auto rows = run(same).value();
      test::expect_equal(rows, run(crowd).value());
      for (const Row& row : rows) {
        EXPECT_EQ(row.labels, static_cast<double>(row.budget));
        EXPECT_EQ(row.spent, row.labels);
        EXPECT_EQ(stopped(row, StopReason::budget), 3U);
      }
    }
  }
}

/// Of a single run, so that the row is its final state.
void expect_true_reason(const Row& row, double accuracy) {
  if (stopped(row, StopReason::accuracy) == 1) {
    EXPECT_GE(row.expected_accuracy, accuracy - 1e-12);
    EXPECT_LE(row.labels, static_cast<double>(row.budget));
  } else {
    EXPECT_EQ(stopped(row, StopReason::budget), 1U);
    EXPECT_LT(row.expected_accuracy, accuracy);
    EXPECT_EQ(row.labels, static_cast<double>(row.budget));
  }
}

TEST(StoppedRuns, EndWhenTheAnswersAreGoodEnough) {
  std::uint32_t early = 0, late = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Experiment experiment = alike({20, 60}, 1);
    experiment.stop.accuracy = 0.85;
    experiment.seed = seed;
    Experiment several = classes({10, 40});
    several.runs = 1;
    several.stop.accuracy = 0.7;
    several.seed = seed;
    Experiment crowd = differing();
    crowd.runs = 1;
    crowd.budgets = {20, 90};
    crowd.stop.accuracy = 0.8;
    crowd.seed = seed;
    for (const Row& row : rows_of(experiment)) expect_true_reason(row, 0.85);
    for (const Row& row : rows_of(several)) expect_true_reason(row, 0.7);
    for (const Row& row : rows_of(crowd)) {
      expect_true_reason(row, 0.8);
      (stopped(row, StopReason::accuracy) ? early : late) += 1;
    }
  }
  EXPECT_GT(early, 10U);
  EXPECT_GT(late, 10U);
}

TEST(StoppedRuns, NeedNoLabelsIfThePriorIsGoodEnough) {
  Experiment experiment = alike({20});
  alike_of(experiment).prior = Prior::beta(9, 1);
  experiment.stop.settled = 0.9;
  for (const Row& row : rows_of(experiment)) {
    EXPECT_EQ(row.labels, 0);
    EXPECT_EQ(stopped(row, StopReason::settled), 3U);
  }
}

TEST(StoppedRuns, HaveAllItemsSettledOrNoLabelsLeft) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Experiment experiment = alike({2000}, 1);
    experiment.seed = seed;
    experiment.stop.settled = 0.8;
    for (const Row& row : rows_of(experiment)) {
      EXPECT_EQ(stopped(row, StopReason::settled), 1U);
      EXPECT_GE(row.expected_accuracy, 0.8);
      EXPECT_LT(row.labels, 2000);
    }
    Experiment crowd = differing();
    crowd.seed = seed;
    crowd.runs = 1;
    crowd.budgets = {kItems * kWorkers};
    crowd.stop.settled = 0.75;
    for (const Row& row : rows_of(crowd)) {
      EXPECT_EQ(stopped(row, StopReason::settled) + stopped(row, StopReason::exhausted), 1U);
      EXPECT_LT(row.labels, kItems * kWorkers);
    }
  }
}

TEST(StoppedRuns, AskNoFurtherAboutASettledItem) {
  constexpr double kSettled = 0.75;
  Experiment experiment = differing();
  const auto watched = std::make_shared<test::WatchedPolicy>(experiment.policies[1]);
  experiment.policies = {watched};
  experiment.runs = 1;
  experiment.threads = 1;
  experiment.budgets = {kItems * kWorkers};
  experiment.stop.settled = kSettled;
  // Every worker is right, so that the labels are known: all items are positive.
  experiment.world = Simulation{kItems, kWorkers, std::vector<double>(kItems, 1),
                                std::vector<double>(kWorkers, 1)};
  ASSERT_TRUE(run(experiment));
  const auto crowd = model::make_crowd(crowd_of(experiment).beliefs, kItems, kWorkers);
  std::set<ItemId> settled;
  for (const policy::Pair& pair : watched->asked()) {
    EXPECT_FALSE(settled.contains(pair.item));
    crowd->record(pair.item, pair.worker, ClassId{1});
    if (crowd->error(pair.item) <= 1 - kSettled) settled.insert(pair.item);
  }
  EXPECT_EQ(settled.size(), kItems);
}

/// One item, asked while it pays: the labels and the accuracy of the best rule at that price.
/// 20,000 runs, within 4 standard errors.
TEST(StoppedRuns, FollowTheBestRuleForOneItem) {
  constexpr double kPrice = 0.01;
  Experiment experiment = alike({500}, 20'000);
  simulation_of(experiment).item_count = 1;
  experiment.policies.resize(2);
  experiment.prices = {kCent * 5};
  experiment.stop.worth = Money::whole(5);
  const std::vector<model::Counts> start(1);
  const auto best = index::StoppingLattice(Prior::uniform()).values(kPrice, start).front();
  for (const Row& row : rows_of(experiment)) {
    EXPECT_EQ(stopped(row, StopReason::worth), experiment.runs);
    EXPECT_NEAR(row.labels, best.labels, 0.15);  // deviation about 5 a run
    EXPECT_NEAR(row.spent, 0.05 * row.labels, 1e-9);
    EXPECT_NEAR(row.accuracy - kPrice * row.labels, 0.5 + best.gain,
                4 * row.standard_error + 0.0015);
  }
}

TEST(StoppedRuns, AreNotWorthTheirPriceAtTheEnd) {
  Experiment experiment = differing(model::Refit::em);
  experiment.budgets = {kItems * kWorkers};
  experiment.prices.assign(kWorkers, kCent);
  std::vector<double> labels;
  for (const std::uint64_t worth : {1U, 5U, 50U}) {
    experiment.stop.worth = kCent * worth;
    const auto rows = run(experiment).value();
    labels.push_back(rows[1].labels);
    for (const Row& row : rows) EXPECT_NEAR(row.spent, 0.01 * row.labels, 1e-9);
  }
  EXPECT_EQ(labels[0], 0) << "a label costs as much as a right answer is worth";
  EXPECT_GT(labels[1], 0);
  EXPECT_GT(labels[2], labels[1]);
}

TEST(StoppedRuns, RefuseWhatNoRuleIsFor) {
  Experiment several = classes({10});
  several.stop.worth = kCent;
  EXPECT_THROW((void)run(several), std::invalid_argument);
  Experiment planned = alike({4});
  simulation_of(planned).item_count = 2;
  planned.policies = {policy::make_policy("dp", TieBreak::first).value()};
  planned.stop.settled = 0.9;
  EXPECT_EQ(run(planned).error().message,
            "policy 'dp' cannot leave settled items out: it plans with all");
  planned.stop = {.accuracy = 0.8};
  EXPECT_TRUE(run(planned));
  Experiment wrong = alike({4});
  wrong.stop.accuracy = 2;
  EXPECT_THROW((void)run(wrong), std::invalid_argument);
  wrong.stop = {};
  wrong.prices = {Money()};
  EXPECT_THROW((void)run(wrong), std::invalid_argument);
}

TEST(MoneyBudgets, WithEqualPricesAreBudgetsInLabels) {
  Experiment labels = differing();
  labels.budgets = {10, 25};
  Experiment money = labels;
  money.budgets.clear();
  money.money = {kCent * 30, kCent * 77};
  money.prices.assign(kWorkers, kCent * 3);
  const auto rows = run(money).value();
  test::expect_equal(rows, run(labels).value());
  EXPECT_DOUBLE_EQ(rows.front().spent, 0.3);
}

TEST(MoneyBudgets, AreSpentToTheLastLabelTheyCanPay) {
  for (const auto market : {Marketplace::push, Marketplace::pull}) {
    Experiment experiment = differing();
    crowd_of(experiment).marketplace = market;
    experiment.runs = 1;
    experiment.prices = some_prices();
    experiment.money = {kCent, kCent * 20, kCent * 100};
    const auto rows = run(experiment).value();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double budget = experiment.money[i % 3].value();
      EXPECT_LE(rows[i].spent, budget + 1e-12);
      EXPECT_GT(rows[i].spent, budget - 0.0301) << "but for a cheap worker who has no label left";
      EXPECT_EQ(stopped(rows[i], StopReason::budget), 1U);
    }
  }
}

TEST(MoneyBudgets, BuyAllLabelsIfTheyCan) {
  Experiment experiment = differing();
  experiment.prices = some_prices();
  experiment.money = {Money::whole(100)};
  for (const Row& row : rows_of(experiment)) {
    EXPECT_EQ(row.labels, kItems * kWorkers);
    EXPECT_NEAR(row.spent, 0.01 * kItems * (1 + 2 * 8 + 6 * 3), 1e-9);
    EXPECT_EQ(stopped(row, StopReason::exhausted), 3U);
  }
}

TEST(MoneyBudgets, HaveTheSameRowsAloneAndTogetherOnAnyNumberOfThreads) {
  Experiment together = differing();
  together.prices = some_prices();
  together.money = {kCent * 40, kCent * 15};
  together.threads = 3;
  const auto rows = run(together).value();
  for (std::size_t i = 0; i < 2; ++i) {
    Experiment alone = together;
    alone.money = {together.money[i]};
    alone.threads = 1;
    const auto own = run(alone).value();
    for (std::size_t k = 0; k < own.size(); ++k) test::expect_equal(own[k], rows[2 * k + i]);
  }
}

/// Of two types who are equally good the cheap ones are asked as long as they can be.
TEST(MoneyBudgets, BuyFromTheCheapFirst) {
  Experiment experiment = differing();
  experiment.prices.assign(kWorkers, kCent * 10);
  for (std::uint32_t j = 0; j < 4; ++j) experiment.prices[j] = kCent;
  const auto watched = std::make_shared<test::WatchedPolicy>(experiment.policies[1]);
  experiment.policies = {watched};
  experiment.runs = 1;
  experiment.money = {kCent * 30};
  ASSERT_TRUE(run(experiment));
  ASSERT_EQ(watched->asked().size(), 30U);
  for (const policy::Pair& pair : watched->asked()) EXPECT_LT(position(pair.worker), 4U);
}

TEST(WorkersOfTypes, AreDrawnAndJudgedByTheirTypes) {
  Experiment experiment = differing();
  Simulation& world = simulation_of(experiment);
  world.truth = std::vector<double>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  for (std::uint32_t j = 0; j < kWorkers; ++j)
    world.reliabilities.push_back(j < 2 ? Prior::beta(1e6, 1) : Prior::beta(1e6, 1e6));
  crowd_of(experiment).beliefs.worker_priors = world.reliabilities;
  experiment.budgets = {2 * kItems};
  experiment.policies = {policy::make_policy("opt-kg", TieBreak::random).value()};
  EXPECT_EQ(run(experiment).value().front().accuracy, 1) << "those who know are asked";
  world.reliabilities.pop_back();
  EXPECT_THROW((void)run(experiment), std::invalid_argument);
}

TEST(MoneyBudgets, RefuseWhatMakesNoSense) {
  Experiment experiment = differing();
  experiment.budgets = {10};
  experiment.money = {kCent};
  EXPECT_THROW((void)run(experiment), std::invalid_argument) << "labels and money";
  experiment.budgets.clear();
  experiment.prices = {kCent, kCent};
  EXPECT_THROW((void)run(experiment), std::invalid_argument) << "one per worker";
  experiment.prices.assign(kWorkers, Money());
  EXPECT_THROW((void)run(experiment), std::invalid_argument);
}

}  // namespace
}  // namespace allot::sim::ends_test
