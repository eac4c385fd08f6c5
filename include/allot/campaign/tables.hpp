// The tables of a campaign's state: items, who has done what with which item, leases, names.
//
// Memory: 32 bytes per item, 4 to 8 per pair that had to do with each other, and those of the ids,
// prices, known classes and features that items have. Confidences take 24 bytes per item and 4 to 8
// per label, once a label has one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/campaign/event.hpp"
#include "allot/campaign/review.hpp"
#include "allot/model/label_set.hpp"

namespace allot::io {
class NameTable;
}

namespace allot::campaign {

/// Facts about every item: labels, leases, known classes, prices, features.
class ItemTable {
 public:
  /// Items in the table, gold included.
  std::uint32_t count() const { return static_cast<std::uint32_t>(items_.size()); }
  /// Labels of the item that count, imported ones included.
  std::uint32_t labels(ItemId item) const { return items_[position(item)].labels; }
  /// Leases that have not ended.
  std::uint32_t pending(ItemId item) const { return items_[position(item)].pending; }

  /// The known answer of a gold item; nothing for other items.
  std::optional<ClassId> gold(ItemId item) const;
  /// The verdict of a reviewer; nothing without one.
  std::optional<ClassId> reviewed(ItemId item) const { return verdicts_.answer(item); }
  /// Verdicts of reviewers.
  const VerdictTable& verdicts() const { return verdicts_; }
  /// The answer of a gold item, or a reviewer's; nothing if only labels tell.
  std::optional<ClassId> known(ItemId item) const;
  /// Gold items in the order in which they came.
  std::span<const ItemId> gold_items() const { return gold_items_; }
  /// The class that measures the item's answer; no decision looks at it. Nothing if unknown.
  std::optional<ClassId> truth(ItemId item) const;
  /// Items with a truth, gold apart.
  std::uint32_t truth_count() const { return truth_count_; }

  /// Why workers are no longer asked about the item: "reviewed", the reason of the event that
  /// settled it, or "full"; empty while they are asked.
  std::string_view finish_reason(ItemId item) const;
  /// Whether the item can be leased: not known, not settled, labels and leases below the limit.
  bool has_room(ItemId item) const;

  /// The item's own price; nothing if it has none.
  std::optional<Money> price(ItemId item) const;
  /// Whether any item has a price of its own.
  bool any_price() const { return !prices_.empty(); }
  /// The lowest price of an item that has one; the largest amount if none has.
  Money lowest_price() const { return lowest_price_; }
  /// Features of all items, item by item.
  std::span<const double> features() const { return features_; }

  // For the state alone, which checks events first.

  /// Limits labels and leases per item; 0 for any number. Gold items are not limited.
  void set_limit(std::uint32_t labels_per_item) { limit_ = labels_per_item; }
  /// Adds an item under the next number.
  void add(const NewItem& item);
  /// Counts one more label.
  void add_label(ItemId item) { ++items_[position(item)].labels; }
  /// Counts one label less; there must be one.
  void drop_label(ItemId item) { --items_[position(item)].labels; }
  /// Counts one more lease.
  void add_lease(ItemId item) { ++items_[position(item)].pending; }
  /// Counts one lease less; there must be one.
  void drop_lease(ItemId item) { --items_[position(item)].pending; }
  /// Whether an event has settled the item; full items do not count.
  bool is_settled(ItemId item) const { return items_[position(item)].reason != 0; }
  /// Settles the item. Returns false if there are too many different reasons.
  bool settle(ItemId item, const std::string& reason);
  /// Opens all items that were settled for that reason.
  void unsettle(std::string_view reason);

  /// Verdicts, to be changed.
  VerdictTable& verdicts() { return verdicts_; }

  /// Makes room for that many items, before they are loaded.
  void reserve(std::size_t items) { items_.reserve(items); }
  /// Writes labels, leases and finish reason of one item.
  void save_item(std::uint32_t item, ByteWriter& to) const;
  /// Writes the columns that few items have: known classes, prices, reasons, features.
  void save_rest(ByteWriter& to) const;
  /// Adds the item that `save_item` wrote.
  void load_item(ByteReader& from);
  /// Reads the bytes of `save_rest`, after all items. Returns false, and leaves a useless table, if
  /// the bytes are not those of a table.
  bool load_rest(ByteReader& from, std::size_t classes);

 private:
  struct Item {
    std::uint32_t labels = 0;
    std::uint16_t pending = 0;
    std::uint8_t reason = 0;  // place in `reasons_`, from 1; 0 if not settled
  };

  std::uint32_t limit_ = 0;
  std::vector<Item> items_;
  std::vector<ItemId> gold_items_;
  std::map<std::uint32_t, ClassId> gold_;
  VerdictTable verdicts_;
  std::vector<std::uint8_t> truths_;  // class + 1 by item; as long as the last item that has one
  std::uint32_t truth_count_ = 0;
  std::map<std::uint32_t, Money> prices_;
  Money lowest_price_ = Money::billionths(INT64_MAX);
  std::vector<std::string> reasons_;
  std::vector<double> features_;
};

/// Whether the item has an answer: it is gold, a reviewer has decided it, or it has a label. The
/// belief about any other item is a guess from the prior and the features, and no answer.
inline bool has_answer(const ItemTable& items, ItemId item) {
  return items.labels(item) > 0 || items.known(item).has_value();
}

/// Status of one item and one worker.
enum class PairStatus : std::uint8_t {
  none,      ///< the worker never had to do with the item
  leased,    ///< the worker has the item
  lapsed,    ///< the worker had it and let it go; an answer can still come
  skipped,   ///< the worker will not label it
  labelled,  ///< the worker has given a label
  excluded,  ///< the worker has given a label, which does not count
};

/// One worker's part in an item.
struct Share {
  WorkerId worker;    ///< the worker who had to do with the item
  PairStatus status;  ///< never `none`
  ClassId label;      ///< if labelled, or excluded
  /// Of the worker in the label; model::kNoConfidence if the worker did not tell.
  float confidence = model::kNoConfidence;
};

/// Status and label of every item and worker that had to do with each other.
class PairTable {
 public:
  /// Upper limit of the number of workers.
  static constexpr std::uint32_t kMostWorkers = (1U << 24) - 1;

  /// Shares in an item, in the order in which workers first had to do with it.
  std::vector<Share> shares(ItemId item) const;
  /// Status of the pair; `none` if the worker never had to do with the item.
  PairStatus status(ItemId item, WorkerId worker) const;
  /// The worker's label of the item, whether it counts or not; nothing if there is none.
  std::optional<ClassId> label(ItemId item, WorkerId worker) const;
  /// Whether any label came with a confidence.
  bool any_confidence() const { return !confidences_.empty(); }

  // For the state alone, which checks events first.

  /// Adds items without shares.
  void add_items(std::size_t count) { items_.resize(items_.size() + count); }
  /// Keeps the label with its confidence, if any, and makes the pair `labelled`.
  void set_label(ItemId item, WorkerId worker, ClassId label, std::optional<float> confidence);
  /// Makes the worker's labels count, or not.
  void set_excluded(WorkerId worker, bool excluded);
  /// Changes the status of the pair to `leased`, `lapsed` or `skipped`.
  void set_status(ItemId item, WorkerId worker, PairStatus status);

  /// Makes room for that many items, before they are loaded.
  void reserve(std::size_t items) { items_.reserve(items); }
  /// Writes the shares in one item.
  void save_item(std::uint32_t item, ByteWriter& to) const;
  /// Adds the item that `save_item` wrote. Numbers beyond `workers` make the reader fail.
  void load_item(ByteReader& from, std::size_t workers);

 private:
  /// A share in 4 bytes: `what` is a class, or one of three statuses from kLapsed on.
  struct Part {
    std::uint32_t worker : 24;
    std::uint32_t what : 8;
  };
  static constexpr std::uint32_t kLapsed = 253, kSkipped = 254, kLeased = 255;

  PairStatus status_of(const Part& part) const;
  std::span<const float> confidences_of(std::uint32_t item) const;
  const Part* find(ItemId item, WorkerId worker) const;
  Part& part_of(ItemId item, WorkerId worker);

  std::vector<std::vector<Part>> items_;
  /// By item and place in it; as long as the last item, and the last label of it, that has one.
  std::vector<std::vector<float>> confidences_;
  std::vector<bool> excluded_;  // by worker; as long as the last one who was excluded
};

/// An item that a worker has until it expires, with its price reserved.
struct Lease {
  ItemId item;      ///< the item leased
  WorkerId worker;  ///< the worker who has it
  Money price;      ///< amount reserved until the lease ends
  Time taken,       ///< start of the lease
      expires;      ///< end of the lease
};

/// Leases that have not ended, by worker and item and by their ends.
class LeaseTable {
 public:
  /// Leases in the table.
  std::uint32_t count() const { return static_cast<std::uint32_t>(leases_.size()); }
  /// All leases in order of their ends.
  std::vector<Lease> all() const;
  /// A worker's leases in order of their ends.
  std::vector<Lease> of(WorkerId worker) const;
  /// Leases that are over at the time `now`, in order of their ends.
  std::vector<Lease> over(Time now) const;
  /// The worker's lease of the item; nothing if there is none.
  std::optional<Lease> find(ItemId item, WorkerId worker) const;

  // For the state alone, which checks events first.

  /// Adds a lease; the worker must not have the item yet.
  void add(const Lease& lease);
  /// Removes the lease, which must exist, and returns it.
  Lease remove(ItemId item, WorkerId worker);
  /// The clock was ahead, and it is `now`: no lease was taken later, and none ends after `latest`.
  void cut(Time now, Time latest);

  /// Writes all leases.
  void save(ByteWriter& to) const;
  /// Adds the leases that `save` wrote. Numbers beyond `workers` or `items` make the reader fail.
  void load(ByteReader& from, std::size_t workers, std::size_t items);

 private:
  struct Terms {
    Money price;
    Time taken, expires;
  };
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // worker, item

  static Lease lease_at(const Place& place, const Terms& terms);

  std::map<Place, Terms> leases_;
  std::set<std::pair<Time, Place>> ends_;
};

/// Texts numbered in the order in which they came.
class NameList {
 public:
  /// An empty list.
  NameList();
  /// Moves the names; the other list is then useless.
  NameList(NameList&&) noexcept;
  /// Moves the names; the other list is then useless.
  NameList& operator=(NameList&&) noexcept;
  ~NameList();

  /// Names in the list.
  std::uint32_t count() const;
  /// Number of the name; nothing if it is not in the list.
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// The name with that number, below `count()`.
  const std::string& operator[](std::uint32_t number) const;
  /// Adds a name, which must be new, under the next number.
  void add(std::string_view name);
  /// Writes all names in order.
  void save(ByteWriter& to) const;
  /// Adds the names that `save` wrote.
  void load(ByteReader& from);

 private:
  std::unique_ptr<io::NameTable> table_;
};

}  // namespace allot::campaign
