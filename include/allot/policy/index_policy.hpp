// A policy that always asks the item with the largest index [CLZ Algorithm 1 and the competitors of
// sec:exp].
//
// A label changes the index of one item and of no other, so a decision and an update cost O(log K)
// by IndexTree instead of the paper's O(K) scan; the choices are the same, ties included.
#pragma once

#include <functional>

#include "allot/policy/policy.hpp"

namespace allot::policy {

/// A policy by one index, whatever the budget.
std::shared_ptr<const Policy> index_policy(std::string name, index::Index index, TieBreak ties);

/// A policy whose index depends on the budget; `make_index` is called once for every budget.
std::shared_ptr<const Policy> budget_index_policy(
    std::string name, std::function<index::Index(std::uint64_t)> make_index, TieBreak ties);

}  // namespace allot::policy
