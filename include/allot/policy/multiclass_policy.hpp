// Policies for items of several classes, when any worker is as good as any other [CLZ sec:multi].
//
//   policy->start(beliefs, budget) -> chooser;  then  item = chooser->choose(rng),
//   beliefs.record(item, class), chooser->refresh(item), as often as the budget allows.
// The chooser is that of policy.hpp; only the beliefs differ. A label changes the index of one
// item, so a decision and an update cost O(log K) by IndexTree; the index of a state is worked out
// once, whatever the order of its classes (at most 2^17 states are kept).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "allot/index/multiclass_reward.hpp"
#include "allot/policy/policy.hpp"

namespace allot::policy {

/// How an index policy ranks items.
struct MulticlassRanking {
  index::MulticlassIndex index;
  TieBreak ties;
};

/// Immutable once made; one object serves every thread.
class MulticlassPolicy {
 public:
  virtual ~MulticlassPolicy() = default;
  /// As written in the command line, the API and logs: "opt-kg", "cvar:0.7".
  virtual std::string name() const = 0;
  /// Whether the decisions depend on the budget, so that a larger one is not just a continuation.
  virtual bool depends_on_budget() const = 0;
  /// A chooser for `budget` more labels. `beliefs` must outlive it. Fails where the problem is too
  /// large.
  virtual Result<std::unique_ptr<Chooser>> start(const model::MulticlassBeliefs& beliefs,
                                                 std::uint64_t budget) const = 0;
  Result<std::unique_ptr<Chooser>> start(model::MulticlassBeliefs&&, std::uint64_t) const = delete;
  /// The index and tie rule by which the policy chooses; nothing for dynamic programming.
  virtual std::optional<MulticlassRanking> ranking() const = 0;
};

/// A policy by one index, whatever the budget.
std::shared_ptr<const MulticlassPolicy> multiclass_index_policy(std::string name,
                                                                index::MulticlassIndex index,
                                                                TieBreak ties);

/// The policy named uniform, kg, opt-kg, pessimistic-kg, cvar:ALPHA or dp. Other names are refused,
/// unknown ones with the nearest.
Result<std::shared_ptr<const MulticlassPolicy>> make_multiclass_policy(std::string_view name,
                                                                       TieBreak ties);

}  // namespace allot::policy
