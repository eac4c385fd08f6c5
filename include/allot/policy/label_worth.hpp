// Tests whether any label is still worth its price.
//
// A right answer is worth W, a label costs k. To continue with an item pays as long as W nu >= k,
// with nu the price of a label (index/gittins.hpp): below that no way to continue pays, however far
// it looks ahead. Where workers are alike, nu is that of the item's state under its prior, and the
// rule for one item is that of index/stopping.hpp at the price k / W. Where they differ, nu is that
// of the sequential test (index/coin_price.hpp) at the present error probability, as if all further
// labels came from workers of this reliability (the mean of the worker's two coins) and price. For
// a soft label this is an upper estimate, since the label of a perfect worker need not be the
// answer. Multi-class items and items with features have no such price and are refused.
//
// Cost: for workers who are alike O(1) per label, and a sweep of a few milliseconds (0.1 s at a
// price of 0.00005) when items first have 16, 32, 64, ... labels under a prior. Campaigns with the
// same prior and price can share the sweeps. For workers who differ O(log items) per label; where
// the pair found last is not worth asking any more, it looks at each worker's least certain item.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/index/stopping.hpp"
#include "allot/model/belief.hpp"
#include "allot/model/binary_crowd.hpp"
#include "allot/policy/offers.hpp"

namespace allot::policy {

/// The states under one prior in which another label is worth its price. Safe to share by threads.
class WorthRegion {
 public:
  /// `price` of a label in units of a right answer, k / W; positive.
  WorthRegion(model::Prior prior, double price);

  /// Prior of the items that the region applies to.
  const model::Prior& prior() const { return prior_; }
  /// Price of a label in units of a right answer, k / W.
  double price() const { return price_; }
  /// Whether another label is worth its price after these counts. Can run a sweep, see above.
  bool contains(const model::Counts& counts);

 private:
  void learn(std::size_t depth);

  const model::Prior prior_;
  const double price_;
  std::mutex mutex_;
  index::StoppingLattice lattice_;
  std::size_t depth_ = 0;   // states with fewer labels are known
  std::vector<bool> pays_;  // by number of labels, then of positive ones
};

/// The items worth asking about, where workers are alike.
class ItemsWorthAsking {
 public:
  /// The beliefs must outlive it.
  ItemsWorthAsking(const model::Beliefs& beliefs, double price);
  /// Uses a region that campaigns can share. Items with another prior get a region of their own.
  ItemsWorthAsking(const model::Beliefs& beliefs, std::shared_ptr<WorthRegion> region);

  /// Whether a label of the item is worth its price.
  bool is_worth(ItemId item) const;
  /// Whether a label of any item that was not excluded is worth its price.
  bool any() const { return count_ > 0; }

  /// Must be called after a label of the item.
  void refresh(ItemId item);
  /// Must be called when the item can be asked no more; `any` then ignores it.
  void exclude(ItemId item);
  /// Must be called when the prior of all items has changed.
  void refresh_all();

 private:
  const model::Beliefs& beliefs_;
  const std::shared_ptr<WorthRegion> usual_;
  std::vector<std::shared_ptr<WorthRegion>> regions_;  // by prior
  std::vector<bool> worth_, excluded_;                 // by item
  std::uint32_t count_ = 0;
};

/// Whether a label of a worker is worth its price where an answer is wrong with chance `error`.
bool is_label_worth(double error, double reliability, Money price, Money worth);

/// The open pairs worth asking, where workers differ.
class PairsWorthAsking {
 public:
  /// The crowd, a binary one, and the offers must outlive it. `worth` of a right answer, positive.
  PairsWorthAsking(const model::Crowd& crowd, const Offers& offers, Money worth);

  /// Whether a label of the pair is worth its price.
  bool is_worth(const Pair& pair) const;
  /// Whether a label of any open pair is worth its price.
  bool any();

  /// Must be called after a label of the pair. Pairs can be closed and excluded at any time.
  void refresh(const Pair& asked);
  /// Must be called after a refit or a change of prices.
  void refresh_all();

 private:
  /// The least certain item that is open for the worker.
  std::optional<ItemId> least_certain(WorkerId worker) const;

  const model::BinaryCrowd& crowd_;
  const Offers& offers_;
  const Money worth_;
  std::vector<double> error_;                            // by item
  std::set<std::pair<double, std::uint32_t>> in_order_;  // by error; empty where pairs are recorded
  std::optional<Pair> found_;                            // one that was worth its price
};

}  // namespace allot::policy
