// The loop of a run where workers are alike, and the recorded labels it can play back.
//
// A run asks for labels one by one: the policy chooses an item, the item's next label is recorded,
// the policy refreshes the item, and an item whose labels have run out is excluded. Everything
// specific to a kind of items is in a Model:
//   beliefs()                         the beliefs of a run before its first label
//   start(policy, beliefs, budget)    a Result with a policy::Chooser
//   record(beliefs, item, class)      records a label
//   learner()                         an optional object whose after_label(beliefs) says whether
//                                     all items must be refreshed; only if labels can cause that
//   answers(beliefs)                  Answers
//   simulated(run)                    Items; only if labels can be simulated
// and the members that sim/alike_stops.hpp needs. Items are the labels of a run: label(item, nth),
// has(item, nth) and truth(). Everything is resolved at compile time: a label costs the choice, the
// draw and the update.
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
#include "sim/label_budgets.hpp"
#include "sim/run_schedule.hpp"

namespace allot::sim {

struct Answers {
  std::vector<ClassId> classes;       // one per item
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
      if (experiment_.stop.settled) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("policy '{}' cannot leave settled items out: it plans with all",
                                policy.name()));
      }
      if (recording_) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("policy '{}' cannot be played back: it plans with labels that the "
                                "file may not have",
                                policy.name()));
      }
      const auto beliefs = model_.beliefs();
      TRY(model_.start(policy, beliefs, series.milestones.back()));
    }
    return {};
  }

  Result<EachRun> run() {
    return schedule_.run(progress_, [&](const Series& series, std::uint64_t run) -> Result<void> {
      if (recording_) {
        play(series, run, RecordedItems(*recording_, experiment_.seed, run));
      } else if constexpr (requires { model_.simulated(run); }) {
        play(series, run, model_.simulated(run));
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

}  // namespace allot::sim
