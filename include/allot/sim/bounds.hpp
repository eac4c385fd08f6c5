// Upper bounds on the expected accuracy of any policy in an experiment (policy/bound.hpp).
//
// Simulated binary items have soft labels from a known distribution: under that as the prior,
// whatever the policies believe, no policy is right more often in the mean over all runs. Where
// workers differ the bound is that of perfect ones, whose labels say the most. Soft labels that are
// listed have no distribution, and no bound.
//
// The source of recorded labels is unknown, so their bound comes from a model:
//   workers alike     the policies' prior, or the one learned from all recorded labels. Accuracy
//                     can exceed it where the prior is wrong.
//   workers differ    items are positive or not, in the share that all recorded labels suggest, and
//                     every label is as good as one of the best worker, without limit: the
//                     reliability is the largest mean over the workers after all recorded
//                     labels, shrunk by the worker prior. Of two coins it is the dominating one
//                     (model/worker_state.hpp).
// Multi-class items and items with features have no bound.
//
// Cost: about 25 sweeps of index/stopping.hpp for all budgets; for recorded workers one refit.
#pragma once

#include <optional>
#include <vector>

#include "allot/sim/experiment.hpp"

namespace allot::sim {

/// Upper bounds on the accuracy (0 to 1), one per budget; nothing where no bound is known.
using Bounds = std::vector<std::optional<double>>;
/// Computes the bounds in the order of the budgets. The experiment must make sense.
Bounds bounds(const Experiment& experiment);

}  // namespace allot::sim
