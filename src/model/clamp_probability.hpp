// Probabilities kept away from certainty.
//
// If an item were certain, a label against it could not change the belief. If a worker were
// certain, their labels would outweigh those of all others.
#pragma once

#include <algorithm>

namespace allot::model {

/// Keeps a probability 1e-9 away from 0 and 1.
inline double clamp_probability(double probability) {
  return std::clamp(probability, 1e-9, 1 - 1e-9);
}

}  // namespace allot::model
