// The items of a campaign, without their ids and without who labelled them.
//
// Memory: 8 bytes per item, and those of the prices, known classes and features that items have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/campaign/event.hpp"

namespace allot::campaign {

/// Facts about every item: labels, leases, known classes, prices, features.
class ItemTable {
 public:
  /// Items in the table, gold included.
  std::uint32_t count() const { return static_cast<std::uint32_t>(items_.size()); }
  /// Workers who have labelled the item, imported labels included.
  std::uint32_t labels(ItemId item) const { return items_[position(item)].labels; }
  /// Leases that have not ended.
  std::uint32_t pending(ItemId item) const { return items_[position(item)].pending; }

  /// The known answer of a gold item; nothing for other items.
  std::optional<ClassId> gold(ItemId item) const;
  /// Gold items in the order in which they came.
  std::span<const ItemId> gold_items() const { return gold_items_; }
  /// The class that measures the item's answer; no decision looks at it. Nothing if unknown.
  std::optional<ClassId> truth(ItemId item) const;
  /// Items with a truth, gold apart.
  std::uint32_t truth_count() const { return truth_count_; }

  /// Why workers are no longer asked about the item: "full", or the reason of the event that
  /// settled it; empty while they are asked.
  std::string_view finish_reason(ItemId item) const;
  /// Whether the item can be leased: not gold, not settled, labels and leases below the limit.
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
  /// Counts one more lease.
  void add_lease(ItemId item) { ++items_[position(item)].pending; }
  /// Counts one lease less; there must be one.
  void drop_lease(ItemId item) { --items_[position(item)].pending; }
  /// Whether an event has settled the item; full items do not count.
  bool is_settled(ItemId item) const { return items_[position(item)].reason != 0; }
  /// Settles the item. Returns false if there are too many different reasons.
  bool settle(ItemId item, const std::string& reason);

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
  std::map<std::uint32_t, std::uint32_t> gold_;  // classes by item
  std::vector<std::uint8_t> truths_;  // class + 1 by item; as long as the last item that has one
  std::uint32_t truth_count_ = 0;
  std::map<std::uint32_t, Money> prices_;
  Money lowest_price_ = Money::billionths(INT64_MAX);
  std::vector<std::string> reasons_;
  std::vector<double> features_;
};

}  // namespace allot::campaign
