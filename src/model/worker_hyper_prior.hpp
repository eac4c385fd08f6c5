// Settings for learning the prior of workers.
#pragma once

#include <cstdint>

#include "allot/model/prior.hpp"
#include "allot/model/prior_fit.hpp"
#include "model/grid_prior_fit.hpp"

namespace allot::model {

/// Labels between two estimates in one pass; equal to the setting for workers who are alike.
inline constexpr std::uint32_t kLearnEvery = PriorLearning{}.every;

/// Chosen on temp, bluebirds and rte (refits by bp, opt-kg and scout, 10 to 50 % of the labels, 10
/// runs). With scout, draws 4 and 10 with spreads 1/2 and 1 differ by chance only; 4 and 1 lose
/// nothing with opt-kg either. docs/replays.md shows the gain from learning.
inline GridHyperPrior worker_hyper_prior(const Prior& start) {
  return {.start = matched(start), .draws = 4, .log_strength_spread = 1, .least_mean = 0.5};
}

}  // namespace allot::model
