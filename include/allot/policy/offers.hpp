// The pairs of item and worker that can still be asked, and their prices: every pair once, and in a
// replay only pairs whose label was recorded.
//
// In a campaign items and workers join while it runs, a pair is held while its label is awaited,
// and an item can be withheld for a while. policy/desk.hpp tells a chooser of every change.
//
// Memory: linear in the pairs closed, or recorded. Cost: `close` and look-ups take O(log) steps and
// move a few thousand numbers at most, `exclude` that per worker for an item.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/money.hpp"
#include "allot/base/sorted_numbers.hpp"

namespace allot::policy {

/// An item and the worker to ask about it.
struct Pair {
  ItemId item;      ///< item to label
  WorkerId worker;  ///< worker who gives the label

  bool operator==(const Pair&) const = default;
};

/// Open pairs, counts of labels and prices of one campaign.
class Offers {
 public:
  /// Any worker can be asked about any item.
  static Offers everyone(std::uint32_t item_count, std::uint32_t worker_count);
  /// Only these pairs can be asked; none may occur twice.
  static Offers recorded(std::uint32_t item_count, std::uint32_t worker_count,
                         std::span<const Pair> pairs);

  /// Any worker can be asked about any item, and items and workers join later; there are none yet.
  static Offers open_ended();

  /// Adds items; only for open-ended offers. A chooser must be told by `grow`. O(1) amortised each.
  void add_items(std::uint32_t count);
  /// Adds workers at this positive price; only for open-ended offers. Tell a chooser by `grow`.
  void add_workers(std::uint32_t count, Money price = kUnitPrice);

  /// Number of items, including excluded and withheld ones.
  std::uint32_t item_count() const { return static_cast<std::uint32_t>(item_labels_.size()); }
  /// Number of workers, including excluded ones.
  std::uint32_t worker_count() const { return static_cast<std::uint32_t>(listed_.size()); }
  /// Whether only recorded pairs can be asked.
  bool is_recorded() const { return recorded_; }

  /// Sets one positive price per label for each worker. A chooser must be told by `grow`.
  void set_prices(std::vector<Money> prices);
  /// Changes the price of one worker; it must be positive. A chooser must be told by `grow`.
  void set_price(WorkerId worker, Money price);
  /// Price of a label of the worker; 1 unless set.
  Money price(WorkerId worker) const {
    return prices_.empty() ? kUnitPrice : prices_[position(worker)];
  }
  /// Price in units of the lowest price of all workers: 1 for everybody if prices are equal.
  double relative_price(WorkerId worker) const { return ratio(price(worker), lowest_price_); }

  /// Labels that the money buys at the mean price of all workers. O(workers).
  std::uint64_t affordable(Money money) const;
  /// Tells how many labels the rest of the budget buys, for policies that know the end. Until told,
  /// they choose as for the last labels.
  void set_labels_left(std::uint64_t labels) { labels_left_ = labels; }
  /// Labels that the rest of the budget buys, as last told.
  std::uint64_t labels_left() const { return labels_left_; }

  /// Whether the pair can be asked now.
  bool is_open(const Pair& pair) const { return !is_withheld(pair.item) && is_listed_open(pair); }
  /// Whether nobody can be asked about the item until it is restored.
  bool is_withheld(ItemId item) const { return withheld_[position(item)]; }
  /// Whether nobody can be asked about the item now.
  bool is_finished(ItemId item) const {
    return is_withheld(item) || (!open_ended_ && closed(item) == worker_count());
  }
  /// Number of open pairs of a worker, including those with withheld items.
  std::uint32_t left(WorkerId worker) const;
  /// Number of open pairs of all workers, including those with withheld items.
  std::uint64_t left() const { return left_; }
  /// The n-th open item of a worker in order of items; n < left(worker).
  ItemId open_item(WorkerId worker, std::uint32_t n) const;

  /// Workers who cannot be asked about the item, any more or ever.
  std::uint32_t closed(ItemId item) const { return item_closed_[position(item)]; }
  /// Number of labels of the item, counted by `close` or `count`.
  std::uint32_t labels(ItemId item) const { return item_labels_[position(item)]; }
  /// Number of labels from the worker, counted by `close` or `count`.
  std::uint32_t labels(WorkerId worker) const { return worker_labels_[position(worker)]; }

  /// Closes an open pair whose label came. Throws std::invalid_argument if it was not open.
  void close(const Pair& pair);
  /// Marks an open pair, also of a withheld item, as asked; then `count` or `reopen` it.
  void hold(const Pair& pair);
  /// Counts the label of a held pair, which stays closed.
  void count(const Pair& pair);
  /// Opens a held pair again: its label will not come.
  void reopen(const Pair& pair);
  /// Nobody can be asked about the item until it is restored. Tell a chooser by `update`. O(1).
  void withhold(ItemId item) { withheld_[position(item)] = true; }
  /// Ends `withhold`. A chooser must be told by `update`. O(1).
  void restore(ItemId item) { withheld_[position(item)] = false; }
  /// Nobody can be asked about the item any more. A chooser must be told by `exclude`.
  void exclude(ItemId item);
  /// The worker cannot be asked about anything until restored. A chooser must be told by `exclude`.
  void exclude(WorkerId worker);
  /// Ends `exclude`; not for recorded pairs. A chooser must be told by `grow`. O(items).
  void restore(WorkerId worker);

 private:
  Offers(std::uint32_t item_count, std::uint32_t worker_count, bool recorded);
  bool is_gone(WorkerId worker) const {
    return position(worker) < gone_.size() && gone_[position(worker)];
  }
  bool is_listed_open(const Pair& pair) const;
  void remove(const Pair& pair);

  bool recorded_, open_ended_ = false;
  std::uint64_t left_ = 0;
  /// Items by worker, in order: the open ones if recorded, otherwise the closed ones.
  std::vector<SortedNumbers> listed_;
  std::vector<std::uint32_t> item_closed_, item_labels_, worker_labels_;
  std::vector<bool> gone_;  // excluded workers; empty if none is, or if pairs are recorded
  std::uint32_t gone_count_ = 0;
  std::vector<Money> prices_;
  Money lowest_price_ = kUnitPrice;
  std::uint64_t labels_left_ = 0;
  std::vector<bool> withheld_;
};

/// The remaining budget in money; finds workers that it cannot pay any more:
///   after every label purse.pay(worker);  while (worker = purse.unpayable()) desk.exclude(worker).
/// The rest may still pay a cheaper worker. Cost: O(M log M) for M workers, O(1) per label.
class Purse {
 public:
  /// Takes the prices from the offers, which must outlive the purse.
  Purse(Money budget, const Offers& offers);

  /// Money that is not spent yet.
  Money left() const { return left_; }
  /// Total price of the labels paid so far.
  Money spent() const { return budget_ - left_; }

  /// Pays a label of the worker. Throws std::invalid_argument if the rest is too small.
  void pay(WorkerId worker);

  /// The next worker who cannot be paid any more, each once, the most expensive first.
  std::optional<WorkerId> unpayable();

 private:
  const Money budget_;
  Money left_;
  const Offers& offers_;
  std::vector<WorkerId> by_price_;  // the most expensive first
  std::size_t next_ = 0;
};

}  // namespace allot::policy
