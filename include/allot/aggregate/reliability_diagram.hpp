// A reliability diagram: known answers by stated probability, and how many of them are right.
//
// Bins are those of aggregate/calibration.hpp; empty ones are left out. Each has the share of right
// answers with its interval, and the mean probability that a calibration map gives them. Cost: one
// map lookup per answer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/aggregate/calibration.hpp"
#include "allot/model/calibration_map.hpp"

namespace allot::aggregate {

/// Known answers of similar stated probability.
struct ReliabilityBin {
  CalibrationBin stated;  ///< edges, counts and mean stated probability
  ShareRange right;       ///< Jeffreys interval of the share of right answers
  double calibrated = 0;  ///< mean calibrated probability of the answers
};

/// The bins that have answers, from the lowest probability up. `level` is that of the intervals.
std::vector<ReliabilityBin> reliability_diagram(std::span<const model::KnownAnswer> known,
                                                const model::CalibrationMap& map,
                                                double level = 0.9);

}  // namespace allot::aggregate
