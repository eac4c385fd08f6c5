// A policy decides what to ask next, from beliefs alone: no clock, no store, no request.
//
//   policy->start(beliefs, budget) -> chooser;  then  item = chooser->choose(rng),
//   beliefs.record(item, label), chooser->refresh(item), as often as the budget allows.
//
// A policy has one form per kind of problem that it can choose in. Where workers are alike it
// chooses items: binary ones, multi-class ones [CLZ sec:multi] or items with features [CLZ
// sec:contextual]. Where workers differ it chooses pairs of item and worker (pair_policy.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "allot/base/ids.hpp"
#include "allot/base/result.hpp"
#include "allot/base/rng.hpp"
#include "allot/index/index.hpp"
#include "allot/index/multiclass_reward.hpp"
#include "allot/model/belief.hpp"
#include "allot/model/worker_state.hpp"
#include "allot/policy/ties.hpp"

namespace allot::model {
class Contextual;
class ContextualClasses;
class Crowd;
}  // namespace allot::model

namespace allot::policy {

class Offers;
class PairChooser;

/// The kinds of problem. Pairs of items with features are always multiclass_pairs.
enum class Form { items, multiclass_items, feature_items, pairs, multiclass_pairs };

/// One campaign's decisions under a policy. Refers to the beliefs it was started with.
class Chooser {
 public:
  virtual ~Chooser() = default;
  /// The item to ask next.
  virtual ItemId choose(Rng& rng) = 0;
  /// Must be called after a label of the item was recorded.
  virtual void refresh(ItemId item) = 0;
  /// Keeps an item out of all further choices; it must not be refreshed again. Throws
  /// std::invalid_argument where decisions are planned with all items (dp).
  virtual void exclude(ItemId item) = 0;
};

/// How an index policy ranks items.
template <typename Index>
struct RankingBy {
  Index index;    ///< the item with the largest value is asked
  TieBreak ties;  ///< rule among items with the same value
};
/// Ranking of binary items.
using Ranking = RankingBy<index::Index>;
/// Ranking of multi-class items.
using MulticlassRanking = RankingBy<index::MulticlassIndex>;

/// How much a decision among items with features may look at, and for whom.
struct FeatureSearch {
  /// Multiply-adds per decision. The default is about a quarter of a second on one core with wide
  /// vectors: exact up to 4,000 different items with 100 features.
  double cost_limit = 4e9;
  /// Seed of the candidates that are drawn where not all items can be looked at.
  std::uint64_t seed = 0;
  /// The worker who will be asked; for two classes only.
  model::Channel worker = {};
};

/// Immutable once made; one object serves every thread. Starting a form that the policy lacks
/// throws std::invalid_argument. What a chooser is started with must outlive it.
class Policy {
 public:
  virtual ~Policy() = default;
  /// The name as written in the command line, the API and logs: "opt-kg", "cvar:0.7".
  virtual std::string name() const = 0;
  /// Whether the policy can choose in problems of this form.
  virtual bool has(Form form) const = 0;
  /// Whether the decisions depend on the budget, so that a larger one is not just a continuation.
  virtual bool depends_on_budget() const { return false; }
  /// The aggregator that answers for pairs come from; empty for answers from beliefs.
  virtual std::string_view answers_by() const { return {}; }
  /// Whether decisions are planned with all items and a fixed prior (dp): no item can be excluded.
  virtual bool plans_ahead() const { return false; }

  /// A chooser of binary items for `budget` more labels. Fails where the problem is too large.
  virtual Result<std::unique_ptr<Chooser>> start(const model::Beliefs& beliefs,
                                                 std::uint64_t budget) const;
  /// A chooser of multi-class items for `budget` more labels. Fails where the problem is too large.
  virtual Result<std::unique_ptr<Chooser>> start(const model::MulticlassBeliefs& beliefs,
                                                 std::uint64_t budget) const;
  /// A chooser of binary items with features. Throws if every item is excluded when it chooses.
  virtual std::unique_ptr<Chooser> start(const model::Contextual& belief,
                                         const FeatureSearch& search = {}) const;
  /// The same for multi-class items with features.
  virtual std::unique_ptr<Chooser> start(const model::ContextualClasses& belief,
                                         const FeatureSearch& search = {}) const;
  /// A chooser of pairs. The offers must have the items and workers of the crowd.
  virtual std::unique_ptr<PairChooser> start(const model::Crowd& crowd, const Offers& offers) const;
  Result<std::unique_ptr<Chooser>> start(model::Beliefs&&, std::uint64_t) const = delete;
  Result<std::unique_ptr<Chooser>> start(model::MulticlassBeliefs&&, std::uint64_t) const = delete;
  std::unique_ptr<Chooser> start(model::Contextual&&) const = delete;
  std::unique_ptr<Chooser> start(model::ContextualClasses&&) const = delete;

  /// The index and tie rule by which the policy chooses binary items; nothing without an index.
  virtual std::optional<Ranking> ranking(std::uint64_t budget) const;
  /// The index and tie rule for multi-class items; nothing without an index.
  virtual std::optional<MulticlassRanking> multiclass_ranking() const;
};

}  // namespace allot::policy
