// Which worker may still be asked about which item, and for how much: every pair once, and in a
// replay only pairs whose label was recorded.
//
// Memory: linear in the pairs closed, or recorded. Cost: `close` moves at most the worker's list,
// `exclude` of an item that of every worker, of a worker O(items); look-ups take O(log) steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/money.hpp"

namespace allot::policy {

struct Pair {
  ItemId item;
  WorkerId worker;

  bool operator==(const Pair&) const = default;
};

class Offers {
 public:
  /// Any worker may be asked about any item.
  static Offers everyone(std::uint32_t item_count, std::uint32_t worker_count);
  /// Only these pairs; none may come twice.
  static Offers recorded(std::uint32_t item_count, std::uint32_t worker_count,
                         std::span<const Pair> pairs);

  std::uint32_t item_count() const { return static_cast<std::uint32_t>(item_labels_.size()); }
  std::uint32_t worker_count() const { return static_cast<std::uint32_t>(listed_.size()); }
  bool is_recorded() const { return recorded_; }

  /// What a label of each worker costs, one positive price a worker; 1 for all if not called. To be
  /// called before a chooser is started.
  void set_prices(std::vector<Money> prices);
  Money price(WorkerId worker) const {
    return prices_.empty() ? kUnitPrice : prices_[position(worker)];
  }
  /// In terms of the lowest price of all workers, so 1 for everybody if they are equal.
  double relative_price(WorkerId worker) const { return ratio(price(worker), lowest_price_); }

  bool is_open(const Pair& pair) const;
  /// Open pairs of a worker, and of all.
  std::uint32_t left(WorkerId worker) const;
  std::uint64_t left() const { return left_; }
  /// The n-th open item of a worker in order of items; n < left(worker).
  ItemId open_item(WorkerId worker, std::uint32_t n) const;

  /// Workers who may not be asked about an item any more, or ever.
  std::uint32_t closed(ItemId item) const { return item_closed_[position(item)]; }
  /// Labels closed by `close`, by item and by worker.
  std::uint32_t labels(ItemId item) const { return item_labels_[position(item)]; }
  std::uint32_t labels(WorkerId worker) const { return worker_labels_[position(worker)]; }

  /// The pair was asked. Throws std::invalid_argument if it was not open.
  void close(const Pair& pair);
  /// Nobody is to be asked about the item any more, or the worker about anything. A chooser that
  /// was started must be told by its own exclude.
  void exclude(ItemId item);
  void exclude(WorkerId worker);

 private:
  Offers(std::uint32_t item_count, std::uint32_t worker_count, bool recorded);
  void remove(const Pair& pair);

  bool recorded_;
  std::uint64_t left_ = 0;
  /// By worker, in order: the open items if recorded, otherwise those that are closed.
  std::vector<std::vector<std::uint32_t>> listed_;
  std::vector<std::uint32_t> item_closed_, item_labels_, worker_labels_;
  std::vector<bool> gone_;  // workers excluded; empty if there is none, or pairs are recorded
  std::vector<Money> prices_;
  Money lowest_price_ = kUnitPrice;
};

}  // namespace allot::policy
