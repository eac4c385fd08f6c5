// Experiments where workers are alike: the loop of a run, its stop rules, and the models of items.
//
// A run asks for labels one by one: the policy chooses an item, the item's next label is recorded,
// the policy refreshes the item, and an item whose labels have run out is excluded. Everything
// specific to a kind of items is in a Model:
//   beliefs()                         the beliefs of a run before its first label
//   start(policy, beliefs, budget)    a Result with a policy::Chooser
//   learner()                         an optional object whose after_label(beliefs) says whether
//                                     all items must be refreshed; only if labels can cause that
//   answers(beliefs)                  Answers
// and, for the stop rules,
//   error(beliefs, item)              the probability that the item's answer is wrong
//   kLabelsMoveAll                    whether a label moves the beliefs about all items
//   worth(beliefs)                    a pointer to policy::ItemsWorthAsking, null without that
//                                     rule; only for models that know the worth of a label
// Everything is resolved at compile time: a label costs the choice, the draw and the update. Stop
// rules cost O(1) per label, O(items) where a label moves all beliefs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "allot/aggregate/class_answers.hpp"
#include "allot/aggregate/posterior.hpp"
#include "allot/base/check.hpp"
#include "allot/base/rng.hpp"
#include "allot/model/best_class.hpp"
#include "allot/model/contextual.hpp"
#include "allot/policy/label_worth.hpp"
#include "allot/policy/policy.hpp"
#include "allot/policy/stop_rules.hpp"
#include "base/try.hpp"
#include "model/refit_schedule.hpp"
#include "sim/run_schedule.hpp"
#include "sim/worlds.hpp"

namespace allot::sim {
namespace {

struct Answers {
  std::vector<ClassId> classes;       // one per item
  std::vector<double> probabilities;  // that it is right
  double expected_accuracy;
};

/// The stop rules (policy/stop_rules.hpp) of a run.
template <typename Model, typename Beliefs>
class AlikeStops {
 public:
  /// Model and beliefs must outlive this object.
  AlikeStops(const policy::StopRules& rules, const Model& model, const Beliefs& beliefs)
      : model_(model),
        beliefs_(beliefs),
        certainty_(rules, beliefs.item_count()),
        open_(beliefs.item_count()),
        excluded_(beliefs.item_count()) {
    if constexpr (requires { model.worth(beliefs); }) worth_ = model.worth(beliefs);
    look_at_all();
  }

  bool is_settled(ItemId item) const { return certainty_.is_settled(item); }

  /// Tells that the item must not be asked again.
  void exclude(ItemId item) {
    if (excluded_[position(item)]) return;
    excluded_[position(item)] = true;
    --open_;
    if (worth_) worth_->exclude(item);
  }

  /// Must be called after a label of the item; `all` if it changed the beliefs about all items.
  /// Returns the items that it closed, which are excluded.
  std::span<const ItemId> after_label(ItemId item, bool all) {
    settled_.clear();
    if (worth_) {
      all ? worth_->refresh_all() : worth_->refresh(item);
    }
    if (all || Model::kLabelsMoveAll) {
      look_at_all();
    } else {
      look_at(item);
    }
    return settled_;
  }

  std::optional<policy::StopReason> reason() const {
    if (const auto sure = certainty_.reason()) return sure;
    if (open_ == 0) return policy::StopReason::exhausted;
    if (worth_ && !worth_->any()) return policy::StopReason::worth;
    return {};
  }

 private:
  void look_at(ItemId item) {
    if (!certainty_.set(item, model_.error(beliefs_, item))) return;
    settled_.push_back(item);
    exclude(item);
  }
  void look_at_all() {
    for (std::uint32_t i = 0; i < beliefs_.item_count(); ++i) look_at(ItemId{i});
  }

  const Model& model_;
  const Beliefs& beliefs_;
  policy::Certainty certainty_;
  std::unique_ptr<policy::ItemsWorthAsking> worth_;
  std::uint32_t open_;
  std::vector<bool> excluded_;
  std::vector<ItemId> settled_;  // by the last label
};

/// The learner of models without one.
struct NoLearner {
  static bool after_label(const auto&) { return false; }
};

template <typename Model>
class AlikeRunner {
 public:
  AlikeRunner(const Experiment& experiment, const Model& model, Progress* progress)
      : experiment_(experiment),
        model_(model),
        progress_(progress),
        recording_(recording_of(experiment)),
        item_count_(item_count(experiment)),
        price_(worker_prices(experiment).front()),
        schedule_(experiment, false) {}

  /// Policies that plan ahead may refuse a problem.
  Result<void> check() const {
    for (const Series& series : schedule_.all()) {
      const policy::Policy& policy = *experiment_.policies[series.policy];
      if (!policy.plans_ahead()) continue;
      const auto refuse = [&](const char* why) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("policy '{}' cannot {}", policy.name(), why));
      };
      if (experiment_.stop.settled) return refuse("leave settled items out: it plans with all");
      if (recording_)
        return refuse("be played back: it plans with labels that the file may not have");
      const auto beliefs = model_.beliefs();
      TRY(model_.start(policy, beliefs, series.milestones.back()));
    }
    return {};
  }

  Result<EachRun> run() {
    return schedule_.run(progress_, [&](const Series& series, std::uint64_t run) -> Result<void> {
      if (recording_) {
        play(series, run, RecordedItems(*recording_, experiment_.seed, run));
      } else {
        play(series, run,
             SimulatedItems(std::get<Simulation>(experiment_.world), experiment_.seed, run));
      }
      return {};
    });
  }

 private:
  template <typename Items>
  void play(const Series& series, std::uint64_t run, const Items& items) {
    Rng ties(experiment_.seed, Rng::Purpose::tie, run);
    double begun = thread_seconds(), seconds = 0;
    auto beliefs = model_.beliefs();
    const policy::Policy& policy = *experiment_.policies[series.policy];
    std::vector<std::uint32_t> asked(item_count_);
    std::optional<AlikeStops<Model, std::remove_const_t<decltype(beliefs)>>> stops;
    if (experiment_.stop.any()) stops.emplace(experiment_.stop, model_, beliefs);
    const auto leave_out = [&](ItemId item, policy::Chooser& chooser) {
      chooser.exclude(item);
      if (stops) stops->exclude(item);
    };
    const auto start = [&] {
      auto chooser = model_.start(policy, beliefs, series.milestones.back()).value();
      for (std::uint32_t i = 0; i < item_count_; ++i) {
        const bool settled = stops && stops->is_settled(ItemId{i});
        if (settled || !items.has(ItemId{i}, asked[i])) leave_out(ItemId{i}, *chooser);
      }
      return chooser;
    };
    auto chooser = start();
    auto learner = this->learner();
    const auto ask = [&] {
      if (progress_) progress_->check();
      const ItemId item = chooser->choose(ties);
      std::uint32_t& nth = asked[position(item)];
      record(beliefs, item, items.label(item, nth++));
      const bool all = learner && learner->after_label(beliefs);
      std::span<const ItemId> settled;
      if (stops) settled = stops->after_label(item, all);
      if (all) {
        chooser = start();
        return;
      }
      chooser->refresh(item);
      if (!items.has(item, nth)) leave_out(item, *chooser);
      for (const ItemId closed : settled) chooser->exclude(closed);
    };
    std::uint64_t spent = 0;
    const auto ended = [&] { return stops ? stops->reason() : std::nullopt; };
    for (std::size_t i = 0; i < series.milestones.size(); ++i) {
      while (spent < series.milestones[i] && !ended()) {
        const std::uint64_t pause = std::min(series.milestones[i], spent + kReport);
        const std::uint64_t before = spent;
        for (; spent < pause && !ended(); ++spent) ask();
        if (progress_) progress_->done += spent - before;
      }
      seconds += thread_seconds() - begun;
      const Answers answers = model_.answers(beliefs);
      const auto& truth = items.truth();
      aggregate::Calibration calibration;
      calibration.add(answers.classes, answers.probabilities, truth);
      schedule_.set(series.rows[i], run,
                    {aggregate::accuracy(answers.classes, truth).value(), answers.expected_accuracy,
                     seconds, spent, price_ * spent, ended().value_or(policy::StopReason::budget)},
                    calibration);
      begun = thread_seconds();
    }
    if (progress_) progress_->done += series.milestones.back() - spent;
  }

  /// Binary beliefs take a Label, others a class.
  static void record(auto& beliefs, ItemId item, ClassId label) {
    if constexpr (requires { beliefs.record(item, label); }) {
      beliefs.record(item, label);
    } else {
      beliefs.record(item, model::to_label(label));
    }
  }

  auto learner() const {
    if constexpr (requires { model_.learner(); }) {
      return model_.learner();
    } else {
      return std::optional<NoLearner>();
    }
  }

  static constexpr std::uint64_t kReport = 4096;  // labels between two reports of progress

  const Experiment& experiment_;
  const Model& model_;
  Progress* progress_;
  const Recording* const recording_;  // null if labels are simulated
  const std::uint32_t item_count_;
  const Money price_;
  RunSchedule schedule_;
};

using model::Beliefs;
using model::Contextual;
using model::ContextualClasses;
using model::MulticlassBeliefs;
using policy::Policy;

/// What models share that count the labels of each item.
template <typename Beliefs>
struct CountingModel {
  static auto start(const Policy& policy, const Beliefs& beliefs, std::uint64_t budget) {
    return policy.start(beliefs, budget);
  }
  static constexpr bool kLabelsMoveAll = false;
  static double error(const Beliefs& beliefs, ItemId item) {
    return model::error_probability(beliefs[item]);
  }
};

/// Binary items: counts of labels under a prior.
class BinaryModel : public CountingModel<Beliefs> {
 public:
  BinaryModel(const Experiment& experiment, const AlikeWorkers& workers)
      : experiment_(experiment),
        prior_(std::get<model::Prior>(workers.prior)),
        learn_(workers.learn) {
    if (!experiment.stop.worth) return;
    region_ = std::make_shared<policy::WorthRegion>(
        prior_, ratio(worker_prices(experiment).front(), *experiment.stop.worth));
  }

  Beliefs beliefs() const { return {item_count(experiment_), prior_}; }
  std::unique_ptr<policy::ItemsWorthAsking> worth(const Beliefs& beliefs) const {
    if (!region_) return nullptr;
    return std::make_unique<policy::ItemsWorthAsking>(beliefs, region_);
  }
  std::optional<model::PriorLearner> learner() const {
    if (!learn_) return {};
    return model::PriorLearner(*learn_, item_count(experiment_));
  }
  Answers answers(const Beliefs& beliefs) const {
    if (!learn_) return answers_under_prior(beliefs);
    Beliefs learned = beliefs;
    learned.set_prior(model::learned_prior(beliefs, *learn_));
    return answers_under_prior(learned);
  }

 private:
  static Answers answers_under_prior(const Beliefs& beliefs) {
    const std::vector<aggregate::Answer> answers = aggregate::posterior_vote(beliefs);
    Answers result{{}, {}, aggregate::expected_accuracy(answers)};
    for (const auto& [label, probability] : answers) {
      result.classes.push_back(model::to_class(label));
      result.probabilities.push_back(probability);
    }
    return result;
  }

  const Experiment& experiment_;
  const model::Prior& prior_;
  const std::optional<model::PriorLearning>& learn_;
  std::shared_ptr<policy::WorthRegion> region_;  // none without the rule of worth
};

/// Multi-class items: counts of labels under a Dirichlet prior.
class MulticlassModel : public CountingModel<MulticlassBeliefs> {
 public:
  MulticlassModel(const Experiment& experiment, const AlikeWorkers& workers)
      : experiment_(experiment), prior_(std::get<model::DirichletPrior>(workers.prior)) {}

  MulticlassBeliefs beliefs() const { return {item_count(experiment_), prior_}; }
  static Answers answers(const MulticlassBeliefs& beliefs) {
    aggregate::ClassAnswers answers = aggregate::multiclass_vote(beliefs);
    const double promised = aggregate::expected_accuracy(answers).value();
    std::vector<double> probabilities;
    for (std::uint32_t i = 0; i < answers.answers.size(); ++i)
      probabilities.push_back(answers.of(ItemId{i})[position(answers.answers[i])]);
    return {std::move(answers.answers), std::move(probabilities), promised};
  }

 private:
  const Experiment& experiment_;
  const model::DirichletPrior& prior_;
};

/// The answer to an item and the probability that it is right.
std::pair<ClassId, double> answer(std::span<const double> probabilities) {
  const ClassId best = model::best_class(probabilities);
  return {best, probabilities[position(best)]};
}
std::pair<ClassId, double> answer(const Contextual& belief, ItemId item) {
  const double positive = belief.prob_positive(item);
  return answer(std::array{1 - positive, positive});
}
std::pair<ClassId, double> answer(const ContextualClasses& belief, ItemId item) {
  return answer(belief.probabilities(item));
}

/// Items with features. `Belief` is Contextual or ContextualClasses; every run starts from a copy,
/// so that the rows of the design are looked through once.
template <typename Belief>
class FeaturesModel {
 public:
  FeaturesModel(const policy::FeatureSearch& search, Belief belief)
      : search_(search), belief_(std::move(belief)) {}

  const Belief& beliefs() const { return belief_; }

  Result<std::unique_ptr<policy::Chooser>> start(const Policy& policy, const Belief& belief,
                                                 std::uint64_t) const {
    return policy.start(belief, search_);
  }
  static constexpr bool kLabelsMoveAll = true;
  static double error(const Belief& belief, ItemId item) { return 1 - answer(belief, item).second; }
  static Answers answers(const Belief& belief) {
    Answers result{{}, {}, 0};
    for (std::uint32_t i = 0; i < belief.item_count(); ++i) {
      const auto [best, probability] = answer(belief, ItemId{i});
      result.classes.push_back(best);
      result.probabilities.push_back(probability);
      result.expected_accuracy += probability;
    }
    result.expected_accuracy /= belief.item_count();
    return result;
  }

 private:
  const policy::FeatureSearch search_;
  const Belief belief_;
};

/// Refuses policies that plan ahead if the prior is learned.
Result<void> check_learning(const Experiment& experiment, const AlikeWorkers& workers) {
  if (!workers.learn) return {};
  require(workers.learn->every > 0, "sim::run", "every", 0, "expected at least 1");
  for (const auto& policy : experiment.policies) {
    if (!policy->plans_ahead()) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("policy '{}' cannot learn the prior: it plans with one that stays",
                            policy->name()));
  }
  return {};
}

template <typename Model>
Result<EachRun> run_model(const Experiment& experiment, const Model& model, Progress* progress) {
  AlikeRunner runner(experiment, model, progress);
  TRY(runner.check());
  return runner.run();
}

}  // namespace

Result<EachRun> run_alike(const Experiment& experiment, const AlikeWorkers& workers,
                          Progress* progress) {
  TRY(check_learning(experiment, workers));
  if (workers.design) {
    const policy::FeatureSearch search{.cost_limit = workers.decision_cost,
                                       .seed = experiment.seed};
    if (class_count(experiment) == 2) {
      const Contextual belief(*workers.design, workers.features);
      return run_model(experiment, FeaturesModel(search, belief), progress);
    }
    const ContextualClasses belief(*workers.design, class_count(experiment), workers.features);
    return run_model(experiment, FeaturesModel(search, belief), progress);
  }
  if (std::holds_alternative<model::Prior>(workers.prior)) {
    return run_model(experiment, BinaryModel(experiment, workers), progress);
  }
  return run_model(experiment, MulticlassModel(experiment, workers), progress);
}

}  // namespace allot::sim
