// A policy for workers who differ: it chooses the pair of item and worker to ask.
//
//   policy->start(crowd, offers) -> chooser;  then
//   push:  pair = chooser->choose(rng);            pull:  item = chooser->choose(worker, rng);
//   all = crowd.record(item, worker, label);  offers.close(pair);  chooser->refresh(pair, all).
// A Desk (policy/desk.hpp) keeps that sequence for the caller.
//
// The chooser finds the pair with the largest index without evaluating all K x M pairs [CLZ
// eq:opt_KG_worker]: only workers whose upper bound reaches the best value are searched. The
// choices are those of the double loop.
//
// Where workers have prices (Offers::set_prices) the pair with the largest gain per price is taken;
// a loss counts the more, the more expensive the worker is. Prices decide nothing in a pull market,
// nor where the index is an order of pairs and not a gain.
//
// Ties (policy/ties.hpp). `first`: the first tied item, then the first worker tied for it.
// `random`: a worker drawn among those who have a tied item, then the first of that worker's tied
// items from a place drawn at random.
//
// Cost of a decision: one search (pull), or O(M) comparisons and a few searches (push; after a
// refit one search per team of workers in the same state).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "allot/base/rng.hpp"
#include "allot/index/multiclass_pair_index.hpp"
#include "allot/index/pair_index.hpp"
#include "allot/model/crowd.hpp"
#include "allot/policy/offers.hpp"
#include "allot/policy/policy.hpp"
#include "allot/policy/ties.hpp"

namespace allot::policy {

/// One campaign's decisions. Refers to the crowd and the offers it was started with.
class PairChooser {
 public:
  virtual ~PairChooser() = default;
  /// The pair to ask; nothing if no pair is open.
  virtual std::optional<Pair> choose(Rng& rng) = 0;
  /// The item to ask this worker about; nothing if none is open for them.
  virtual std::optional<ItemId> choose(WorkerId worker, Rng& rng) = 0;
  /// Must be called after a pair was closed, held or reopened. `all`: all beliefs have changed.
  virtual void refresh(const Pair& asked, bool all) = 0;
  /// Must be called after an item was excluded from the offers. O(workers).
  virtual void exclude(ItemId item) = 0;
  /// Must be called after a worker was excluded from the offers.
  virtual void exclude(WorkerId worker) = 0;
  /// Must be called after an item was withheld or restored.
  virtual void update(ItemId item) = 0;
  /// Must be called after items or workers were added or prices changed. O(log K) per item.
  virtual void grow() = 0;
  /// The number that choices compare: gain per price, in units of the lowest price.
  virtual double value(const Pair& pair) const = 0;
};

/// One index in its two forms; the second may be missing.
struct PairIndices {
  /// An index for binary crowds alone.
  PairIndices(index::PairIndex two) : binary(std::move(two)) {}  // NOLINT: nothing else is needed
  /// An index for binary and multi-class crowds.
  PairIndices(index::PairIndex two, index::MulticlassPairIndex several)
      : binary(std::move(two)), multiclass(std::move(several)) {}

  /// Index of pairs in binary crowds.
  index::PairIndex binary;
  /// Index of pairs in multi-class crowds; nothing if the policy lacks that form.
  std::optional<index::MulticlassPairIndex> multiclass;
};

/// A policy for pairs alone.
std::shared_ptr<const Policy> pair_index_policy(std::string name, PairIndices indices,
                                                TieBreak ties, std::string_view answers_by = {});

/// A policy that draws every open pair with the same chance; for a given worker every open item.
std::shared_ptr<const Policy> uniform_pair_policy();

}  // namespace allot::policy
