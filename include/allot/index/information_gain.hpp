// The expected information gain of a label: entropy where the knowledge gradient counts accuracy.
#pragma once

#include "allot/model/belief.hpp"

namespace allot::index {

/// Entropy (nats) of a yes/no answer, from the smaller of its two probabilities.
double entropy(double error);

/// Expected fall of the entropy of the item's answer by one label of a perfect worker:
///   H(P) - p_1 H(P after a positive label) - p_2 H(P after a negative label).
double eig(const model::ItemBelief& belief);

}  // namespace allot::index
