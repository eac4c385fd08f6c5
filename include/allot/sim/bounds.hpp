// What no policy can exceed in expectation in a comparison, budget by budget (policy/bound.hpp).
//
// Simulated yes/no items have soft labels from a known distribution: under that as the prior,
// whatever the policies believe, no policy is right more often in the mean over all runs. Where
// workers differ the bound is that of perfect ones, whose labels say the most. Soft labels that are
// listed have no distribution, and no bound.
//
// Recorded labels come from nobody knows where, so there the bound is what a model of them says:
//   workers ignored   the policies' prior, or the one learned from all recorded labels. Accuracy
//                     can exceed it where the prior is wrong.
//   workers differ    items are positive or not, in the share that all recorded labels suggest, and
//                     every label is as good as one of the best worker, of whom any number can be
//                     had: the reliability is the largest mean over the workers after all recorded
//                     labels, shrunk by the worker prior. Of two coins it is the dominating one
//                     (model/channel.hpp).
// Items of several classes or with features have none.
//
// Cost: about 25 sweeps of index/stopping.hpp for all budgets; for recorded workers one refit.
#pragma once

#include <optional>
#include <vector>

#include "allot/sim/crowd_experiment.hpp"
#include "allot/sim/experiment.hpp"
#include "allot/sim/multiclass_experiment.hpp"

namespace allot::sim {

/// One a budget, in the order given; nothing where none is known. The experiments must make sense.
using Bounds = std::vector<std::optional<double>>;
Bounds bounds(const Experiment& experiment);
Bounds bounds(const CrowdExperiment& experiment);
Bounds bounds(const MulticlassExperiment& experiment);

}  // namespace allot::sim
