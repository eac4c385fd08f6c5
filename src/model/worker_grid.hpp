// The possible coins of a worker, as points with weights.
#pragma once

#include <vector>

#include "allot/model/prior.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::model {

/// Cell midpoints: ten per coin for two coins, forty for one. The prior weight of a point is the
/// mass of its cell, so sharp priors keep their mass.
struct WorkerGrid {
  /// The number of points is a multiple of this.
  static constexpr std::size_t kPart = 4;

  WorkerGrid(const Prior& prior, Coins coins);

  std::size_t size() const { return weight.size(); }
  /// Moments of the coins under weights that sum to 1.
  WorkerState state(const double* weights) const;

  std::vector<double> sensitivity, specificity, weight;
};

}  // namespace allot::model
