// Indices by how uncertain an item's answer is: regardless of the change a label would make (lu,
// nlu) [IPSW14], and by how much of the uncertainty a label removes (eig).
#pragma once

#include "allot/model/belief.hpp"

namespace allot::index {

/// LU: min(P, 1-P), the probability that the item's answer is wrong.
double lu(const model::ItemBelief& belief);

/// NLU, "new label uncertainty". It assumes that all labels are right with one unknown probability
/// p > 1/2, and scores an item by the uncertainty of its class averaged over the posterior of p:
///   E_p min(s, 1-s),  s = 1 / (1 + ((1-p)/p)^(n+ - n-)).
/// For every p > 1/2 this falls strictly as |n+ - n-| grows. So for any posterior of p the order of
/// items is the order of -|n+ - n-|, the value returned. The prior of the item plays no part.
double nlu(const model::ItemBelief& belief);

/// Expected information gain: how much a perfect worker's label lowers the entropy of the answer,
///   H(P) - p_1 H(P after a positive label) - p_2 H(P after a negative label).
double eig(const model::ItemBelief& belief);

}  // namespace allot::index
