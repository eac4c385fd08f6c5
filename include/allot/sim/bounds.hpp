// Upper bounds on the expected accuracy of any policy in an experiment (policy/bound.hpp).
//
// Simulated items have soft labels from a known distribution: under that as the prior, whatever the
// policies believe, no policy is right more often in the mean over all runs. Soft labels that are
// listed have no distribution, and no bound.
//   workers alike     labels of perfect workers without end; none for several classes.
//   workers differ    each worker labels an item at most once, and the policy knows how reliable
//                     everybody is (policy/roster_bound.hpp, src/sim/crowd_bounds.hpp). For two
//                     classes the bound of perfect workers counts where it is lower.
//
// The source of recorded labels is unknown, so their bound comes from a model:
//   workers alike     the policies' prior, or the one learned from all recorded labels. Accuracy
//                     can exceed it where the prior is wrong.
//   workers differ    items are positive or not, in the share that all recorded labels suggest.
//                     Only workers who labelled an item can be asked about it. They are as
//                     reliable as the mean after all recorded labels, shrunk by the worker prior.
// Recorded multi-class items and items with features have no bound: their workers have confusion
// tables, of which none is better than the other for all questions.
//
// Cost: about 25 sweeps of index/stopping.hpp for all budgets. Where workers differ, 20 prices of
// policy/roster_bound.hpp for 500 soft labels. For recorded workers one refit.
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
