// Experiments where workers differ.
#pragma once

#include "allot/sim/experiment.hpp"

namespace allot::sim {

/// The runs of a checked experiment.
Result<EachRun> run_crowd(const Experiment& experiment, const DifferingWorkers& workers,
                          Progress* progress);

}  // namespace allot::sim
