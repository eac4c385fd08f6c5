#include "allot/sim/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "allot/policy/bound.hpp"
#include "allot/policy/registry.hpp"

namespace allot::sim {
namespace {

using model::Prior;

template <typename Made, typename Make>
std::vector<std::shared_ptr<const Made>> policies(std::initializer_list<const char*> names,
                                                  Make make) {
  std::vector<std::shared_ptr<const Made>> result;
  for (const char* name : names) result.push_back(make(name, policy::TieBreak::random).value());
  return result;
}

Experiment simulated(const model::SoftLabels& truth, const Prior& prior) {
  Experiment experiment;
  experiment.item_count = 20;
  experiment.budgets = {20, 60, 200};
  experiment.truth = truth;
  experiment.prior = prior;
  experiment.runs = 400;
  experiment.policies =
      policies<policy::Policy>({"uniform", "kg", "opt-kg", "label-price"}, policy::make_policy);
  return experiment;
}

CrowdExperiment crowd(const model::SoftLabels& truth, const model::SoftLabels& reliability) {
  CrowdExperiment experiment;
  experiment.world = SimulatedCrowd{20, 30, truth, reliability};
  experiment.beliefs.refit = model::Refit::off;
  experiment.beliefs.coins = model::Coins::one;
  experiment.budgets = {20, 60, 200};
  experiment.runs = 200;
  experiment.policies = policies<policy::PairPolicy>(
      {"uniform", "opt-kg"},
      [](const auto& name, auto ties) { return policy::make_pair_policy(name, ties); });
  return experiment;
}

/// Means are at most 4 standard errors above; a right program fails once in 30,000 rows.
template <typename Any>
void expect_kept(const Any& experiment, const char* what) {
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
  }
}

TEST(Bounds, AreNearlyReachedByLabelPrice) {
  Experiment experiment = simulated(Prior::uniform(), Prior::uniform());
  experiment.item_count = 50;
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
    EXPECT_EQ(differ[i], limits[i]) << "perfect workers";
  }
}

TEST(Bounds, AreNotKnownOfListedSoftLabelsNorOfSeveralClasses) {
  const std::vector<double> listed(20, 0.7);
  const Bounds none(3);
  EXPECT_EQ(bounds(simulated(listed, Prior::uniform())), none);
  EXPECT_EQ(bounds(crowd(listed, Prior::beta(4, 1))), none);
  CrowdExperiment several = crowd(Prior::uniform(), Prior::beta(4, 1));
  std::get<SimulatedCrowd>(several.world).class_truth = model::DirichletPrior::dirichlet({1, 1, 1});
  EXPECT_EQ(bounds(several), none);
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
  experiment.recording = recording(20, 5);
  experiment.budgets = {20, 60};
  const auto expected = [](const Prior& prior, std::uint64_t budget) {
    return policy::accuracy_bound(model::Beliefs(20, prior), budget).accuracy;
  };
  EXPECT_NEAR(*bounds(experiment)[1], expected(Prior::beta(1, 3), 60), 2e-9);
  experiment.prior = Prior::uniform();
  experiment.learn = model::PriorLearning{};
  model::Beliefs all(20, Prior::uniform());
  for (const auto& [item, worker, label] : experiment.recording->labels.labels)
    all.record(item, model::to_label(label));
  const Prior learned = model::learned_prior(all, *experiment.learn);
  EXPECT_NE(learned, Prior::uniform());
  EXPECT_NEAR(*bounds(experiment)[0], expected(learned, 20), 1e-6) << "no ties";
  experiment.learn = {};
  experiment.prior = Prior::haldane();
  EXPECT_EQ(bounds(experiment)[0], std::nullopt) << "no expectations under an improper prior";
}

TEST(Bounds, OfMoneyAreThoseOfTheMostLabelsItBuys) {
  SimulatedCrowd crowd;
  crowd.item_count = 10;
  crowd.worker_count = 3;
  crowd.truth = Prior::uniform();
  crowd.reliability = Prior::beta(4, 1);
  CrowdExperiment priced;
  priced.world = crowd;
  priced.prices = {Money::whole(5), Money::whole(1), Money::whole(3)};
  priced.money = {Money::whole(8), Money::whole(17), Money::whole(60)};
  CrowdExperiment counted = priced;
  counted.money.clear();
  counted.budgets = {8, 12, 24};  // 8 at 1; 10 at 1, 2 at 3; 10 at 1, 10 at 3, 4 at 5
  EXPECT_EQ(bounds(priced), bounds(counted));
}

/// The share of positive items and the reliability from which the bounds without labels, with one
/// label an item and with very many would come: solved for, not fitted.
TEST(Bounds, OfRecordedWorkersAreThoseOfTheShareAndTheBestWorker) {
  CrowdExperiment experiment;
  experiment.world = recording(400, 100);
  experiment.beliefs.coins = model::Coins::one;
  experiment.budgets = {0, 400, 1200};
  const Bounds limits = bounds(experiment);
  const double share = 1 - *limits[0];  // the better of two constant answers
  EXPECT_NEAR(share, 0.25, 0.02) << "held a little at one half";
  // The best two agree on all 400 items: their posterior mean is near (3 + 400) / (3.9 + 400).
  const double log_odds = std::log(share / (1 - share));
  auto curve = policy::coin_budget_curve({&log_odds, 1}, 0.985);
  EXPECT_NEAR(*limits[1], curve.accuracy_for_budget(1).accuracy, 0.01);
  EXPECT_GT(*limits[2], *limits[1]);
}

}  // namespace
}  // namespace allot::sim
