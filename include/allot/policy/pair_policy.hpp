// A policy for workers who differ: it decides whom to ask about what.
//
//   policy->start(crowd, offers) -> chooser;  then
//   push:  pair = chooser->choose(rng);            pull:  item = chooser->choose(worker, rng);
//   all = crowd.record(item, worker, label);  offers.close(pair);  chooser->refresh(pair, all).
//
// The pair with the largest index is found without evaluating all K x M of them [CLZ
// eq:opt_KG_worker]: workers wait under a bound of what
// their best item could be worth, and only those in the running are searched, each by ItemSearch.
// The choices are those of the double loop.
//
// Workers may have prices (Offers::set_prices): the pair with the largest gain for its price is
// then chosen, a loss counting the more the dearer it is. The arriving worker of a pull market has
// one price, which decides nothing; nor do prices where the index is an order of pairs and no gain.
//
// Ties (policy/ties.hpp). `first`: the first tied item, then the first worker tied for it.
// `random`: a worker drawn among those who have a tied item, then the first of that worker's tied
// items from a place drawn at random.
//
// Items of several classes are chosen in the same way; the search for a worker's best item then
// goes down the items by what a perfect worker's label would be worth, up to all of them.
//
// Cost of a decision: O(M) comparisons and a few searches (push; after a refit one for every team
// of workers in the same state), one search (pull). Nothing is kept for pushing until it is first
// asked for.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "allot/base/rng.hpp"
#include "allot/index/multiclass_pair_index.hpp"
#include "allot/index/pair_index.hpp"
#include "allot/model/crowd.hpp"
#include "allot/policy/offers.hpp"
#include "allot/policy/ties.hpp"

namespace allot::policy {

/// One campaign's decisions. Refers to the crowd and the offers it was started with.
class PairChooser {
 public:
  virtual ~PairChooser() = default;
  /// Whom to ask about what; nothing if no pair is open.
  virtual std::optional<Pair> choose(Rng& rng) = 0;
  /// What to ask this worker; nothing if there is no item left for them.
  virtual std::optional<ItemId> choose(WorkerId worker, Rng& rng) = 0;
  /// To be called after a label was recorded and its pair closed, or a pair held or reopened; `all`
  /// if beliefs were fitted anew.
  virtual void refresh(const Pair& asked, bool all) = 0;
  /// To be called after an item was excluded from the offers, O(workers), or a worker.
  virtual void exclude(ItemId item) = 0;
  virtual void exclude(WorkerId worker) = 0;
  /// To be called after an item was withheld or restored.
  virtual void update(ItemId item) = 0;
  /// To be called after items or workers were added to the crowd and the offers. O(log K) an item.
  virtual void grow() = 0;
  /// What is compared when choosing, gain for the price in terms of the lowest: larger is better.
  virtual double value(const Pair& pair) const = 0;
};

/// Immutable once made; one object serves every thread.
class PairPolicy {
 public:
  virtual ~PairPolicy() = default;
  virtual std::string name() const = 0;
  /// The aggregator (aggregate/registry.hpp) that the policy's answers come from; empty for those
  /// that answer from beliefs.
  virtual std::string_view answers_by() const { return {}; }
  /// Whether it can be started on a multi-class crowd.
  virtual bool for_several_classes() const = 0;
  /// The crowd and the offers must outlive the chooser. Throws std::invalid_argument if the crowd
  /// is a multi-class one and the policy has no form for it.
  virtual std::unique_ptr<PairChooser> start(const model::Crowd& crowd,
                                             const Offers& offers) const = 0;
};

/// One index in its two forms; the second may be missing.
struct PairIndices {
  PairIndices(index::PairIndex two) : binary(std::move(two)) {}  // NOLINT: nothing else is needed
  PairIndices(index::PairIndex two, index::MulticlassPairIndex several)
      : binary(std::move(two)), multiclass(std::move(several)) {}

  index::PairIndex binary;
  std::optional<index::MulticlassPairIndex> multiclass;
};

std::shared_ptr<const PairPolicy> pair_index_policy(std::string name, PairIndices indices,
                                                    TieBreak ties,
                                                    std::string_view answers_by = {});

/// Every open pair with the same chance; for a given worker every open item.
std::shared_ptr<const PairPolicy> uniform_pair_policy();

}  // namespace allot::policy
