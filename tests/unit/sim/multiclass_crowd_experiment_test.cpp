// Crowd experiments with items of several classes, and with features.
#include <gtest/gtest.h>

#include <cmath>

#include "allot/policy/registry.hpp"
#include "support/experiments.hpp"
#include "support/row_equality.hpp"

namespace allot::sim::multiclass_crowd_experiment_test {
namespace {

using test::crowd_of;
constexpr std::uint32_t kItems = 30, kWorkers = 12, kClasses = 4;

model::CrowdOptions beliefs(model::Refit refit, model::Coins coins = model::Coins::two) {
  model::CrowdOptions options;
  options.item_prior = model::DirichletPrior::symmetric(kClasses);
  options.refit = refit;
  options.coins = coins;
  return options;
}

Experiment simulated(model::Refit refit) {
  Experiment experiment = test::crowd_experiment();
  experiment.world = Simulation{.item_count = kItems,
                                .worker_count = kWorkers,
                                .reliability = model::Prior::beta(4, 1),
                                .class_truth = model::DirichletPrior::symmetric(kClasses, 0.2)};
  crowd_of(experiment).beliefs = beliefs(refit);
  experiment.budgets = {60, 120, 240};
  experiment.policies = test::policies_named({"uniform", "opt-kg", "eig"});
  experiment.runs = 12;
  return experiment;
}

/// Every pair has a label: the truth with a chance that differs between workers, else any class.
std::shared_ptr<const Recording> recording(std::uint32_t classes) {
  auto result = std::make_shared<Recording>();
  result->labels = {kItems, kWorkers, classes, {}};
  Rng rng(5);
  for (std::uint32_t i = 0; i < kItems; ++i) {
    result->truth.emplace_back(ClassId{i % classes});
    for (std::uint32_t j = 0; j < kWorkers; ++j) {
      const bool right = uniform(rng) < 0.3 + 0.05 * j;
      const auto any = static_cast<std::uint32_t>(below(rng, classes));
      result->labels.labels.push_back({ItemId{i}, WorkerId{j}, ClassId{right ? i % classes : any}});
    }
  }
  return result;
}

TEST(MulticlassCrowdExperiment, DoesNotDependOnThreads) {
  Experiment experiment = simulated(model::Refit::em);
  const auto one = run(experiment).value();
  experiment.threads = 5;
  test::expect_equal(one, run(experiment).value());
}

TEST(MulticlassCrowdExperiment, AsksBetterThanAtRandomInBothMarkets) {
  for (const model::Refit refit : {model::Refit::off, model::Refit::em}) {
    for (const Marketplace market : {Marketplace::push, Marketplace::pull}) {
      Experiment experiment = simulated(refit);
      crowd_of(experiment).marketplace = market;
      experiment.budgets = {120};
      experiment.runs = 40;
      if (refit == model::Refit::off) {  // dear
        experiment.runs = 8;
        experiment.policies = test::policies_named({"uniform", "opt-kg"});
      }
      const auto rows = run(experiment).value();
      for (std::size_t row = 1; row < rows.size(); ++row) {
        EXPECT_GT(rows[row].accuracy, rows[0].accuracy);
      }
    }
  }
}

/// With even shares of classes, workers who spread their errors look best where a class is common.
TEST(MulticlassCrowdExperiment, FindsGoodWorkersWhereAClassIsCommon) {
  Experiment experiment = simulated(model::Refit::pooled);
  experiment.world =
      Simulation{.item_count = 300,
                 .worker_count = 30,
                 .reliability = model::Prior::beta(4, 1),
                 .class_truth = model::DirichletPrior::dirichlet({0.14, 0.02, 0.02, 0.02})};
  crowd_of(experiment).beliefs.learn_workers = true;
  experiment.policies = test::policies_named({"uniform", "kg-eig"});
  experiment.budgets = {600};
  experiment.runs = 10;
  const auto rows = run(experiment).value();
  EXPECT_GT(rows[1].accuracy, rows[0].accuracy + 0.04);
}

TEST(MulticlassCrowdExperiment, PlaysBackRecordedLabels) {
  Experiment experiment = simulated(model::Refit::em);
  experiment.world = recording(kClasses);
  experiment.budgets = {60, kItems * kWorkers};
  const auto rows = run(experiment).value();
  // With all labels bought every policy has the same beliefs.
  EXPECT_EQ(rows[1].accuracy, rows[3].accuracy);
  EXPECT_EQ(rows[1].accuracy, rows[5].accuracy);
  EXPECT_GT(rows[1].accuracy, 0.9);
  EXPECT_LT(rows[0].accuracy, rows[1].accuracy);
}

TEST(MulticlassCrowdExperiment, AnswersByAnyAggregatorForSeveralClasses) {
  Experiment experiment = simulated(model::Refit::em);
  crowd_of(experiment).final_answers = aggregate::make_seeded_method("majority").value();
  EXPECT_TRUE(run(experiment));
  crowd_of(experiment).final_answers = aggregate::make_seeded_method("kos").value();
  EXPECT_FALSE(run(experiment));
}

TEST(MulticlassCrowdExperiment, FeaturesSaveLabels) {
  Experiment experiment = test::crowd_experiment();
  const auto tape = recording(2);
  experiment.world = tape;
  crowd_of(experiment).beliefs = beliefs(model::Refit::em);
  crowd_of(experiment).beliefs.item_prior = model::DirichletPrior::symmetric(2);
  experiment.budgets = {30};
  experiment.policies = test::policies_named({"uniform", "eig"});
  const auto without = run(experiment).value();
  auto design = std::make_shared<model::Design>();
  design->item_count = kItems;
  design->column_count = 1;
  for (std::uint32_t i = 0; i < kItems; ++i) design->values.push_back(i % 2 == 0 ? -1 : 1);
  crowd_of(experiment).beliefs.design = design;
  crowd_of(experiment).beliefs.weight_variance = 0;  // learning the strength takes more labels
  const auto with = run(experiment).value();
  for (const std::size_t row : {0U, 1U}) EXPECT_GT(with[row].accuracy, without[row].accuracy + 0.1);
}

TEST(MulticlassCrowdExperiment, RefusesWhatDoesNotFit) {
  Experiment experiment = simulated(model::Refit::em);
  crowd_of(experiment).beliefs.item_prior = model::DirichletPrior::symmetric(3);
  EXPECT_THROW(run(experiment).value(), std::invalid_argument);
  experiment = simulated(model::Refit::em);
  experiment.policies = test::policies_named({"scout"});
  EXPECT_THROW(run(experiment).value(), std::invalid_argument);
  experiment = simulated(model::Refit::em);
  crowd_of(experiment).beliefs = {};
  EXPECT_THROW(run(experiment).value(), std::invalid_argument);
}

}  // namespace
}  // namespace allot::sim::multiclass_crowd_experiment_test
