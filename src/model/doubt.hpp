// Room for doubt.
//
// Certainty about an item would leave nothing to learn from a label that speaks against it, and
// certainty about a worker would outweigh all others.
#pragma once

#include <algorithm>

namespace allot::model {

/// The probability, kept 1e-9 away from 0 and 1.
inline double doubted(double probability) { return std::clamp(probability, 1e-9, 1 - 1e-9); }

}  // namespace allot::model
