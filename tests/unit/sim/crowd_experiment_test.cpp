
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "allot/aggregate/majority.hpp"
#include "allot/policy/registry.hpp"
#include "sim/worlds.hpp"
#include "support/experiments.hpp"
#include "support/label_sets.hpp"
#include "support/row_equality.hpp"
#include "support/watched_policy.hpp"

namespace allot::sim::crowd_experiment_test {
namespace {

using aggregate::Aggregation;
using model::Coins;
using model::LabelSet;
using model::Prior;
using model::Refit;
using policy::TieBreak;
using test::crowd_of;
using test::expect_equal;
using test::label_set;
using test::simulation_of;
using test::WatchedPolicy;

using Names = std::vector<const char*>;
const Names kAll{"uniform", "kg",    "opt-kg", "pessimistic-kg", "cvar:0.5", "budget-kg",
                 "eig",     "scout", "lu",     "least-labelled", "kos"};

std::shared_ptr<const policy::Policy> named(const char* name) {
  return policy::make_policy(name, TieBreak::random).value();
}

model::CrowdOptions beliefs(Refit refit) {
  model::CrowdOptions options;
  options.refit = refit;
  options.refit_every = 7;
  if (refit == Refit::off) {
    options.worker_prior = Prior::beta(4, 1);
    options.coins = Coins::one;
  }
  return options;
}

std::vector<Row> rows_of(const Experiment& experiment) { return run(experiment).value(); }

/// Ten items, eight workers, one pass.
Experiment small_experiment(const Names& policies) {
  Experiment experiment = test::crowd_experiment();
  experiment.world = Simulation{10, 8, Prior::uniform(), Prior::beta(4, 1)};
  crowd_of(experiment).beliefs = beliefs(Refit::off);
  experiment.budgets = {20, 60};
  experiment.runs = 4;
  experiment.seed = 5;
  for (const char* name : policies) experiment.policies.push_back(named(name));
  return experiment;
}

Experiment replay(LabelSet labels, std::vector<std::optional<ClassId>> truth,
                  const Names& policies) {
  Experiment experiment = small_experiment(policies);
  experiment.budgets = {labels.labels.size()};
  experiment.world =
      std::make_shared<const Recording>(Recording{std::move(labels), std::move(truth)});
  return experiment;
}

/// What the policy asks in a single run.
std::vector<policy::Pair> asked(Experiment experiment, const char* name) {
  const auto watched = std::make_shared<WatchedPolicy>(named(name));
  experiment.policies = {watched};
  experiment.runs = 1;
  run(experiment).value();
  return watched->asked();
}

std::set<std::pair<std::uint32_t, std::uint32_t>> distinct(const std::vector<policy::Pair>& pairs) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> result;
  for (const auto& [item, worker] : pairs) result.emplace(position(item), position(worker));
  return result;
}

constexpr ClassId kNo{0}, kYes{1};

struct Setting {
  const char* name;
  Marketplace marketplace;
  Refit refit;
};

void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

/// Laws that hold whatever the market and the beliefs.
class AnyCrowdExperiment : public testing::TestWithParam<Setting> {
 protected:
  Experiment experiment(const Names& policies) const { return set(small_experiment(policies)); }
  Experiment set(Experiment experiment) const {
    crowd_of(experiment).marketplace = GetParam().marketplace;
    crowd_of(experiment).beliefs = beliefs(GetParam().refit);
    return experiment;
  }
};

TEST_P(AnyCrowdExperiment, GivesTheSameNumbersOnAnyNumberOfThreads) {
  Experiment experiment = this->experiment(kAll);
  const auto alone = run(experiment).value();
  ASSERT_EQ(alone.size(), 2 * kAll.size());
  for (const std::uint32_t threads : {2U, 64U}) {
    experiment.threads = threads;
    expect_equal(run(experiment).value(), alone);
  }
}

TEST_P(AnyCrowdExperiment, HasRowsThatDoNotDependOnWhatElseIsCompared) {
  const auto many = run(experiment(kAll)).value();
  for (std::size_t i = 0; i < kAll.size(); ++i) {
    Experiment alone = experiment({kAll[i]});
    alone.budgets = {60};
    expect_equal(run(alone).value()[0], many[2 * i + 1]);
  }
}

TEST_P(AnyCrowdExperiment, AsksEveryPairOnceIfThereIsMoneyForAll) {
  Experiment experiment = this->experiment({});
  experiment.budgets = {80};
  for (const char* name : kAll) {
    const auto pairs = asked(experiment, name);
    EXPECT_EQ(pairs.size(), 80U) << name;
    EXPECT_EQ(distinct(pairs).size(), 80U) << name;
  }
}

TEST_P(AnyCrowdExperiment, MeetsTheSameLabelsUnderEveryPolicy) {
  Experiment experiment = this->experiment(kAll);
  experiment.budgets = {80};
  crowd_of(experiment).final_answers = aggregate::make_seeded_method("majority").value();
  const auto rows = run(experiment).value();
  for (const Row& row : rows) test::expect_same_numbers(row, rows[0]);
}

TEST_P(AnyCrowdExperiment, AnswersRightWherePerfectWorkersLabelEverything) {
  Experiment experiment = this->experiment(kAll);
  experiment.world = Simulation{10, 8, std::vector<double>{0, 1, 0, 1, 1, 0, 0, 1, 0, 1},
                                std::vector<double>(8, 1.0)};
  experiment.budgets = {80};
  for (const Row& row : rows_of(experiment)) {
    EXPECT_EQ(row.accuracy, 1) << row.policy;
    EXPECT_EQ(row.standard_error, 0) << row.policy;
  }
}

TEST_P(AnyCrowdExperiment, PlaysBackRecordedLabelsAlone) {
  const LabelSet labels = test::random_crowd(3, 12, 6, 2);
  std::vector<std::optional<ClassId>> truth(12, kYes);
  Experiment experiment = set(replay(labels, truth, kAll));
  experiment.budgets = {labels.labels.size() / 2, labels.labels.size()};
  std::mutex mutex;
  std::size_t scores = 0, foreign = 0, repeated = 0;
  crowd_of(experiment).final_answers = [&](const LabelSet& collected, std::uint64_t) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    const std::lock_guard lock(mutex);
    ++scores;
    for (const model::GivenLabel& one : collected.labels) {
      foreign += std::ranges::find(labels.labels, one) == labels.labels.end();
      repeated += !seen.emplace(position(one.item), position(one.worker)).second;
    }
    return aggregate::majority(collected);
  };
  const auto rows = run(experiment).value();
  EXPECT_EQ(scores, rows.size() * experiment.runs);
  EXPECT_EQ(foreign, 0U);
  EXPECT_EQ(repeated, 0U);
  for (std::size_t i = 1; i < rows.size(); i += 2) test::expect_same_numbers(rows[i], rows[1]);
}

TEST_P(AnyCrowdExperiment, HasNumbersWhateverIsBelievedOfWorkers) {
  const std::array priors{Prior::beta(1e12, 1e-12), Prior::beta(1e-12, 1e12),
                          Prior::beta(1e9, 1),      Prior::beta(1e12, 1e12),
                          Prior::beta(1e-9, 1e-9),  Prior::beta(1e-300, 1e-300)};
  for (const Prior& prior : priors) {
    Experiment simulated = experiment(kAll);
    Experiment recorded = set(replay(test::random_crowd(3, 12, 6, 2),
                                     std::vector<std::optional<ClassId>>(12, kYes), kAll));
    for (Experiment* one : {&simulated, &recorded}) {
      one->runs = 1;
      crowd_of(*one).beliefs.worker_prior = prior;
      for (const Row& row : rows_of(*one)) {
        EXPECT_EQ(std::isfinite(row.expected_accuracy), row.policy != "kos") << row.policy;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    , AnyCrowdExperiment,
    testing::Values(Setting{"PushOnePass", Marketplace::push, Refit::off},
                    Setting{"PushEm", Marketplace::push, Refit::em},
                    Setting{"PushIntegrated", Marketplace::push, Refit::integrated},
                    Setting{"PullOnePass", Marketplace::pull, Refit::off},
                    Setting{"PullEm", Marketplace::pull, Refit::em},
                    Setting{"PullIntegrated", Marketplace::pull, Refit::integrated}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(CrowdExperiment, KeepsTheOrderOfBudgets) {
  Experiment experiment = small_experiment({"opt-kg", "kos"});
  const auto upwards = run(experiment).value();
  experiment.budgets = {60, 20};
  const auto downwards = run(experiment).value();
  expect_equal(upwards[0], downwards[1]);
  expect_equal(upwards[3], downwards[2]);
}

/// The first labels of a budget are not those of a smaller one.
TEST(CrowdExperiment, TellsAPolicyHowManyLabelsAreLeft) {
  Experiment experiment = small_experiment({});
  crowd_of(experiment).beliefs = beliefs(Refit::integrated);
  experiment.budgets = {60};
  const auto hopeful = asked(experiment, "cvar:0.5"), careful = asked(experiment, "even-kg");
  const auto pairs = asked(experiment, "budget-kg");
  const auto same_first = [&](const std::vector<policy::Pair>& other) {
    return std::ranges::mismatch(pairs, other).in1 - pairs.begin();
  };
  EXPECT_GE(same_first(hopeful), 50) << "then one label per item is left";
  EXPECT_LT(same_first(hopeful), 60);
  EXPECT_LT(same_first(careful), 50);
  experiment.budgets = {10};
  EXPECT_EQ(asked(experiment, "budget-kg"), asked(experiment, "even-kg"));
}

TEST(CrowdExperiment, ChangesWithTheSeed) {
  Experiment experiment = small_experiment({"opt-kg"});
  experiment.runs = 20;
  const double before = run(experiment).value()[0].expected_accuracy;
  experiment.seed = 6;
  EXPECT_NE(run(experiment).value()[0].expected_accuracy, before);
}

TEST(CrowdExperiment, FollowsAPolicyThatIsNotFromTheCatalogue) {
  Experiment experiment = small_experiment({"opt-kg"});
  experiment.runs = 1;
  const auto known = run(experiment).value();
  experiment.policies = {std::make_shared<WatchedPolicy>(named("opt-kg"))};
  expect_equal(run(experiment).value(), known);
}

TEST(CrowdExperiment, NeedsOneLabelAnItemOfPerfectWorkers) {
  Experiment experiment = small_experiment({"least-labelled", "kos"});
  experiment.world = Simulation{10, 8, std::vector<double>{0, 1, 0, 1, 1, 0, 0, 1, 0, 1},
                                std::vector<double>(8, 1.0)};
  experiment.budgets = {10};
  EXPECT_EQ(run(experiment).value()[0].accuracy, 1);
}

TEST(CrowdExperiment, ReadsLabelsOfKnownLiarsReversed) {
  Experiment experiment = small_experiment({"opt-kg", "scout"});
  experiment.world = Simulation{10, 8, std::vector<double>{0, 1, 0, 1, 1, 0, 0, 1, 0, 1},
                                std::vector<double>(8, 0.0)};
  for (const Refit refit : {Refit::off, Refit::integrated}) {
    crowd_of(experiment).beliefs = beliefs(refit);
    crowd_of(experiment).beliefs.worker_prior = Prior::beta(1, 9);
    const auto rows = run(experiment).value();
    EXPECT_EQ(rows[1].accuracy, 1);
    EXPECT_EQ(rows[3].accuracy, 1);
  }
}

TEST(CrowdExperiment, PromisesWhatItKeepsIfThePriorsAreTrue) {  // once in 15,000 seeds it fails
  Experiment experiment = small_experiment({"uniform"});
  experiment.runs = 4000;
  for (const Row& row : rows_of(experiment)) {
    EXPECT_NEAR(row.accuracy, row.expected_accuracy, 4 * row.standard_error + 0.01)
        << "moment matching is off by less than .01";
  }
}

TEST(CrowdExperiment, ServesTheSameArrivingWorkersUnderEveryPolicy) {
  Experiment experiment = small_experiment({});
  crowd_of(experiment).marketplace = Marketplace::pull;
  experiment.budgets = {80};
  const auto workers = [&](const char* name) {
    std::vector<WorkerId> result;
    for (const policy::Pair& pair : asked(experiment, name)) result.push_back(pair.worker);
    return result;
  };
  const auto arrived = workers("opt-kg");
  EXPECT_EQ(workers("uniform"), arrived);
  EXPECT_EQ(workers("kos"), arrived);
  experiment.seed = 6;
  EXPECT_NE(workers("opt-kg"), arrived);
}

TEST(CrowdExperiment, LetsEveryWorkerArriveAlikeInAPullMarket) {
  Experiment experiment = small_experiment({});
  experiment.world = Simulation{1000, 4, Prior::uniform(), Prior::beta(4, 1)};
  crowd_of(experiment).marketplace = Marketplace::pull;
  experiment.budgets = {1000};
  std::array<int, 4> arrivals{};
  for (const policy::Pair& pair : asked(experiment, "opt-kg")) ++arrivals[position(pair.worker)];
  // Binomial(1000, 1/4): four standard deviations are 55. A right program fails for one seed in
  // 4,000.
  for (const int count : arrivals) EXPECT_NEAR(count, 250, 55);
}

TEST(CrowdExperiment, AnswersAsToldInTheEnd) {
  Experiment experiment = small_experiment({"uniform", "kos"});
  experiment.world =
      Simulation{10, 8, std::vector<double>{1, 1, 1, 1, 1, 1, 1, 0, 0, 0}, Prior::beta(4, 1)};
  crowd_of(experiment).final_answers = [](const LabelSet& labels,
                                          std::uint64_t) -> Result<Aggregation> {
    return Aggregation{{2, std::vector<ClassId>(labels.item_count, kYes), {}}, {}, {}};
  };
  for (const Row& row : rows_of(experiment)) {
    EXPECT_DOUBLE_EQ(row.accuracy, 0.7) << row.policy;
    EXPECT_TRUE(std::isnan(row.expected_accuracy)) << row.policy;
  }
}

TEST(CrowdExperiment, AnswersByMessagesForKos) {
  Experiment experiment = small_experiment({"kos", "least-labelled"});
  const auto own = run(experiment).value();
  EXPECT_TRUE(std::isnan(own[1].expected_accuracy));
  EXPECT_FALSE(std::isnan(own[3].expected_accuracy));
  crowd_of(experiment).final_answers = aggregate::make_seeded_method("majority").value();
  EXPECT_FALSE(std::isnan(run(experiment).value()[1].expected_accuracy));
}

TEST(CrowdExperiment, PassesOnTheRefusalOfAnAggregator) {
  Experiment experiment = small_experiment({"uniform", "opt-kg"});
  crowd_of(experiment).final_answers = [](const LabelSet&, std::uint64_t) -> Result<Aggregation> {
    return fail(ErrorCode::too_large, "no such luck");
  };
  for (const std::uint32_t threads : {1U, 3U}) {
    experiment.threads = threads;
    const auto rows = run(experiment);
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error().code, ErrorCode::too_large);
    EXPECT_EQ(rows.error().message, "no such luck");
  }
}

TEST(CrowdExperiment, StopsAtARefusalAndPassesOnTheFirst) {
  Experiment experiment = small_experiment({"uniform", "opt-kg"});
  experiment.budgets = {20};
  experiment.runs = 1000;
  // Runs have seeds of their own, so that a run can be told by its seed.
  std::map<std::uint64_t, int> run_of;
  for (int run = 0; run < 1000; ++run)
    run_of[Rng(experiment.seed, Rng::Purpose::messages, static_cast<std::uint64_t>(run))()] = run;
  ASSERT_EQ(run_of.size(), 1000U);
  std::atomic<int> calls = 0;
  crowd_of(experiment).final_answers = [&](const LabelSet& labels, std::uint64_t seed) {
    ++calls;
    const int run = run_of.at(seed);
    if (run == 7) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return run < 7 ? aggregate::majority(labels)
                   : Result<Aggregation>(fail(ErrorCode::too_large, std::to_string(run)));
  };
  for (const std::uint32_t threads : {1U, 2U, 8U}) {
    experiment.threads = threads;
    calls = 0;
    const auto rows = run(experiment);
    ASSERT_FALSE(rows);
    EXPECT_EQ(rows.error().message, "7") << threads << " threads";
    EXPECT_LE(calls, static_cast<int>(15 + 2 * threads));
  }
}

TEST(CrowdExperiment, KnowsItsWorstRun) {
  Experiment experiment = small_experiment({"opt-kg"});
  double worst = 1, sum = 0;
  for (std::uint32_t runs = 1; runs <= 12; ++runs) {
    experiment.runs = runs;
    const Row row = run(experiment).value()[0];
    const double last = row.accuracy * runs - sum;  // of the run that has come to the others
    sum += last;
    worst = std::min(worst, last);
    EXPECT_NEAR(row.worst, worst, 1e-12);
  }
}

TEST(CrowdExperiment, CountsATruthThatIsNeitherClassAsMissed) {
  const LabelSet labels = label_set({{0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}});
  EXPECT_EQ(run(replay(labels, {kYes, ClassId{2}}, {"opt-kg"})).value()[0].accuracy, 0.5);
}

TEST(CrowdWorlds, LookThroughARecordingOnce) {
  const Experiment recorded = replay(label_set({{0, 0, 1}, {0, 1, 0}}), {kYes}, {"kg"});
  const Worlds same(recorded);
  EXPECT_EQ(same.of_run(0), same.of_run(1));
  const Experiment simulated = small_experiment({"kg"});
  const Worlds different(simulated);
  EXPECT_NE(different.of_run(0), different.of_run(1));
}

TEST(CrowdExperiment, ScoresOnlyItemsWithATruth) {
  const LabelSet labels = label_set({{0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}, {2, 0, 0}});
  const auto accuracy = [&](std::vector<std::optional<ClassId>> truth) {
    return run(replay(labels, std::move(truth), {"opt-kg"})).value()[0].accuracy;
  };
  EXPECT_EQ(accuracy({kYes, {}, {}}), 1);
  EXPECT_EQ(accuracy({kNo, {}, {}}), 0);
  EXPECT_EQ(accuracy({kYes, kYes, {}}), 0.5);
}

TEST(CrowdExperiment, LeavesItemsAndWorkersWithoutLabelsInPeace) {
  const LabelSet labels = label_set({{1, 1, 1}, {3, 2, 0}, {1, 2, 1}}, 6, 5, 2);
  for (const Marketplace marketplace : {Marketplace::push, Marketplace::pull}) {
    for (const char* name : kAll) {
      Experiment experiment = replay(labels, std::vector<std::optional<ClassId>>(6, kYes), {});
      crowd_of(experiment).marketplace = marketplace;
      EXPECT_EQ(distinct(asked(experiment, name)),
                (std::set<std::pair<std::uint32_t, std::uint32_t>>{{1, 1}, {1, 2}, {3, 2}}))
          << name;
    }
  }
}

TEST(CrowdExperiment, TakesOneItemOneWorkerAndOneLabel) {
  for (const Refit refit : {Refit::off, Refit::em, Refit::integrated}) {
    Experiment experiment = replay(label_set({{0, 0, 1}}, 0, 0, 2), {kYes}, kAll);
    crowd_of(experiment).beliefs = beliefs(refit);
    for (const Row& row : rows_of(experiment)) EXPECT_EQ(row.accuracy, 1) << row.policy;
  }
}

TEST(CrowdExperiment, IsTheSameEveryTimeWithFirstTiesAndRecordedLabels) {
  const LabelSet labels = test::random_crowd(4, 20, 6, 2);
  Experiment experiment = replay(labels, std::vector<std::optional<ClassId>>(20, kYes), {});
  experiment.policies = {policy::make_policy("opt-kg", TieBreak::first).value()};
  experiment.budgets = {labels.labels.size() / 3};
  const Row row = run(experiment).value()[0];
  EXPECT_EQ(row.standard_error, 0);
  experiment.seed = 77;
  expect_equal(run(experiment).value()[0], row);
}

TEST(CrowdExperiment, CountsItsProgressInLabels) {
  Progress progress;
  run(small_experiment({"uniform", "kos"}), &progress).value();
  EXPECT_EQ(progress.total, 4U * (60 + 60));
  EXPECT_EQ(progress.done, progress.total);
}

TEST(CrowdExperiment, RefusesNonsense) {
  const auto refused = [](auto change) {
    Experiment experiment = small_experiment({"kg"});
    change(experiment);
    EXPECT_THROW(run(experiment), std::invalid_argument);
  };
  refused([](Experiment& one) { one.budgets = {20, 81}; });
  refused([](Experiment& one) { one.budgets.clear(); });
  refused([](Experiment& one) { one.runs = 0; });
  refused([](Experiment& one) { one.threads = 0; });
  refused([](Experiment& one) { simulation_of(one).item_count = 0; });
  refused([](Experiment& one) { simulation_of(one).worker_count = 0; });
  refused([](Experiment& one) { crowd_of(one).beliefs.worker_prior = Prior::haldane(); });
  refused([](Experiment& one) {
    crowd_of(one).beliefs.item_prior = Prior::mixture({{0.5, 5, 1}, {0.5, 1, 5}});
  });
  refused([](Experiment& one) {
    one = replay(label_set({{0, 0, 1}, {0, 1, 0}}), {kYes}, {"kg"});
    one.budgets = {3};
  });
}

TEST(CrowdExperiment, RefusesMoreScoresThanFitMemory) {
  Experiment experiment = small_experiment({"kg"});
  experiment.runs = 100'000'000;
  const auto rows = run(experiment);
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, ErrorCode::too_large);
}

}  // namespace
}  // namespace allot::sim::crowd_experiment_test
