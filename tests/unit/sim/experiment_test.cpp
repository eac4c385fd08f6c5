#include "allot/sim/experiment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "allot/policy/exact.hpp"
#include "allot/policy/registry.hpp"

namespace allot::sim {
namespace {

using model::Prior;
using policy::TieBreak;

Experiment small_experiment(std::vector<const char*> policies) {
  Experiment experiment{.item_count = 20,
                        .budgets = {40, 100},
                        .truth = Prior::uniform(),
                        .prior = Prior::uniform(),
                        .policies = {},
                        .runs = 30,
                        .seed = 5,
                        .threads = 1};
  for (const char* name : policies)
    experiment.policies.push_back(policy::make_policy(name, TieBreak::random).value());
  return experiment;
}

void expect_equal(const Row& one, const Row& other) {
  EXPECT_EQ(one.policy, other.policy);
  EXPECT_EQ(one.budget, other.budget);
  EXPECT_EQ(one.accuracy, other.accuracy);
  EXPECT_EQ(one.standard_error, other.standard_error);
  EXPECT_EQ(one.expected_accuracy, other.expected_accuracy);
}

TEST(Experiment, GivesTheSameNumbersOnAnyNumberOfThreads) {
  Experiment experiment = small_experiment({"uniform", "kg", "opt-kg", "gittins"});
  const auto alone = run(experiment).value();
  experiment.threads = 5;
  const auto together = run(experiment).value();
  ASSERT_EQ(alone.size(), 8U);
  for (std::size_t i = 0; i < alone.size(); ++i) expect_equal(alone[i], together[i]);
}

TEST(Experiment, RowsDoNotDependOnWhatElseIsCompared) {
  const auto many = run(small_experiment({"uniform", "opt-kg"})).value();
  Experiment experiment = small_experiment({"opt-kg"});
  experiment.budgets = {100};
  const auto one = run(experiment).value();
  expect_equal(one[0], many[3]);
}

TEST(Experiment, KeepsTheOrderOfBudgets) {
  Experiment experiment = small_experiment({"opt-kg", "gittins"});
  const auto upwards = run(experiment).value();
  experiment.budgets = {100, 40};
  const auto downwards = run(experiment).value();
  expect_equal(upwards[0], downwards[1]);
  expect_equal(upwards[3], downwards[2]);
}

TEST(Experiment,
     AgreesWithExactValues) {  // dp and opt-kg on 3 items, 10 labels: within four standard errors
  Experiment experiment = small_experiment({"dp", "opt-kg"});
  experiment.item_count = 3;
  experiment.budgets = {10};
  experiment.runs = 20000;
  const auto rows = run(experiment).value();
  const model::Beliefs beliefs(3, Prior::uniform());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double exact = policy::policy_accuracy(beliefs, 10, *experiment.policies[i]).value();
    EXPECT_NEAR(rows[i].accuracy, exact, 4 * rows[i].standard_error) << rows[i].policy;
    EXPECT_NEAR(rows[i].expected_accuracy, exact, 4 * rows[i].standard_error) << rows[i].policy;
  }
}

TEST(Experiment, EasyItemsAreAnsweredRight) {
  Experiment experiment = small_experiment({"opt-kg"});
  experiment.item_count = 4;
  experiment.truth = std::vector<double>{0, 1, 0, 1};
  const auto rows = run(experiment).value();
  EXPECT_EQ(rows[1].accuracy, 1);
  EXPECT_EQ(rows[1].standard_error, 0);
}

TEST(Experiment, PassesOnTheRefusalOfAPolicy) {
  Experiment experiment = small_experiment({"opt-kg", "dp"});
  experiment.budgets = {2000};
  const auto rows = run(experiment);
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, ErrorCode::too_large);
}

TEST(Experiment, CountsItsProgressInLabels) {
  Progress progress;
  run(small_experiment({"uniform", "gittins"}), &progress).value();
  EXPECT_EQ(progress.total, 30U * (100 + 140));
  EXPECT_EQ(progress.done, progress.total);
}

TEST(Experiment, RefusesNonsense) {
  Experiment experiment = small_experiment({"kg"});
  experiment.runs = 0;
  EXPECT_THROW(run(experiment), std::invalid_argument);
  experiment.runs = 1;
  experiment.budgets.clear();
  EXPECT_THROW(run(experiment), std::invalid_argument);
}

}  // namespace
}  // namespace allot::sim
