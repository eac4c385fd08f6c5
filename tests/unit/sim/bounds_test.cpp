#include "allot/sim/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "allot/policy/bound.hpp"
#include "allot/policy/registry.hpp"
#include "support/experiments.hpp"

namespace allot::sim::bounds_test {
namespace {

using model::Prior;
using test::alike_of;
using test::crowd_of;
using test::simulation_of;

Experiment simulated(const model::SoftLabels& truth, const Prior& prior) {
  return {.world = Simulation{.item_count = 20, .truth = truth},
          .workers = AlikeWorkers{.prior = prior},
          .policies = test::policies_named({"uniform", "kg", "opt-kg", "label-price"}),
          .budgets = {20, 60, 200},
          .runs = 400};
}

Experiment crowd(const model::SoftLabels& truth, const model::SoftLabels& reliability,
                 std::uint32_t worker_count = 30, Marketplace marketplace = Marketplace::push) {
  DifferingWorkers workers;
  workers.marketplace = marketplace;
  workers.beliefs.refit = model::Refit::off;
  workers.beliefs.coins = model::Coins::one;
  return {.world = Simulation{20, worker_count, truth, reliability},
          .workers = workers,
          .policies = test::policies_named({"uniform", "opt-kg"}),
          .budgets = {20, 60, worker_count < 10 ? 20 * worker_count : 200},
          .runs = 80};
}

/// Means are at most 4 standard errors above; a right program fails once in 30,000 rows.
void expect_kept(const Experiment& experiment, const char* what) {
  const Bounds limits = bounds(experiment);
  const auto rows = run(experiment);
  ASSERT_TRUE(rows.has_value());
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const Row& row = (*rows)[i];
    EXPECT_LE(row.accuracy, *limits[i % limits.size()] + 4 * row.standard_error)
        << what << ", " << row.policy << " with " << row.budget;
  }
}

TEST(Bounds, AreKeptByPoliciesOnSimulatedLabels) {
  const Prior mixture = Prior::mixture({{0.5, 5, 1}, {0.2, 1, 1}, {0.3, 1, 5}});
  for (const Prior& truth :
       {Prior::uniform(), Prior::beta(4, 1), Prior::beta(0.5, 0.5), Prior::beta(10, 10), mixture}) {
    expect_kept(simulated(truth, Prior::uniform()), "uniform prior");
    expect_kept(simulated(truth, truth), "true prior");
  }
}

TEST(Bounds, AreKeptWhereWorkersDiffer) {
  for (const Prior& truth : {Prior::uniform(), Prior::beta(4, 1)}) {
    expect_kept(crowd(truth, Prior::beta(4, 1)), "drawn");
    expect_kept(crowd(truth, std::vector<double>(30, 1.0)), "perfect");
    expect_kept(crowd(truth, Prior::beta(4, 1), 4), "few");
  }
  // Hard items, and workers who are experts or guess.
  const Prior experts = Prior::mixture({{0.5, 50, 1}, {0.5, 5, 5}});
  for (const Marketplace market : {Marketplace::push, Marketplace::pull}) {
    expect_kept(crowd(Prior::beta(0.1, 0.1), experts, 8, market), "experts");
    expect_kept(crowd(Prior::uniform(), Prior::beta(4, 1), 6, market), "six");
  }
}

Experiment three_classes(std::uint32_t worker_count, Marketplace marketplace) {
  Experiment several = crowd(Prior::uniform(), Prior::beta(4, 1), worker_count, marketplace);
  simulation_of(several).class_truth = model::DirichletPrior::dirichlet({2, 1, 1});
  crowd_of(several).beliefs.item_prior = model::DirichletPrior::dirichlet({2, 1, 1});
  several.runs = 16;
  return several;
}

TEST(Bounds, AreKeptWithThreeClasses) {
  for (const Marketplace market : {Marketplace::push, Marketplace::pull}) {
    expect_kept(three_classes(5, market), "three classes");
  }
}

/// Nobody answers twice: with few workers the bound stays away from that of endless labels, and
/// policies that may ask everybody about everything come near.
TEST(Bounds, KnowThatWorkersAnswerOnce) {
  Experiment few = crowd(Prior::beta(0.1, 0.1), Prior::beta(40, 10), 5);
  few.budgets = {100};
  const double limit = *bounds(few).front();
  const double endless =
      policy::accuracy_bound(model::Beliefs(20, Prior::beta(0.1, 0.1)), 100).accuracy;
  EXPECT_LT(limit, endless - 0.03);
  EXPECT_GT(run(few).value().front().accuracy, limit - 0.06) << "all labels";
}

/// What the bound would be if every worker were as reliable as the mean: policies exceed it.
TEST(Bounds, OfMeanReliabilitiesAreNotKept) {
  const Prior experts = Prior::mixture({{0.5, 200, 1}, {0.5, 50, 50}});
  Experiment drawn = crowd(Prior::beta(0.02, 0.02), experts, 8);
  simulation_of(drawn).item_count = 100;
  drawn.budgets = {400};
  drawn.runs = 40;
  crowd_of(drawn).beliefs.worker_prior = Prior::mixture({{0.5, 20, 0.5}, {0.5, 5, 5}});
  Experiment mean = drawn;
  simulation_of(mean).reliability = std::vector<double>(8, 0.7475);
  const Row row = run(drawn).value().back();
  EXPECT_GT(row.accuracy, *bounds(mean).front() + 4 * row.standard_error);
  EXPECT_LT(row.accuracy, *bounds(drawn).front() + 4 * row.standard_error);
}

TEST(Bounds, AreNearlyReachedByLabelPrice) {
  Experiment experiment = simulated(Prior::uniform(), Prior::uniform());
  simulation_of(experiment).item_count = 50;
  experiment.budgets = {500};
  experiment.runs = 2000;
  const Row row = run(experiment).value().back();
  EXPECT_GT(row.accuracy, *bounds(experiment).front() - 0.003 - 4 * row.standard_error);
}

TEST(Bounds, AreThoseOfTheTruthWhateverIsBelieved) {
  const Experiment experiment = simulated(Prior::beta(4, 1), Prior::uniform());
  const Bounds limits = bounds(experiment), differ = bounds(crowd(Prior::beta(4, 1), Prior()));
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const model::Beliefs beliefs(20, Prior::beta(4, 1));
    const double whole = policy::accuracy_bound(beliefs, experiment.budgets[i]).accuracy;
    EXPECT_NEAR(*limits[i], whole, 2e-9);
    EXPECT_LE(*differ[i], *limits[i]) << "never above perfect workers without end";
  }
}

TEST(Bounds, AreNotKnownOfListedSoftLabels) {
  const std::vector<double> listed(20, 0.7);
  const Bounds none(3);
  EXPECT_EQ(bounds(simulated(listed, Prior::uniform())), none);
  EXPECT_EQ(bounds(crowd(listed, Prior::beta(4, 1))), none);
}

/// Every worker labels every item; the second class for the first `positive` items, but the last
/// worker errs on every other one.
std::shared_ptr<const Recording> recording(std::uint32_t items, std::uint32_t positive) {
  Recording result{{items, 3, 2, {}}, {}};
  for (std::uint32_t i = 0; i < items; ++i) {
    const std::uint32_t right = i < positive;
    result.truth.emplace_back(ClassId{right});
    for (std::uint32_t j = 0; j < 3; ++j) {
      const std::uint32_t label = j == 2 && i % 2 == 0 ? 1 - right : right;
      result.labels.labels.push_back({ItemId{i}, WorkerId{j}, ClassId{label}});
    }
  }
  return std::make_shared<const Recording>(std::move(result));
}

TEST(Bounds, OfRecordedLabelsOfWorkersAlikeAreThoseOfThePrior) {
  Experiment experiment = simulated(Prior::uniform(), Prior::beta(1, 3));
  const auto played_back = recording(20, 5);
  experiment.world = played_back;
  experiment.budgets = {20, 60};
  const auto expected = [](const Prior& prior, std::uint64_t budget) {
    return policy::accuracy_bound(model::Beliefs(20, prior), budget).accuracy;
  };
  EXPECT_NEAR(*bounds(experiment)[1], expected(Prior::beta(1, 3), 60), 2e-9);
  alike_of(experiment).prior = Prior::uniform();
  alike_of(experiment).learn = model::PriorLearning{};
  model::Beliefs all(20, Prior::uniform());
  for (const auto& [item, worker, label] : played_back->labels.labels)
    all.record(item, model::to_label(label));
  const Prior learned = model::learned_prior(all, *alike_of(experiment).learn);
  EXPECT_NE(learned, Prior::uniform());
  EXPECT_NEAR(*bounds(experiment)[0], expected(learned, 20), 1e-6) << "no ties";
  alike_of(experiment).learn = {};
  alike_of(experiment).prior = Prior::haldane();
  EXPECT_EQ(bounds(experiment)[0], std::nullopt) << "no expectations under an improper prior";
}

TEST(Bounds, OfMoneyAreThoseOfTheMostLabelsItBuys) {
  Experiment priced = test::crowd_experiment();
  priced.world = Simulation{10, 3, Prior::uniform(), Prior::beta(4, 1)};
  priced.prices = {Money::whole(5), Money::whole(1), Money::whole(3)};
  priced.money = {Money::whole(8), Money::whole(17), Money::whole(60)};
  Experiment counted = priced;
  counted.money.clear();
  counted.budgets = {8, 12, 24};  // 8 at 1; 10 at 1, 2 at 3; 10 at 1, 10 at 3, 4 at 5
  EXPECT_EQ(bounds(priced), bounds(counted));
}

/// The best two workers agree on all items, and a third label by the worst adds nothing.
TEST(Bounds, OfRecordedWorkersAreThoseOfTheShareAndTheWorkers) {
  Experiment experiment = test::crowd_experiment();
  experiment.world = recording(400, 100);
  crowd_of(experiment).beliefs.coins = model::Coins::one;
  experiment.budgets = {0, 400, 800, 1200};
  const Bounds limits = bounds(experiment);
  const double share = 1 - *limits[0];  // the better of two constant answers
  EXPECT_NEAR(share, 0.25, 0.02) << "held a little at one half";
  // The best two agree on all 400 items: their posterior mean is near (3 + 400) / (3.9 + 400).
  const double log_odds = std::log(share / (1 - share));
  auto curve = policy::coin_budget_curve({&log_odds, 1}, 0.985);
  EXPECT_NEAR(*limits[1], curve.accuracy_for_budget(1).accuracy, 0.01);
  EXPECT_GT(*limits[2], *limits[1]);
  EXPECT_NEAR(*limits[3], *limits[2], 2e-3);
  EXPECT_LT(*limits[3], curve.accuracy_for_budget(3).accuracy - 1e-4) << "once each";
}

}  // namespace
}  // namespace allot::sim::bounds_test
