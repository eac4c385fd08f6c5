// A policy decides which item to ask next, from beliefs alone: no clock, no store, no request.
//
//   policy->start(beliefs, budget) -> chooser;  then  item = chooser->choose(rng),
//   beliefs.record(item, label), chooser->refresh(item), as often as the budget allows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "allot/base/ids.hpp"
#include "allot/base/result.hpp"
#include "allot/base/rng.hpp"
#include "allot/index/index.hpp"
#include "allot/model/belief.hpp"
#include "allot/policy/ties.hpp"

namespace allot::policy {

/// One campaign's decisions under a policy. Refers to the beliefs it was started with.
class Chooser {
 public:
  virtual ~Chooser() = default;
  /// The item to ask next.
  virtual ItemId choose(Rng& rng) = 0;
  /// To be called after a label of the item was recorded.
  virtual void refresh(ItemId item) = 0;
  /// Keeps an item out of all further choices; it must not be refreshed again. Throws
  /// std::invalid_argument where decisions are planned with all items (dp).
  virtual void exclude(ItemId item) = 0;
};

/// How an index policy ranks items.
struct Ranking {
  index::Index index;
  TieBreak ties;
};

/// Immutable once made; one object serves every thread.
class Policy {
 public:
  virtual ~Policy() = default;
  /// As written in the command line, the API and logs: "opt-kg", "cvar:0.7".
  virtual std::string name() const = 0;
  /// Whether the decisions depend on the budget, so that a larger one is not just a continuation.
  virtual bool depends_on_budget() const = 0;
  /// A chooser for `budget` more labels. `beliefs` must outlive it. Fails where the problem is too
  /// large.
  virtual Result<std::unique_ptr<Chooser>> start(const model::Beliefs& beliefs,
                                                 std::uint64_t budget) const = 0;
  Result<std::unique_ptr<Chooser>> start(model::Beliefs&&, std::uint64_t) const = delete;
  /// The index and tie rule by which the policy chooses; nothing for dynamic programming.
  virtual std::optional<Ranking> ranking(std::uint64_t budget) const = 0;
};

}  // namespace allot::policy
