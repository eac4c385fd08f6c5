// Whether any label is still worth its price.
//
// A right answer is worth W, a label costs k. Going on with an item pays as long as W nu >= k, nu
// the price of a label (index/label_price.hpp): the most that another label, and those that may
// follow, gain in expected right answers per label. Below that no way to go on with the item pays,
// however far it looks ahead.
//
// Workers alike: nu is that of the item's state under its prior, and the rule for one item is that
// of index/stopping.hpp at the price k / W.
// Workers who differ: nu of the sequential test (index/coin_price.hpp) with the probability that
// the answer is right now, as if all further labels came from workers as reliable as this one at
// this price; the reliability is the mean of the worker's two coins. For a soft label that is an
// upper estimate: a perfect worker's label need not be the answer there.
// Items of several classes or with features have no such price; nothing here takes them.
//
// Cost: workers alike O(1) a label beside a sweep of a few milliseconds (see stopping.hpp; 0.1 s at
// a price of 0.00005) when items first have 16, 32, 64, ... labels under a prior; campaigns with
// the same prior and price can share them. Workers who differ: O(log items) a
// label; when the pair that was worth asking is so no more, a look at the least certain item of
// each worker.
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

/// The states under one prior in which another label is worth its price, workers alike. Safe to
/// share between threads.
class WorthRegion {
 public:
  /// `price` is that of a label in terms of a right answer, k / W; positive.
  WorthRegion(model::Prior prior, double price);

  const model::Prior& prior() const { return prior_; }
  double price() const { return price_; }
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

/// Where workers are alike.
class ItemsWorthAsking {
 public:
  /// The beliefs must outlive it.
  ItemsWorthAsking(const model::Beliefs& beliefs, double price);
  /// The same at the price of a region that may be shared, used where items have its prior.
  ItemsWorthAsking(const model::Beliefs& beliefs, std::shared_ptr<WorthRegion> region);

  /// Whether a label of the item is worth its price.
  bool is_worth(ItemId item) const;
  /// Whether one of any item is that was not excluded.
  bool any() const { return count_ > 0; }

  /// To be called after a label of the item, and after its exclusion.
  void refresh(ItemId item);
  void exclude(ItemId item);
  /// To be called when the prior of all has changed.
  void refresh_all();

 private:
  const model::Beliefs& beliefs_;
  const std::shared_ptr<WorthRegion> usual_;
  std::vector<std::shared_ptr<WorthRegion>> regions_;  // by prior
  std::vector<bool> worth_, excluded_;                 // by item
  std::uint32_t count_ = 0;
};

/// Whether a label at this price is, by the sequential test: of a worker who is right with this
/// probability, for an item whose answer is wrong with probability `error`.
bool is_label_worth(double error, double reliability, Money price, Money worth);

/// Where workers differ: about pairs that are open.
class PairsWorthAsking {
 public:
  /// The crowd, a binary one, and the offers must outlive it. `worth` of a right answer, positive.
  PairsWorthAsking(const model::Crowd& crowd, const Offers& offers, Money worth);

  /// Whether a label of the pair is worth its price.
  bool is_worth(const Pair& pair) const;
  /// Whether one of any open pair is.
  bool any();

  /// To be called after a label, and after a refit; pairs may be closed and excluded at any time.
  void refresh(const Pair& asked);
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
