// Every run of a comparison beside its rows: policies meet the same labels in a run, so that their
// difference run by run is far better known than either mean.
#pragma once

#include <vector>

#include "allot/sim/row.hpp"

namespace allot::sim {

struct EachRun {
  std::vector<Row> rows;
  /// Share of right answers, by row and run.
  std::vector<std::vector<double>> accuracies;
};

}  // namespace allot::sim
