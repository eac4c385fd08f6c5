#include "allot/sim/experiment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "allot/aggregate/posterior.hpp"
#include "allot/policy/exact.hpp"
#include "allot/policy/registry.hpp"
#include "support/experiments.hpp"
#include "support/label_sets.hpp"
#include "support/row_equality.hpp"

namespace allot::sim::experiment_test {
namespace {

using model::Prior;
using policy::TieBreak;
using test::alike_of;
using test::expect_equal;
using test::label_set;
using test::simulation_of;

Experiment small_experiment(const std::vector<const char*>& policies) {
  return {.world = Simulation{.item_count = 20},
          .policies = test::policies_named(policies),
          .budgets = {40, 100},
          .runs = 30,
          .seed = 5};
}

TEST(Experiment, GivesTheSameNumbersOnAnyNumberOfThreads) {
  Experiment experiment = small_experiment({"uniform", "kg", "opt-kg", "gittins"});
  const auto alone = run(experiment).value();
  experiment.threads = 5;
  const auto together = run(experiment).value();
  ASSERT_EQ(alone.size(), 8U);
  expect_equal(together, alone);
}

TEST(Experiment, EndsWhenItIsCancelled) {
  Progress progress;
  progress.cancelled = true;
  EXPECT_THROW(static_cast<void>(run(small_experiment({"kg"}), &progress)), Cancelled);
  EXPECT_EQ(progress.done, 0U);
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
  simulation_of(experiment).item_count = 3;
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
  simulation_of(experiment).item_count = 4;
  simulation_of(experiment).truth = std::vector<double>{0, 1, 0, 1};
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

std::vector<Row> rows_of(const Experiment& experiment) { return run(experiment).value(); }

/// Everything that can be played back.
const std::vector<const char*> kPlayable{"uniform", "kg", "opt-kg", "pessimistic-kg", "cvar:0.5",
                                         "eig",     "lu", "nlu",    "least-labelled", "gittins"};

Experiment replay(model::LabelSet labels, std::vector<std::optional<ClassId>> truth,
                  const std::vector<const char*>& policies) {
  Experiment experiment = small_experiment(policies);
  experiment.budgets = {labels.labels.size()};
  experiment.world =
      std::make_shared<const Recording>(Recording{std::move(labels), std::move(truth)});
  return experiment;
}

constexpr ClassId kNo{0}, kYes{1};

TEST(ReplayOfAlikeWorkers, HasTheMajorityInTheEnd) {
  const model::LabelSet labels = label_set({{0, 0, 1},
                                            {0, 1, 1},
                                            {0, 2, 0},  // yes
                                            {1, 0, 0},  // no
                                            {2, 0, 1},
                                            {2, 1, 0},
                                            {2, 2, 0},
                                            {2, 3, 0},
                                            {2, 4, 1},
                                            {3, 3, 1}});  // no, yes
  const auto accuracies = [&](std::vector<std::optional<ClassId>> truth) {
    std::vector<double> result;
    for (const Row& row : rows_of(replay(labels, std::move(truth), kPlayable))) {
      EXPECT_EQ(row.standard_error, 0) << row.policy;
      result.push_back(row.accuracy);
    }
    return result;
  };
  EXPECT_EQ(accuracies({kYes, kNo, kNo, kYes}), std::vector<double>(kPlayable.size(), 1.0));
  EXPECT_EQ(accuracies({kNo, kYes, kYes, kYes}), std::vector<double>(kPlayable.size(), 0.25));
}

TEST(ReplayOfAlikeWorkers, UsesNoLabelTwice) {
  // One item has a single label, which says yes, and nine have ten that say no: an item asked too
  // often would show in what the answers promise.
  std::vector<std::array<std::uint32_t, 3>> rows{{0, 0, 1}};
  for (std::uint32_t i = 1; i < 10; ++i) {
    for (std::uint32_t j = 0; j < 10; ++j) rows.push_back({i, j, 0});
  }
  const auto result =
      run(replay(label_set(rows), std::vector<std::optional<ClassId>>(10, kNo), kPlayable)).value();
  const double promised = (3.0 / 4 + 9 * (1 - std::pow(0.5, 11))) / 10;  // I(2,1) and I(1,11)
  for (const Row& row : result) {
    EXPECT_DOUBLE_EQ(row.accuracy, 0.9) << row.policy;
    EXPECT_NEAR(row.expected_accuracy, promised, 1e-12) << row.policy;
  }
}

TEST(ReplayOfAlikeWorkers, GivesTheSameNumbersOnAnyNumberOfThreadsAndWhateverIsCompared) {
  const model::LabelSet labels = test::random_crowd(3, 15, 8, 2);
  Experiment experiment = replay(labels, std::vector<std::optional<ClassId>>(15, kYes), kPlayable);
  const std::uint64_t half = labels.labels.size() / 2;
  experiment.budgets = {half, labels.labels.size()};
  const auto alone = run(experiment).value();
  experiment.threads = 3;
  expect_equal(run(experiment).value(), alone);
  for (std::size_t i = 0; i < kPlayable.size(); ++i) {
    Experiment one = replay(labels, std::vector<std::optional<ClassId>>(15, kYes), {kPlayable[i]});
    one.budgets = {half};
    expect_equal(run(one).value()[0], alone[2 * i]);
  }
}

TEST(ReplayOfAlikeWorkers, ScoresOnlyItemsWithATruthAndAsksOnlyThoseWithLabels) {
  const model::LabelSet labels = label_set({{1, 0, 1}, {3, 1, 0}, {3, 0, 0}}, 5, 2, 2);
  for (const auto& [truth, accuracy] : {std::pair{kNo, 1.0}, std::pair{kYes, 0.0}}) {
    const auto rows = run(replay(labels, {{}, {}, {}, truth, {}}, kPlayable)).value();
    for (const Row& row : rows) EXPECT_EQ(row.accuracy, accuracy) << row.policy;
  }
}

TEST(ReplayOfAlikeWorkers, RefusesDpAndMoreLabelsThanRecorded) {
  const auto rows = run(replay(label_set({{0, 0, 1}, {1, 0, 0}}), {kYes, kNo}, {"opt-kg", "dp"}));
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(rows.error().message.find("'dp' cannot be played back"), std::string::npos);
  Experiment experiment = replay(label_set({{0, 0, 1}, {1, 0, 0}}), {kYes, kNo}, {"kg"});
  experiment.budgets = {3};
  EXPECT_THROW(run(experiment), std::invalid_argument);
}

TEST(Experiment, LearnsThePriorOnItsSchedule) {  // by a plain loop that starts again at every label
  for (const auto family :
       {model::PriorLearning::Family::beta, model::PriorLearning::Family::mixture}) {
    for (const char* name : {"opt-kg", "uniform", "gittins"}) {
      Experiment experiment = small_experiment({name});
      experiment.budgets = {230};
      simulation_of(experiment).truth = Prior::beta(4, 1);
      alike_of(experiment).learn = model::PriorLearning{.family = family, .every = 7};
      experiment.runs = 1;
      const Row row = run(experiment).value().front();

      const auto theta =
          model::soft_labels(simulation_of(experiment).truth, 20, experiment.seed, 0);
      Rng ties(experiment.seed, Rng::Purpose::tie, 0);
      model::Beliefs beliefs(20, Prior::uniform());
      for (int spent = 1; spent <= 230; ++spent) {
        const auto chooser = experiment.policies[0]->start(beliefs, 230).value();
        const ItemId item = chooser->choose(ties);
        const Rng labels(experiment.seed, Rng::Purpose::label, 0, position(item));
        const double u = unit_interval(labels.at(beliefs.counts(item).total()));
        beliefs.record(item, u < theta[position(item)] ? Label::positive : Label::negative);
        if (spent % 7 == 0)
          beliefs.set_prior(model::learned_prior(beliefs, *alike_of(experiment).learn));
      }
      beliefs.set_prior(model::learned_prior(beliefs, *alike_of(experiment).learn));
      const auto answers = aggregate::posterior_vote(beliefs);
      int right = 0;
      for (std::size_t i = 0; i < 20; ++i)
        right += (answers[i].label == Label::positive) == (theta[i] >= 0.5);
      EXPECT_EQ(row.accuracy, right / 20.0) << name;
      EXPECT_EQ(row.expected_accuracy, aggregate::expected_accuracy(answers)) << name;
    }
  }
}

TEST(Experiment, WithALearnedPriorDependsOnNeitherThreadsNorOtherBudgets) {
  Experiment experiment = small_experiment({"opt-kg", "kg", "lu"});
  alike_of(experiment).learn = model::PriorLearning{};
  const auto alone = run(experiment).value();
  experiment.threads = 3;
  expect_equal(run(experiment).value(), alone);
  experiment.budgets = {33, 100};
  expect_equal(run(experiment).value()[1], alone[1]);
}

TEST(Experiment, LearnsThePriorOfRecordedLabelsToTheLast) {
  std::vector<std::array<std::uint32_t, 3>> triples;
  for (std::uint32_t item = 0; item < 12; ++item) {
    for (std::uint32_t n = 0; n < 1 + item % 5; ++n)
      triples.push_back({item, n, item % 4 ? 1U : 0U});
  }
  auto recording = std::make_shared<Recording>();
  recording->labels = label_set(triples, 12, 5, 2);
  recording->truth.assign(12, ClassId{1});
  Experiment experiment = small_experiment({"opt-kg", "uniform"});
  experiment.world = recording;
  experiment.budgets = {triples.size()};
  alike_of(experiment).learn = model::PriorLearning{.every = 3};
  const auto rows = run(experiment).value();
  test::expect_same_numbers(rows[0], rows[1]);  // all labels are used, so all policies end alike
}

TEST(Experiment, RefusesToPlanWithAPriorThatIsLearned) {
  Experiment experiment = small_experiment({"dp"});
  simulation_of(experiment).item_count = 2;
  experiment.budgets = {3};
  alike_of(experiment).learn = model::PriorLearning{};
  EXPECT_EQ(run(experiment).error().message,
            "policy 'dp' cannot learn the prior: it plans with one that stays");
  experiment.policies.clear();
  alike_of(experiment).learn->every = 0;
  EXPECT_THROW(run(experiment), std::invalid_argument);
}

TEST(Experiment, TellsTheAccuracyOfEveryRun) {
  Experiment experiment = small_experiment({"opt-kg", "uniform"});
  const auto [rows, accuracies] = run_each(experiment).value();
  expect_equal(rows, run(experiment).value());
  ASSERT_EQ(accuracies.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(accuracies[i].size(), experiment.runs);
    const double sum = std::accumulate(accuracies[i].begin(), accuracies[i].end(), 0.0);
    EXPECT_DOUBLE_EQ(sum / experiment.runs, rows[i].accuracy);
    EXPECT_EQ(std::ranges::min(accuracies[i]), rows[i].worst);
  }
}

}  // namespace
}  // namespace allot::sim::experiment_test
