#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "allot/policy/exact.hpp"
#include "allot/policy/registry.hpp"
#include "allot/sim/experiment.hpp"
#include "support/experiments.hpp"
#include "support/label_sets.hpp"
#include "support/plain_contextual.hpp"
#include "support/row_equality.hpp"

namespace allot::sim::multiclass_experiment_test {
namespace {

using model::DirichletPrior;
using model::Prior;
using policy::TieBreak;
using test::alike_of;
using test::expect_equal;
using test::label_set;
using test::simulation_of;
using Names = std::vector<const char*>;
using Truth = std::vector<std::optional<ClassId>>;

Experiment simulation(const DirichletPrior& prior, const Names& policies) {
  return {.world = Simulation{.item_count = 12, .class_truth = prior},
          .workers = AlikeWorkers{.prior = prior},
          .policies = test::policies_named(policies),
          .budgets = {24, 60},
          .seed = 5};
}

std::shared_ptr<const Recording> recorded(model::LabelSet labels, Truth truth) {
  return std::make_shared<const Recording>(Recording{std::move(labels), std::move(truth)});
}

std::vector<Row> rows_of(const Experiment& experiment) { return run(experiment).value(); }

/// Everything that can be played back.
const Names kPlayable{"uniform", "kg", "opt-kg", "pessimistic-kg", "cvar:0.5"};

TEST(MulticlassExperiment, GivesTheSameNumbersOnAnyNumberOfThreadsAndWhateverIsCompared) {
  Experiment experiment = simulation(DirichletPrior::symmetric(3), kPlayable);
  const auto alone = rows_of(experiment);
  ASSERT_EQ(alone.size(), 10U);
  experiment.threads = 4;
  expect_equal(rows_of(experiment), alone);
  Experiment one = simulation(DirichletPrior::symmetric(3), {"opt-kg"});
  one.budgets = {60};
  expect_equal(rows_of(one)[0], alone[5]);
}

TEST(MulticlassExperiment, DpIsAsGoodAsTheOptimum) {  // within four standard errors
  for (const DirichletPrior& prior :
       {DirichletPrior::symmetric(3), DirichletPrior::dirichlet({2, 1, 0.5, 0.5})}) {
    Experiment experiment = simulation(prior, {"dp", "uniform"});
    simulation_of(experiment).item_count = 3;
    experiment.budgets = {2, 6};
    experiment.runs = 5000;
    const auto rows = rows_of(experiment);
    const model::MulticlassBeliefs beliefs(3, prior);
    for (std::size_t i = 0; i < 2; ++i) {
      const double exact = policy::optimal_accuracy(beliefs, rows[i].budget).value();
      EXPECT_NEAR(rows[i].accuracy, exact, 4 * rows[i].standard_error);
      EXPECT_NEAR(rows[i].expected_accuracy, exact, 4 * rows[i].standard_error);
    }
    EXPECT_GT(rows[1].accuracy, rows[3].accuracy);
  }
}

TEST(MulticlassExperiment, KeepsItsPromisesIfThePriorIsTheTruth) {  // within four standard errors
  for (const DirichletPrior& prior :
       {DirichletPrior::symmetric(4, 0.5), DirichletPrior::dirichlet({3, 1, 0.2})}) {
    Experiment experiment = simulation(prior, kPlayable);
    experiment.runs = 200;
    for (const Row& row : rows_of(experiment)) {
      EXPECT_NEAR(row.expected_accuracy, row.accuracy, 4 * row.standard_error) << row.policy;
    }
  }
}

TEST(MulticlassExperiment, OptKgBeatsUniform) {
  Experiment experiment = simulation(DirichletPrior::symmetric(4), {"uniform", "opt-kg"});
  simulation_of(experiment).item_count = 50;
  experiment.budgets = {500};
  const auto rows = rows_of(experiment);
  EXPECT_GT(rows[1].accuracy, rows[0].accuracy + 4 * rows[0].standard_error);
}

TEST(MulticlassExperiment, ManyLabelsGiveTheTruth) {
  // Shares from Dirichlet(0.01, ...) are all but 0 and 1: one label per item says nearly all, and
  // the few items that are not clear become so. Whatever the prior, the counts win.
  Experiment experiment = simulation(DirichletPrior::symmetric(5, 0.01), {"uniform", "opt-kg"});
  alike_of(experiment).prior = DirichletPrior::dirichlet({2, 1, 1, 1, 1});
  simulation_of(experiment).item_count = 50;
  experiment.budgets = {0, 2000};
  const auto rows = rows_of(experiment);
  for (const std::size_t policy : {0U, 1U}) {
    EXPECT_NEAR(rows[2 * policy].accuracy, 0.2, 4 * rows[2 * policy].standard_error);
    EXPECT_GT(rows[2 * policy + 1].accuracy, 0.99);
  }
}

TEST(MulticlassExperiment, PassesOnTheRefusalOfAPolicyAndCountsItsProgress) {
  Progress progress;
  run(simulation(DirichletPrior::symmetric(3), {"uniform", "kg"}), &progress).value();
  EXPECT_EQ(progress.total, 20U * (60 + 60));
  EXPECT_EQ(progress.done, progress.total);
  Experiment large = simulation(DirichletPrior::symmetric(3), {"kg", "dp"});
  simulation_of(large).item_count = 1000;
  const auto rows = run(large);
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, ErrorCode::too_large);
}

/// Binary items by Beliefs, and the same items by MulticlassBeliefs.
struct Twins {
  Experiment yes_no, classes;
};

Twins twins(double negative, double positive, const Names& policies, TieBreak ties) {
  const Prior prior = Prior::beta(positive, negative);
  const DirichletPrior same = DirichletPrior::dirichlet({negative, positive});
  const auto experiment = [&](Simulation world, AlikeWorkers workers) {
    world.item_count = 40;
    return Experiment{.world = std::move(world),
                      .workers = std::move(workers),
                      .policies = test::policies_named(policies, ties),
                      .budgets = {30, 60, 100}};
  };
  return {experiment({.truth = prior}, {.prior = prior}),
          experiment({.class_truth = same}, {.prior = same})};
}

TEST(MulticlassExperiment, OfTwoClassesPlaysBackAsYesNoItems) {
  model::LabelSet labels = test::random_crowd(7, 40, 9, 2);
  ASSERT_GE(labels.labels.size(), 100U);
  Truth truth;
  for (std::uint32_t i = 0; i < 40; ++i) truth.emplace_back(ClassId{i % 3 == 0});
  const auto recording = recorded(labels, truth);
  for (const TieBreak ties : {TieBreak::first, TieBreak::random}) {
    Twins both = twins(1, 1, {"opt-kg", "kg", "uniform"}, ties);
    both.yes_no.world = both.classes.world = recording;
    both.yes_no.budgets.push_back(labels.labels.size());
    both.classes.budgets.push_back(labels.labels.size());
    const auto yes_no = run(both.yes_no).value(), classes = run(both.classes).value();
    ASSERT_EQ(yes_no.size(), classes.size());
    for (std::size_t i = 0; i < yes_no.size(); ++i) {
      EXPECT_EQ(classes[i].policy, yes_no[i].policy);
      EXPECT_EQ(classes[i].budget, yes_no[i].budget);
      EXPECT_EQ(classes[i].labels_per_item, yes_no[i].labels_per_item);
      EXPECT_EQ(classes[i].accuracy, yes_no[i].accuracy) << classes[i].policy;
      EXPECT_EQ(classes[i].standard_error, yes_no[i].standard_error);
      EXPECT_EQ(classes[i].worst, yes_no[i].worst);
      EXPECT_NEAR(classes[i].expected_accuracy, yes_no[i].expected_accuracy, 1e-12);
    }
  }
}

TEST(MulticlassExperiment, OfTwoClassesIsSimulatedAsYesNoItemsAre) {  // within four standard errors
  for (const auto& [negative, positive] : {std::pair{1.0, 1.0}, {0.5, 2.0}}) {
    Twins both = twins(negative, positive, {"uniform", "opt-kg"}, TieBreak::random);
    both.yes_no.runs = both.classes.runs = 300;
    const auto yes_no = run(both.yes_no).value(), classes = run(both.classes).value();
    for (std::size_t i = 0; i < yes_no.size(); ++i) {
      const double error = std::hypot(yes_no[i].standard_error, classes[i].standard_error);
      EXPECT_NEAR(classes[i].accuracy, yes_no[i].accuracy, 4 * error) << classes[i].policy;
    }
  }
}

Experiment replay(std::shared_ptr<const Recording> recording, const Names& policies) {
  const model::LabelSet& labels = recording->labels;
  return {.world = recording,
          .workers = AlikeWorkers{.prior = DirichletPrior::symmetric(labels.class_count)},
          .policies = test::policies_named(policies),
          .budgets = {labels.labels.size()}};
}

TEST(ReplayOfSeveralClasses, HasThePluralityInTheEndAndAsksOnlyItemsWithLabels) {
  const model::LabelSet labels = label_set(
      {{0, 0, 2}, {0, 1, 2}, {0, 2, 0}, {1, 0, 1}, {3, 0, 0}, {3, 1, 1}, {3, 2, 1}}, 5, 3, 4);
  const Truth truth{ClassId{2}, ClassId{1}, {}, ClassId{1}, ClassId{0}};
  for (const Row& row : rows_of(replay(recorded(labels, truth), kPlayable))) {
    EXPECT_EQ(row.accuracy, 1) << row.policy;
    EXPECT_EQ(row.standard_error, 0) << row.policy;
  }
  // A truth that is none of the classes is missed.
  const Truth other{ClassId{2}, ClassId{7}, {}, {}, {}};
  for (const Row& row : rows_of(replay(recorded(labels, other), kPlayable))) {
    EXPECT_EQ(row.accuracy, 0.5) << row.policy;
  }
}

TEST(ReplayOfSeveralClasses, GivesTheSameNumbersOnAnyNumberOfThreads) {
  const model::LabelSet labels = test::random_crowd(3, 15, 8, 3);
  Experiment experiment = replay(recorded(labels, Truth(15, ClassId{1})), kPlayable);
  experiment.budgets = {labels.labels.size() / 2, labels.labels.size()};
  const auto alone = rows_of(experiment);
  experiment.threads = 3;
  expect_equal(rows_of(experiment), alone);
}

TEST(ReplayOfSeveralClasses, RefusesDpAndWhatDoesNotFitTheRecording) {
  const auto recording = recorded(test::random_crowd(3, 15, 8, 3), Truth(15, ClassId{1}));
  const auto rows = run(replay(recording, {"kg", "dp"}));
  ASSERT_FALSE(rows);
  EXPECT_NE(rows.error().message.find("'dp' cannot be played back"), std::string::npos);

  Experiment experiment = replay(recording, {"kg"});
  experiment.budgets = {recording->labels.labels.size() + 1};
  EXPECT_THROW(run(experiment), std::invalid_argument);
  experiment = replay(recording, {"kg"});
  alike_of(experiment).prior = DirichletPrior::symmetric(4);
  EXPECT_THROW(run(experiment), std::invalid_argument);
  Recording spoilt = *recording;
  spoilt.labels.labels[3].label = ClassId{3};
  EXPECT_THROW(run(replay(recorded(spoilt.labels, spoilt.truth), {"kg"})), std::invalid_argument);
}

void expect_refused_for_its_classes(const Experiment& experiment) {
  try {
    run(experiment);
    ADD_FAILURE() << "expected a refusal";
  } catch (const std::invalid_argument& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("number of classes"), std::string::npos)
        << refusal.what();
  }
}

TEST(ReplayOfSeveralClasses, IsNotForYesNoExperiments) {
  const auto recording = recorded(test::random_crowd(3, 15, 8, 3), Truth(15, ClassId{1}));
  expect_refused_for_its_classes(
      {.world = recording, .policies = test::policies_named({"kg"}), .budgets = {1}});
  expect_refused_for_its_classes(
      {.world = recording, .workers = DifferingWorkers{}, .budgets = {1}});
}

TEST(MulticlassExperiment, RefusesATruthOfOtherClasses) {
  Experiment experiment = simulation(DirichletPrior::symmetric(3), {"kg"});
  simulation_of(experiment).class_truth = DirichletPrior::symmetric(2);
  EXPECT_THROW(run(experiment), std::invalid_argument);
}

/// Items whose class follows from two numbers, each with five labels of which three in four are
/// right.
struct InformativeSet {
  std::shared_ptr<const model::Design> design;
  std::shared_ptr<const Recording> recording;
};

InformativeSet informative_set(std::uint32_t class_count) {
  constexpr std::uint32_t kItems = 60, kLabels = 5;
  constexpr double kPi = 3.14159265358979;
  Rng rng(11);
  const model::Design design = test::random_design(kItems, 3, rng);
  model::LabelSet labels{kItems, kLabels, class_count, {}};
  Truth truth;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    // Classes are sectors of the plane.
    const double angle = std::atan2(design.values[3 * i + 2], design.values[3 * i + 1]) + kPi;
    const auto sector = static_cast<std::uint32_t>(angle / (2 * kPi) * class_count);
    const std::uint32_t right = std::min(sector, class_count - 1);
    truth.emplace_back(ClassId{right});
    for (std::uint32_t j = 0; j < kLabels; ++j) {
      const std::uint64_t other = right + 1 + below(rng, class_count - 1);
      const auto wrong = static_cast<std::uint32_t>(other % class_count);
      labels.labels.push_back(
          {ItemId{i}, WorkerId{j}, ClassId{uniform(rng) < 0.75 ? right : wrong}});
    }
  }
  return {std::make_shared<const model::Design>(design), recorded(labels, truth)};
}

TEST(ReplayWithFeatures, IsBetterThanWithoutWhereThereAreFewerLabelsThanItems) {
  const Names policies{"uniform", "kg", "opt-kg"};
  for (const std::uint32_t class_count : {2U, 3U}) {
    const InformativeSet set = informative_set(class_count);
    Experiment without = replay(set.recording, policies);
    without.budgets = {40};
    Experiment with = without;
    alike_of(with).design = set.design;
    const auto plain = rows_of(without), featured = rows_of(with);
    ASSERT_EQ(plain.size(), featured.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_EQ(featured[i].policy, plain[i].policy);
      const double error = std::hypot(featured[i].standard_error, plain[i].standard_error);
      EXPECT_GT(featured[i].accuracy, plain[i].accuracy + 4 * error)
          << plain[i].policy << " " << class_count;
    }
  }
}

TEST(ReplayWithFeatures, GivesTheSameNumbersOnAnyNumberOfThreads) {
  for (const std::uint32_t class_count : {2U, 3U}) {
    const InformativeSet set = informative_set(class_count);
    Experiment experiment = replay(set.recording, {"uniform", "lu", "opt-kg"});
    alike_of(experiment).design = set.design;
    experiment.budgets = {10, 40};
    experiment.runs = 5;
    const auto alone = rows_of(experiment);
    experiment.threads = 3;
    expect_equal(rows_of(experiment), alone);
  }
}

TEST(ReplayWithFeatures, UsesEveryLabelOnceWhateverTheOrder) {
  // A feature of its own for every item, and no two labels of an item that differ: then the order
  // of labels is of no matter, and all policies end at the belief that takes them in one by one.
  constexpr std::uint32_t kItems = 6;
  model::Design design{
      kItems, kItems, std::vector<double>(kItems * kItems), std::vector<std::string>(kItems), {}};
  std::vector<std::array<std::uint32_t, 3>> rows;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    design.values[i * kItems + i] = 1;
    for (std::uint32_t j = 0; j < i; ++j) rows.push_back({i, j, i % 2});  // the first has none
  }
  model::Contextual belief(design);
  for (const auto& [item, worker, label] : rows) {
    belief.record(ItemId{item}, model::to_label(ClassId{label}));
  }
  double promised = 0;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    const double positive = belief.prob_positive(ItemId{i});
    promised += std::max(positive, 1 - positive) / kItems;
  }
  const Truth truth{{}, ClassId{1}, ClassId{0}, ClassId{1}, ClassId{1}, ClassId{1}};
  Experiment experiment =
      replay(recorded(label_set(rows), truth), {"uniform", "kg", "opt-kg", "lu"});
  alike_of(experiment).design = std::make_shared<const model::Design>(design);
  for (const Row& row : rows_of(experiment)) {
    EXPECT_DOUBLE_EQ(row.accuracy, 0.8) << row.policy;
    EXPECT_NEAR(row.expected_accuracy, promised, 1e-12) << row.policy;
  }
}

TEST(ReplayWithFeatures, NeedsARecordingAndFeaturesOfItsItems) {
  const InformativeSet set = informative_set(3);
  Experiment experiment = replay(set.recording, {"kg"});
  experiment.budgets = {1};
  alike_of(experiment).design = set.design;
  EXPECT_TRUE(run(experiment));
  Experiment simulated = experiment;
  simulated.world = Simulation{.item_count = 60};
  EXPECT_THROW(run(simulated), std::invalid_argument);
  Rng rng(1);
  alike_of(experiment).design =
      std::make_shared<const model::Design>(test::random_design(59, 3, rng));
  EXPECT_THROW(run(experiment), std::invalid_argument);
  alike_of(experiment).design = set.design;
  experiment.budgets = {301};
  EXPECT_THROW(run(experiment), std::invalid_argument);
}

}  // namespace
}  // namespace allot::sim::multiclass_experiment_test
