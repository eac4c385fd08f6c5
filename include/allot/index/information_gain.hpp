// The expected information gain of a label: it counts entropy, the knowledge gradient counts
// accuracy.
#pragma once

#include "allot/math/entropy.hpp"
#include "allot/model/belief.hpp"

namespace allot::index {

using math::entropy;

/// Expected fall of the entropy of the item's answer after one label of a perfect worker:
///   H(P) - p_1 H(P after a positive label) - p_2 H(P after a negative label).
double eig(const model::ItemBelief& belief);

}  // namespace allot::index
