// Dynamic programming over counts of multi-class items: the best that any policy can do in a tiny
// problem [CLZ sec:DP, sec:multi].
//
//   V_T(S) = sum_i h(P_i),    V_t(S) = max_i sum_y p_iy V_t+1(S + label y of item i).
// By [CLZ prop:reward] the last step is V_T-1(S) = sum_i h(P_i) + max_i R(S_i). States are kept up
// to permutation of items and, within an item, of classes whose priors are equal.
//
// Cost: all states of all layers in hash tables, at most 10 million counts of items (refused
// beyond), and O(items classes) look-ups per state. Three items of three classes with 30 labels:
// 0.37 million states, 3 seconds.
#pragma once

#include "allot/base/result.hpp"
#include "allot/model/multiclass_belief.hpp"

namespace allot::policy {

/// Expected share of right answers after `budget` more labels, spent optimally.
Result<double> optimal_accuracy(const model::MulticlassBeliefs& beliefs, std::uint64_t budget);

}  // namespace allot::policy
