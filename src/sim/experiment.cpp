#include "allot/sim/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "allot/aggregate/class_answers.hpp"
#include "allot/aggregate/posterior_vote.hpp"
#include "allot/base/check.hpp"
#include "sim/courses.hpp"

namespace allot::sim {
namespace {

using model::Beliefs;

/// Labels drawn from soft labels; an item is positive if its soft label is at least 1/2.
class SimulatedItems {
 public:
  SimulatedItems(const Experiment& experiment, std::uint64_t run)
      : seed_(experiment.seed),
        run_(run),
        theta_(model::soft_labels(experiment.truth, experiment.item_count, seed_, run)) {}

  Label label(ItemId item, std::uint32_t nth) const {
    const Rng labels(seed_, Rng::Purpose::label, run_, position(item));
    return unit_interval(labels.at(nth)) < theta_[position(item)] ? Label::positive
                                                                  : Label::negative;
  }
  bool is_last(ItemId, std::uint32_t) const { return false; }
  std::vector<std::optional<ClassId>> truth() const {
    std::vector<std::optional<ClassId>> classes;
    classes.reserve(theta_.size());
    for (const double theta : theta_) {
      classes.emplace_back(model::to_class(theta >= 0.5 ? Label::positive : Label::negative));
    }
    return classes;
  }

 private:
  std::uint64_t seed_, run_;
  std::vector<double> theta_;
};

/// Each item's recorded labels in an order drawn for the run.
class RecordedItems {
 public:
  RecordedItems(const Experiment& experiment, std::uint64_t run)
      : recording_(*experiment.recording), labels_(experiment.item_count) {
    for (const model::GivenLabel& one : recording_.labels.labels) {
      labels_[position(one.item)].push_back(model::to_label(one.label));
    }
    for (std::uint32_t item = 0; item < labels_.size(); ++item) {
      Rng rng(experiment.seed, Rng::Purpose::label, run, item);
      std::vector<Label>& labels = labels_[item];
      for (std::size_t n = labels.size(); n > 1; --n) {
        std::swap(labels[n - 1], labels[below(rng, n)]);
      }
    }
  }

  Label label(ItemId item, std::uint32_t nth) const { return labels_[position(item)][nth]; }
  /// Whether the item has no label after its nth.
  bool is_last(ItemId item, std::uint32_t nth) const {
    return nth + 1 >= labels_[position(item)].size();
  }
  const std::vector<std::optional<ClassId>>& truth() const { return recording_.truth; }
  const std::vector<std::vector<Label>>& all() const { return labels_; }

 private:
  const Recording& recording_;
  std::vector<std::vector<Label>> labels_;
};

template <typename Items>
Score score(const Beliefs& beliefs, const Items& items, double seconds) {
  const std::vector<aggregate::Answer> answers = aggregate::posterior_vote(beliefs);
  std::vector<ClassId> classes;
  classes.reserve(answers.size());
  for (const aggregate::Answer& answer : answers) classes.push_back(model::to_class(answer.label));
  return {aggregate::accuracy(classes, items.truth()).value(),
          aggregate::expected_accuracy(answers), seconds};
}

class Runner {
 public:
  Runner(const Experiment& experiment, Progress* progress)
      : experiment_(experiment),
        progress_(progress),
        courses_(experiment.budgets, experiment.runs) {
    for (const auto& policy : experiment.policies) courses_.add(policy->depends_on_budget());
  }

  /// Policies without an index may refuse a problem.
  Result<void> check() const {
    for (const Course& course : courses_.all()) {
      const policy::Policy& policy = *experiment_.policies[course.policy];
      if (policy.ranking(course.milestones.back())) continue;
      if (experiment_.recording) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("policy '{}' cannot be played back: it plans with labels that the "
                                "file may not have",
                                policy.name()));
      }
      const Beliefs beliefs(experiment_.item_count, experiment_.prior);
      const auto started = policy.start(beliefs, course.milestones.back());
      if (!started) return tl::unexpected(started.error());
    }
    return {};
  }

  Result<std::vector<Row>> run() {
    std::vector<std::string> names;
    for (const auto& policy : experiment_.policies) names.push_back(policy->name());
    const auto start = [&](const Course& course, std::uint64_t run) -> Result<void> {
      if (experiment_.recording) {
        play(course, run, RecordedItems(experiment_, run));
      } else {
        play(course, run, SimulatedItems(experiment_, run));
      }
      return {};
    };
    return courses_.run(experiment_.threads, progress_, start).map([&] {
      return courses_.rows(names, experiment_.item_count);
    });
  }

 private:
  template <typename Items>
  void play(const Course& course, std::uint64_t run, const Items& items) {
    Rng ties(experiment_.seed, Rng::Purpose::tie, run);
    double begun = thread_seconds(), seconds = 0;
    Beliefs beliefs(experiment_.item_count, experiment_.prior);
    const policy::Policy& policy = *experiment_.policies[course.policy];
    const auto chooser = policy.start(beliefs, course.milestones.back()).value();
    exclude_unlabelled(*chooser, items);
    std::uint64_t spent = 0;
    for (std::size_t i = 0; i < course.milestones.size(); ++i) {
      while (spent < course.milestones[i]) {
        const std::uint64_t pause = std::min(course.milestones[i], spent + kReport);
        const std::uint64_t labels = pause - spent;
        for (; spent < pause; ++spent) ask(*chooser, beliefs, items, ties);
        if (progress_) progress_->done += labels;
      }
      seconds += thread_seconds() - begun;
      courses_.set(course.rows[i], run, score(beliefs, items, seconds));
      begun = thread_seconds();
    }
  }

  static void exclude_unlabelled(policy::Chooser&, const SimulatedItems&) {}
  static void exclude_unlabelled(policy::Chooser& chooser, const RecordedItems& items) {
    for (std::uint32_t i = 0; i < items.all().size(); ++i) {
      if (items.all()[i].empty()) chooser.exclude(ItemId{i});
    }
  }

  template <typename Items>
  static void ask(policy::Chooser& chooser, Beliefs& beliefs, const Items& items, Rng& ties) {
    const ItemId item = chooser.choose(ties);
    const std::uint32_t nth = beliefs.counts(item).total();
    beliefs.record(item, items.label(item, nth));
    chooser.refresh(item);
    if (items.is_last(item, nth)) chooser.exclude(item);
  }

  static constexpr std::uint64_t kReport = 4096;  // labels between two reports of progress

  const Experiment& experiment_;
  Progress* progress_;
  Courses courses_;
};

}  // namespace

Result<std::vector<Row>> run(const Experiment& experiment, Progress* progress) {
  constexpr std::string_view kName = "sim::run";
  require(experiment.item_count > 0, kName, "item_count", 0, "expected at least 1");
  require(experiment.runs > 0, kName, "runs", 0, "expected at least 1");
  require(experiment.threads > 0, kName, "threads", 0, "expected at least 1");
  require(!experiment.budgets.empty(), kName, "number of budgets", 0, "expected at least 1");
  if (experiment.recording) {
    check(*experiment.recording);
    require(experiment.item_count == experiment.recording->labels.item_count, kName, "item_count",
            experiment.item_count, "expected that of the recording");
    const auto labels = experiment.recording->labels.labels.size();
    const std::uint64_t most = std::ranges::max(experiment.budgets);
    require(most <= labels, kName, "budget", static_cast<double>(most),
            "expected at most as many as labels are recorded");
  }
  if (auto fits =
          Courses::check(experiment.policies.size(), experiment.budgets.size(), experiment.runs);
      !fits) {
    return tl::unexpected(fits.error());
  }
  Runner runner(experiment, progress);
  return runner.check().and_then([&] { return runner.run(); });
}

}  // namespace allot::sim
