// Comparisons where workers are alike, whatever the items are: the loop of a run and where its
// labels come from.
//
// A run asks for labels one by one: the policy chooses an item, the item's next label is recorded,
// the policy looks at the item anew, and an item whose labels have run out is left out. What a kind
// of items has of its own is a Model:
//   policies()                        pointers to policies with a name()
//   beliefs()                         those of a run before its first label
//   depends_on_budget(policy)         as in policy.hpp
//   plans(policy, budget)             whether it looks ahead, so that labels must not run out
//   start(policy, beliefs, budget)    a Result with a policy::Chooser
//   record(beliefs, item, class)      a label
//   learner()                         whose after_label(beliefs) says whether all items must be
//                                     looked at again; an optional, only if beliefs can change so
//   answers(beliefs)                  Answers
//   simulated(run)                    Items; only if labels can be simulated
// with what sim/alike_stops.hpp asks for,
// and Items are the labels of a run: label(item, nth), has(item, nth) and truth(). All is resolved
// when it is compiled: a label costs the choice, the draw and the update.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "allot/aggregate/class_answers.hpp"
#include "allot/base/check.hpp"
#include "allot/base/rng.hpp"
#include "allot/policy/policy.hpp"
#include "allot/sim/recording.hpp"
#include "base/try.hpp"
#include "sim/alike_stops.hpp"
#include "sim/courses.hpp"

namespace allot::sim {

struct Answers {
  std::vector<ClassId> classes;       // one an item
  std::vector<double> probabilities;  // that it is right
  double expected_accuracy;
};

/// Each item's recorded labels in an order drawn for the run.
class RecordedItems {
 public:
  RecordedItems(const Recording& recording, std::uint64_t seed, std::uint64_t run);

  ClassId label(ItemId item, std::uint32_t nth) const { return labels_[position(item)][nth]; }
  bool has(ItemId item, std::uint32_t nth) const { return nth < labels_[position(item)].size(); }
  const std::vector<std::optional<ClassId>>& truth() const { return recording_.truth; }

 private:
  const Recording& recording_;
  std::vector<std::vector<ClassId>> labels_;
};

/// Of models whose beliefs change by a label of an item at a time.
struct NoLearner {
  static bool after_label(const auto&) { return false; }
};

/// Experiment has item_count, recording, budgets, runs, seed, threads, stop and price.
template <typename Experiment, typename Model>
class AlikeRunner {
 public:
  AlikeRunner(const Experiment& experiment, const Model& model, Progress* progress)
      : experiment_(experiment),
        model_(model),
        progress_(progress),
        courses_(experiment.budgets, experiment.runs) {
    for (const auto& policy : model.policies()) courses_.add(model.depends_on_budget(*policy));
  }

  /// Policies without an index may refuse a problem.
  Result<void> check() const {
    for (const Course& course : courses_.all()) {
      const auto& policy = *model_.policies()[course.policy];
      if (!model_.plans(policy, course.milestones.back())) continue;
      if (experiment_.stop.settled) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("policy '{}' cannot leave settled items out: it plans with all",
                                policy.name()));
      }
      if (experiment_.recording) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("policy '{}' cannot be played back: it plans with labels that the "
                                "file may not have",
                                policy.name()));
      }
      const auto beliefs = model_.beliefs();
      TRY(model_.start(policy, beliefs, course.milestones.back()));
    }
    return {};
  }

  Result<EachRun> run() {
    std::vector<std::string> names;
    for (const auto& policy : model_.policies()) names.push_back(policy->name());
    const auto start = [&](const Course& course, std::uint64_t run) -> Result<void> {
      if (experiment_.recording) {
        play(course, run, RecordedItems(*experiment_.recording, experiment_.seed, run));
      } else if constexpr (requires { model_.simulated(run); }) {
        play(course, run, model_.simulated(run));
      }
      return {};
    };
    return courses_.run(experiment_.threads, progress_, start).map([&] {
      return courses_.each_run(names, experiment_.item_count);
    });
  }

 private:
  template <typename Items>
  void play(const Course& course, std::uint64_t run, const Items& items) {
    Rng ties(experiment_.seed, Rng::Purpose::tie, run);
    double begun = thread_seconds(), seconds = 0;
    auto beliefs = model_.beliefs();
    const auto& policy = *model_.policies()[course.policy];
    std::vector<std::uint32_t> asked(experiment_.item_count);
    std::optional<AlikeStops<Model, std::remove_const_t<decltype(beliefs)>>> stops;
    if (experiment_.stop.any()) stops.emplace(experiment_.stop, model_, beliefs);
    const auto leave_out = [&](ItemId item, policy::Chooser& chooser) {
      chooser.exclude(item);
      if (stops) stops->exclude(item);
    };
    const auto start = [&] {
      auto chooser = model_.start(policy, beliefs, course.milestones.back()).value();
      for (std::uint32_t i = 0; i < experiment_.item_count; ++i) {
        const bool settled = stops && stops->is_settled(ItemId{i});
        if (settled || !items.has(ItemId{i}, asked[i])) leave_out(ItemId{i}, *chooser);
      }
      return chooser;
    };
    auto chooser = start();
    auto learner = this->learner();
    const auto ask = [&] {
      const ItemId item = chooser->choose(ties);
      std::uint32_t& nth = asked[position(item)];
      model_.record(beliefs, item, items.label(item, nth++));
      const bool all = learner && learner->after_label(beliefs);
      std::span<const ItemId> settled;
      if (stops) settled = stops->after_label(item, all);
      if (all) {
        chooser = start();
        return;
      }
      chooser->refresh(item);
      if (!items.has(item, nth)) leave_out(item, *chooser);
      for (const ItemId one : settled) chooser->exclude(one);
    };
    std::uint64_t spent = 0;
    const auto ended = [&] { return stops ? stops->reason() : std::nullopt; };
    for (std::size_t i = 0; i < course.milestones.size(); ++i) {
      while (spent < course.milestones[i] && !ended()) {
        const std::uint64_t pause = std::min(course.milestones[i], spent + kReport);
        const std::uint64_t before = spent;
        for (; spent < pause && !ended(); ++spent) ask();
        if (progress_) progress_->done += spent - before;
      }
      seconds += thread_seconds() - begun;
      const Answers answers = model_.answers(beliefs);
      const auto& truth = items.truth();
      aggregate::Calibration calibration;
      calibration.add(answers.classes, answers.probabilities, truth);
      courses_.set(
          course.rows[i], run,
          {aggregate::accuracy(answers.classes, truth).value(), answers.expected_accuracy, seconds,
           spent, experiment_.price * spent, ended().value_or(policy::StopReason::budget)},
          calibration);
      begun = thread_seconds();
    }
    if (progress_) progress_->done += course.milestones.back() - spent;
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
  Courses courses_;
};

/// Throws std::invalid_argument where no model could make sense of the experiment.
template <typename Experiment>
void check_alike(const Experiment& experiment, std::uint32_t class_count) {
  constexpr std::string_view kName = "sim::run";
  require(experiment.item_count > 0, kName, "item_count", 0, "expected at least 1");
  require(experiment.runs > 0, kName, "runs", 0, "expected at least 1");
  require(experiment.threads > 0, kName, "threads", 0, "expected at least 1");
  require(!experiment.budgets.empty(), kName, "number of budgets", 0, "expected at least 1");
  require(experiment.price > Money(), kName, "price", experiment.price.value(),
          "expected more than 0");
  policy::check(experiment.stop);
  if (!experiment.recording) return;
  check(*experiment.recording);
  const model::LabelSet& labels = experiment.recording->labels;
  require(labels.class_count == class_count, kName, "class_count of the recording",
          labels.class_count, fmt::format("expected {}", class_count));
  require(experiment.item_count == labels.item_count, kName, "item_count", experiment.item_count,
          "expected that of the recording");
  const std::uint64_t most = std::ranges::max(experiment.budgets);
  require(most <= labels.labels.size(), kName, "budget", static_cast<double>(most),
          "expected at most as many as labels are recorded");
}

/// The runs of a checked experiment.
template <typename Experiment, typename Model>
Result<EachRun> run_alike(const Experiment& experiment, const Model& model, Progress* progress) {
  return Courses::check(model.policies().size(), experiment.budgets.size(), experiment.runs)
      .and_then([&]() -> Result<EachRun> {
        AlikeRunner runner(experiment, model, progress);
        return runner.check().and_then([&] { return runner.run(); });
      });
}

}  // namespace allot::sim
