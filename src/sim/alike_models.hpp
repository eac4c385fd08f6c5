// Experiments where workers are alike.
#pragma once

#include "allot/sim/experiment.hpp"

namespace allot::sim {

/// The runs of a checked experiment.
Result<EachRun> run_alike(const Experiment& experiment, const AlikeWorkers& workers,
                          Progress* progress);

}  // namespace allot::sim
