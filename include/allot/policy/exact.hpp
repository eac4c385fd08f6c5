// The best that any policy can do, and what a given policy does, without sampling error: dynamic
// programming over all states of a small problem [CLZ sec:DP, sec:multi].
//
//   V_T(S) = sum_i h(P_i),    V_t(S) = max_i sum_y p_iy V_t+1(S + label y of item i).
// By [CLZ prop:reward] the last step is V_T-1(S) = sum_i h(P_i) + max_i R(S_i), so layer T is never
// stored. States are kept up to permutation of items that started alike and up to swapping the
// labels of an item whose belief is symmetric (several classes: classes whose priors are equal). A
// named policy goes through the same recursion with its own choice instead of the maximum; tied
// items share their chance equally, or the first is taken, which tells items apart.
//
// Cost: every state of the two largest layers in memory (8 bytes each, at most 2 GiB, refused
// beyond), and O(items^2) steps per state. Eight items with 24 labels: 0.26 million states. Several
// classes keep all layers in hash tables, at most 10 million counts of items, with O(items classes)
// look-ups per state. Three items of three classes with 30 labels: 0.37 million states, 3 seconds.
#pragma once

#include <memory>
#include <vector>

#include "allot/base/progress.hpp"
#include "allot/base/result.hpp"
#include "allot/model/belief.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/policy/policy.hpp"

namespace allot::policy {

/// Expected share of right answers after `budget` more labels, spent optimally.
Result<double> optimal_accuracy(const model::Beliefs& beliefs, std::uint64_t budget,
                                Progress* progress = nullptr);

/// The treatment of a policy's ties: by its own rule, or as if every tie were broken in the best
/// way, a bound over all rules. Opt-KG has ties between unequal states: R+(2,1) = R+(3,2).
enum class Ties { by_rule, at_best };

/// Expected share of right answers after `budget` more labels, spent by the policy.
Result<double> policy_accuracy(const model::Beliefs& beliefs, std::uint64_t budget,
                               const Policy& policy, Ties ties = Ties::by_rule,
                               Progress* progress = nullptr);

/// Expected accuracy if each item is asked next, later choices being optimal; budget >= 1.
Result<std::vector<double>> accuracy_by_choice(const model::Beliefs& beliefs, std::uint64_t budget,
                                               Progress* progress = nullptr);

/// Dynamic programming as a policy, "dp", for binary and multi-class items. Campaigns that start
/// from the same beliefs with the same budget share the values.
std::shared_ptr<const Policy> dp_policy(TieBreak ties);

/// Expected share of right answers after `budget` more labels, spent optimally.
Result<double> optimal_accuracy(const model::MulticlassBeliefs& beliefs, std::uint64_t budget);

}  // namespace allot::policy
