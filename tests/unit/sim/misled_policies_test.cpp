// Crowds that can mislead a policy that chooses workers.
#include <gtest/gtest.h>

#include "allot/policy/registry.hpp"
#include "allot/sim/experiment.hpp"
#include "support/experiments.hpp"

namespace allot::sim::misled_policies_test {
namespace {

using model::Prior;

std::shared_ptr<const policy::Policy> named(const char* name) {
  return policy::make_policy(name, policy::TieBreak::random).value();
}

TEST(Scout, DoesNotSpendASmallBudgetOnWorkersWhoCouldGiveManyLabels) {
  Experiment experiment = test::crowd_experiment();
  experiment.world =
      Simulation{200, 50, Prior::mixture({{0.5, 20, 1}, {0.5, 1, 20}}), Prior::beta(4, 1)};
  experiment.budgets = {400};
  experiment.policies = {named("scout"), named("uniform")};
  experiment.runs = 6;
  const std::vector<Row> rows = run(experiment).value();
  EXPECT_GT(rows[0].accuracy, rows[1].accuracy + 0.05);
}

/// Workers who are right 57 % of the time, and 95 % of the items in one of four classes. Policies
/// that believe in even classes ask those who name all classes equally often: they guess.
TEST(BudgetKg, IsNotBelowLabelsAtRandomWhereMediocreWorkersSeeACommonClass) {
  Experiment experiment = test::crowd_experiment();
  experiment.world =
      Simulation{.item_count = 300,
                 .worker_count = 40,
                 .reliability = Prior::beta(4, 3),
                 .class_truth = model::DirichletPrior::dirichlet({.057, .001, .001, .001})};
  model::CrowdOptions& beliefs = test::crowd_of(experiment).beliefs;
  beliefs.item_prior = model::DirichletPrior::symmetric(4, 1);
  beliefs.learn_workers = true;
  experiment.policies = {named("budget-kg"), named("uniform")};
  experiment.runs = 20;
  for (const std::size_t budget : {480, 1200}) {
    experiment.budgets = {budget};
    const std::vector<Row> rows = run(experiment).value();
    EXPECT_GT(rows[0].accuracy, rows[1].accuracy) << budget << " labels";
  }
}

}  // namespace
}  // namespace allot::sim::misled_policies_test
