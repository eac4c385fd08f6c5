// Experiments where workers differ.
#include <algorithm>
#include <limits>

#include "allot/model/best_class.hpp"
#include "allot/policy/desk.hpp"
#include "allot/policy/offers.hpp"
#include "base/try.hpp"
#include "sim/run_schedule.hpp"
#include "sim/worlds.hpp"

namespace allot::sim {
namespace {

using aggregate::ClassAnswers;
using policy::Offers;
using policy::Pair;
using policy::StopReason;

/// Open pairs, with prices if there are any.
Offers priced(Offers offers, const Experiment& experiment) {
  if (!experiment.prices.empty()) offers.set_prices(worker_prices(experiment));
  return offers;
}

model::CrowdOptions beliefs_of(const DifferingWorkers& workers) {
  model::CrowdOptions result = workers.beliefs;
  result.shares_in_turn = workers.marketplace == Marketplace::push;
  return result;
}

/// One run of one policy.
class CrowdRun {
 public:
  /// A budget is given only if it is money that buys different numbers of labels.
  CrowdRun(const Experiment& experiment, const DifferingWorkers& workers,
           std::shared_ptr<const CrowdWorld> world, std::shared_ptr<const policy::Policy> policy,
           std::uint64_t run, std::optional<Money> budget)
      : is_push_(workers.marketplace == Marketplace::push),
        world_(std::move(world)),
        desk_(model::make_crowd(beliefs_of(workers), item_count(experiment),
                                worker_count(experiment)),
              std::move(policy), priced(world_->offers(), experiment), experiment.stop),
        ties_(experiment.seed, Rng::Purpose::tie, run),
        arrivals_(experiment.seed, Rng::Purpose::arrival, run),
        labels_{item_count(experiment), worker_count(experiment), class_count(experiment), {}, {}} {
    if (!budget) return;
    purse_.emplace(*budget, desk_.offers());
    leave_out_unpayable();
  }

  /// Asks for one of `labels` more labels; a budget in money tells by itself how many it buys.
  void ask(std::uint64_t labels) {
    desk_.set_labels_left(purse_ ? desk_.offers().affordable(purse_->left()) : labels);
    const Pair pair = choose();
    const ClassId label = world_->label(pair);
    const float confidence = world_->confidence(pair);
    if (model::has_confidence(confidence))
      labels_.confidences.resize(labels_.labels.size(), model::kNoConfidence);
    if (model::has_confidence(confidence) || !labels_.confidences.empty())
      labels_.confidences.push_back(confidence);
    labels_.labels.push_back({pair.item, pair.worker, label});
    desk_.record(pair, label, confidence);
    spent_ += desk_.offers().price(pair.worker);
    if (!purse_) return;
    purse_->pay(pair.worker);
    leave_out_unpayable();
  }

  /// The reason to ask for no further label, apart from a budget in labels.
  std::optional<StopReason> reason() {
    if (const auto rule = desk_.stop_reason()) return rule;
    if (desk_.offers().left() > 0) return {};
    return unpaid_ ? StopReason::budget : StopReason::exhausted;
  }

  Money spent() const { return spent_; }
  std::span<const std::optional<ClassId>> truth() const { return world_->truth(); }

  /// Answers from the beliefs after all labels.
  ClassAnswers own_answers() const {
    ClassAnswers result{labels_.class_count, {}, desk_.crowd().final_probabilities()};
    for (std::uint32_t i = 0; i < labels_.item_count; ++i) {
      result.answers.push_back(model::best_class(result.of(ItemId{i})));
    }
    return result;
  }

  Result<ClassAnswers> answers_by(const aggregate::SeededMethod& method, std::uint64_t seed) const {
    return TRY(method(labels_, seed)).answers;
  }

 private:
  void leave_out_unpayable() {
    while (const auto worker = purse_->unpayable()) {
      if (desk_.offers().left(*worker) == 0) continue;
      unpaid_ = true;
      desk_.exclude(*worker);
    }
  }

  Pair choose() {
    if (is_push_) return desk_.choose(ties_).value();
    const WorkerId worker = arriving_worker();
    return {desk_.choose(worker, ties_).value(), worker};
  }

  /// Draws a worker among those with labels left, all with the same chance.
  WorkerId arriving_worker() {
    std::vector<std::uint32_t> present;
    for (std::uint32_t j = 0; j < labels_.worker_count; ++j) {
      if (desk_.offers().left(WorkerId{j}) > 0) present.push_back(j);
    }
    return WorkerId{present[below(arrivals_, present.size())]};
  }

  const bool is_push_;
  const std::shared_ptr<const CrowdWorld> world_;
  policy::Desk desk_;
  Rng ties_, arrivals_;
  model::LabelSet labels_;
  Money spent_;
  std::optional<policy::Purse> purse_;
  bool unpaid_ = false;  // whether some worker could have been asked for more money
};

bool prices_differ(const Experiment& experiment) {
  return std::ranges::any_of(experiment.prices,
                             [&](Money price) { return price != experiment.prices.front(); });
}

class CrowdRunner {
 public:
  CrowdRunner(const Experiment& experiment, const DifferingWorkers& workers, Progress* progress)
      : experiment_(experiment),
        workers_(workers),
        progress_(progress),
        worlds_(experiment),
        own_purses_(!experiment.money.empty() && prices_differ(experiment)),
        schedule_(experiment, own_purses_) {}

  Result<EachRun> run() {
    EachRun result = TRY(schedule_.run(
        progress_, [&](const Series& series, std::uint64_t run) { return play(series, run); }));
    for (Row& row : result.rows) {
      if (own_purses_) row.labels_per_item = row.labels / item_count(experiment_);
    }
    return result;
  }

 private:
  /// The budget of a row that has runs of its own.
  std::optional<Money> purse(std::size_t row) const {
    if (!own_purses_) return {};
    return experiment_.money[row % experiment_.money.size()];
  }

  Result<void> play(const Series& series, std::uint64_t run) {
    const auto& policy = experiment_.policies[series.policy];
    double begun = thread_seconds(), seconds = 0;
    CrowdRun current(experiment_, workers_, worlds_.of_run(run), policy, run,
                     purse(series.rows.front()));
    std::uint64_t labels = 0;
    for (std::size_t i = 0; i < series.milestones.size(); ++i) {
      for (; labels < series.milestones[i] && !current.reason(); ++labels) {
        current.ask(series.milestones.back() - labels);
        if (!progress_) continue;
        ++progress_->done;
        progress_->check();
      }
      seconds += thread_seconds() - begun;
      const auto reached = TRY(answers(current, *policy, run));
      aggregate::Calibration calibration;
      calibration.add(reached, current.truth());
      schedule_.set(
          series.rows[i], run,
          {aggregate::accuracy(reached.answers, current.truth()).value(),
           aggregate::expected_accuracy(reached).value_or(std::numeric_limits<double>::quiet_NaN()),
           seconds, labels, current.spent(),
           reason(current, !own_purses_ && labels == series.milestones[i])},
          calibration);
      begun = thread_seconds();
    }
    if (progress_) progress_->done += series.milestones.back() - labels;
    return {};
  }

  /// A run that asked all pairs with its whole budget ended by the budget.
  static StopReason reason(CrowdRun& current, bool used_up) {
    const auto found = current.reason();
    if (!found || (*found == StopReason::exhausted && used_up)) return StopReason::budget;
    return *found;
  }

  Result<ClassAnswers> answers(const CrowdRun& current, const policy::Policy& policy,
                               std::uint64_t run) const {
    const std::uint64_t seed = Rng(experiment_.seed, Rng::Purpose::messages, run)();
    if (workers_.final_answers) return current.answers_by(workers_.final_answers, seed);
    if (policy.answers_by().empty()) return current.own_answers();
    return current.answers_by(TRY(aggregate::make_seeded_method(policy.answers_by())), seed);
  }

  const Experiment& experiment_;
  const DifferingWorkers& workers_;
  Progress* progress_;
  const Worlds worlds_;
  const bool own_purses_;  // whether every budget has runs of its own
  RunSchedule schedule_;
};

}  // namespace

Result<EachRun> run_crowd(const Experiment& experiment, const DifferingWorkers& workers,
                          Progress* progress) {
  return CrowdRunner(experiment, workers, progress).run();
}

}  // namespace allot::sim
