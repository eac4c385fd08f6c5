#include "allot/sim/bounds.hpp"

#include <algorithm>
#include <cmath>

#include "allot/model/binary_crowd.hpp"
#include "allot/model/label_set.hpp"
#include "allot/policy/bound.hpp"
#include "sim/run_schedule.hpp"

namespace allot::sim {
namespace {

using model::Prior;
using policy::BudgetCurve;

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

/// The bound from the share of positive items and the best worker, by one refit to all labels.
std::optional<BudgetCurve> curve_of(const Recording& recording, const DifferingWorkers& workers) {
  model::CrowdOptions options = workers.beliefs;
  const model::LabelSet& set = recording.labels;
  if (set.labels.empty()) return {};
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
  return policy::coin_budget_curve({&log_odds, 1}, best);
}

std::optional<BudgetCurve> curve_of(const Experiment& experiment) {
  const Recording* recording = recording_of(experiment);
  if (!recording) {
    // A label of any worker says no more than the soft label itself seen by a perfect one.
    const auto& simulation = std::get<Simulation>(experiment.world);
    return simulation.class_truth ? std::nullopt : curve_of(simulation.truth);
  }
  const policy::Form form = form_of(experiment);
  if (form != policy::Form::items && form != policy::Form::pairs) return {};
  return std::visit([&](const auto& workers) { return curve_of(*recording, workers); },
                    experiment.workers);
}

}  // namespace

Bounds bounds(const Experiment& experiment) {
  std::optional<BudgetCurve> curve = curve_of(experiment);
  Bounds result;
  for (const std::uint64_t budget : label_budgets(experiment)) {
    const double labels = static_cast<double>(budget) / item_count(experiment);
    result.push_back(curve ? std::optional(curve->accuracy_for_budget(labels).accuracy)
                           : std::nullopt);
  }
  return result;
}

}  // namespace allot::sim
