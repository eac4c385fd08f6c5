// Orders of items by how uncertain their answer is, without asking what a label would change
// [IPSW14].
#pragma once

#include "allot/model/belief.hpp"

namespace allot::index {

/// LU: min(P, 1-P), the probability that the item's answer is wrong.
double lu(const model::ItemBelief& belief);

/// NLU, "new label uncertainty". All labels are taken to be right with one unknown probability p >
/// 1/2, and an item is scored by the uncertainty of its class averaged over the posterior of p:
///   E_p min(s, 1-s),  s = 1 / (1 + ((1-p)/p)^(n+ - n-)).
/// For every p > 1/2 that falls strictly as |n+ - n-| grows, so whatever the posterior of p, the
/// order of items is the order of -|n+ - n-|. That is the value returned; the prior of the item
/// plays no part.
double nlu(const model::ItemBelief& belief);

}  // namespace allot::index
