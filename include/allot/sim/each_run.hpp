// The accuracy of every run of an experiment, with its rows. Policies meet the same labels in a
// run, so their difference run by run is known far better than either mean.
#pragma once

#include <vector>

#include "allot/sim/row.hpp"

namespace allot::sim {

/// Rows of an experiment with the accuracies of their runs.
struct EachRun {
  /// Means over the runs, one row per policy and budget.
  std::vector<Row> rows;
  /// Share of right answers, by row and run.
  std::vector<std::vector<double>> accuracies;
};

}  // namespace allot::sim
