#include "allot/sim/bounds.hpp"

#include <algorithm>
#include <cmath>

#include "allot/model/binary_crowd.hpp"
#include "allot/model/label_set.hpp"
#include "allot/policy/bound.hpp"
#include "sim/crowd_world.hpp"

namespace allot::sim {
namespace {

using model::Prior;
using policy::BudgetCurve;

Bounds at_budgets(std::optional<BudgetCurve> curve, const std::vector<std::uint64_t>& budgets,
                  std::uint32_t item_count) {
  Bounds result(budgets.size());
  if (!curve) return result;
  std::ranges::transform(budgets, result.begin(), [&](std::uint64_t budget) {
    return curve->accuracy_for_budget(static_cast<double>(budget) / item_count).accuracy;
  });
  return result;
}

/// An improper prior gives no expectations.
std::optional<BudgetCurve> curve_of(const Prior& prior) {
  if (!prior.is_proper()) return {};
  return policy::budget_curve(prior);
}

std::optional<BudgetCurve> curve_of(const model::SoftLabels& truth) {
  const auto* distribution = std::get_if<Prior>(&truth);
  return distribution ? curve_of(*distribution) : std::nullopt;
}

/// The prior learned from all recorded labels.
Prior learned(const Experiment& experiment) {
  model::Beliefs beliefs(experiment.item_count, experiment.prior);
  for (const auto& [item, worker, label] : experiment.recording->labels.labels) {
    beliefs.record(item, model::to_label(label));
  }
  return model::learned_prior(beliefs, *experiment.learn);
}

/// A label of any worker says no more than the soft label itself seen by a perfect one.
std::optional<BudgetCurve> curve_of(const SimulatedCrowd& crowd) {
  return crowd.class_truth ? std::nullopt : curve_of(crowd.truth);
}

/// The share of positive items and the best worker, as one refit to all labels leaves them.
std::optional<BudgetCurve> curve_of(const Recording& recording, model::CrowdOptions options) {
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

std::optional<BudgetCurve> curve_of(const CrowdExperiment& experiment) {
  if (const auto* crowd = std::get_if<SimulatedCrowd>(&experiment.world)) return curve_of(*crowd);
  if (experiment.beliefs.is_multiclass()) return {};
  return curve_of(*std::get<std::shared_ptr<const Recording>>(experiment.world),
                  experiment.beliefs);
}

}  // namespace

Bounds bounds(const Experiment& experiment) {
  auto curve = !experiment.recording ? curve_of(experiment.truth)
               : experiment.learn    ? curve_of(learned(experiment))
                                     : curve_of(experiment.prior);
  return at_budgets(std::move(curve), experiment.budgets, experiment.item_count);
}

Bounds bounds(const CrowdExperiment& experiment) {
  return at_budgets(curve_of(experiment), label_budgets(experiment), item_count(experiment));
}

Bounds bounds(const MulticlassExperiment& experiment) { return Bounds(experiment.budgets.size()); }

}  // namespace allot::sim
