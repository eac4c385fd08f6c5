#include "allot/sim/bounds.hpp"

#include <algorithm>
#include <cmath>

#include "allot/model/binary_crowd.hpp"
#include "allot/model/label_set.hpp"
#include "sim/crowd_bounds.hpp"
#include "sim/run_schedule.hpp"

namespace allot::sim {
namespace {

using model::Prior;
using policy::BudgetCurve;
using policy::RosterBound;

/// None for an improper prior, which gives no expectations.
std::optional<BudgetCurve> curve_of(const Prior& prior) {
  if (!prior.is_proper()) return {};
  return policy::budget_curve(prior);
}

std::optional<BudgetCurve> curve_of(const model::SoftLabels& truth) {
  const auto* distribution = std::get_if<Prior>(&truth);
  return distribution ? curve_of(*distribution) : std::nullopt;
}

/// The prior learned from all recorded labels.
Prior learned(const Recording& recording, const Prior& prior, const model::PriorLearning& learn) {
  model::Beliefs beliefs(recording.labels.item_count, prior);
  for (const auto& [item, worker, label] : recording.labels.labels) {
    beliefs.record(item, model::to_label(label));
  }
  return model::learned_prior(beliefs, learn);
}

/// The bound under the policies' prior, or under the learned one.
std::optional<BudgetCurve> curve_of(const Recording& recording, const AlikeWorkers& workers) {
  const auto& prior = std::get<Prior>(workers.prior);
  return curve_of(workers.learn ? learned(recording, prior, *workers.learn) : prior);
}

/// The smaller of two bounds, each of which may be unknown.
class Limits {
 public:
  explicit Limits(std::optional<BudgetCurve> curve, std::optional<RosterBound> roster = {})
      : curve_(std::move(curve)), roster_(std::move(roster)) {}

  std::optional<double> at(double labels_per_item) {
    std::optional<double> least;
    if (curve_) least = curve_->accuracy_for_budget(labels_per_item).accuracy;
    if (!roster_) return least;
    return std::min(least.value_or(1), roster_->accuracy_for_budget(labels_per_item).accuracy);
  }

 private:
  std::optional<BudgetCurve> curve_;
  std::optional<RosterBound> roster_;
};

/// The bounds from the share of positive items and from the workers, by one refit to all labels:
/// labels of the best worker without end, and each worker once.
Limits limits_of(const Recording& recording, const DifferingWorkers& workers) {
  if (workers.beliefs.design) return Limits({});
  model::CrowdOptions options = workers.beliefs;
  const model::LabelSet& set = recording.labels;
  if (set.labels.empty()) return Limits({});
  options.refit = model::Refit::integrated;
  options.refit_every = static_cast<std::uint32_t>(set.labels.size());
  const auto crowd = model::make_crowd(options, set.item_count, set.worker_count);
  for (const auto& [item, worker, label] : set.labels) {
    crowd->record(item, worker, label);
  }
  double share = 0, best = 0.5;
  for (const model::ItemState& item : crowd->binary()->items()) share += prob_positive(item);
  share /= set.item_count;
  for (std::uint32_t j = 0; j < set.worker_count; ++j) {
    best = std::max(best, model::dominating_reliability((*crowd->binary())[WorkerId{j}].mean));
  }
  const double log_odds = std::log(share / (1 - share));
  return Limits(policy::coin_budget_curve({&log_odds, 1}, best),
                crowd_bound(set, *crowd->binary(), log_odds));
}

Limits limits_of(const Recording& recording, const AlikeWorkers& workers) {
  return Limits(curve_of(recording, workers));
}

/// Whether labels have confidences, which say more than the bounds know.
bool has_confidences(const Experiment& experiment) {
  const Recording* recording = recording_of(experiment);
  return recording ? !recording->labels.confidences.empty()
                   : std::get<Simulation>(experiment.world).confidence_gap.has_value();
}

Limits limits_of(const Experiment& experiment) {
  if (has_confidences(experiment)) return Limits({});
  const Recording* recording = recording_of(experiment);
  if (!recording) {
    // A label of any worker says no more than the soft label itself seen by a perfect one.
    const auto& simulation = std::get<Simulation>(experiment.world);
    const bool differ = std::holds_alternative<DifferingWorkers>(experiment.workers);
    return Limits(simulation.class_truth ? std::nullopt : curve_of(simulation.truth),
                  differ && simulation.groups.empty() ? crowd_bound(simulation) : std::nullopt);
  }
  const policy::Form form = form_of(experiment);
  if (form != policy::Form::items && form != policy::Form::pairs) return Limits({});
  return std::visit([&](const auto& workers) { return limits_of(*recording, workers); },
                    experiment.workers);
}

}  // namespace

Bounds bounds(const Experiment& experiment) {
  Limits limits = limits_of(experiment);
  Bounds result;
  for (const std::uint64_t budget : label_budgets(experiment)) {
    result.push_back(limits.at(static_cast<double>(budget) / item_count(experiment)));
  }
  return result;
}

}  // namespace allot::sim
