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

class ItemTable {
 public:
  std::uint32_t count() const { return static_cast<std::uint32_t>(items_.size()); }
  std::uint32_t labels(ItemId item) const { return items_[position(item)].labels; }
  /// Leases that have not ended.
  std::uint32_t pending(ItemId item) const { return items_[position(item)].pending; }

  /// The known answer of a gold item.
  std::optional<ClassId> gold(ItemId item) const;
  std::span<const ItemId> gold_items() const { return gold_items_; }
  /// The class that answers are measured by, and the number of items with one, gold apart.
  std::optional<ClassId> truth(ItemId item) const;
  std::uint32_t truth_count() const { return truth_count_; }

  /// Why workers are no longer asked about the item: "full", or the reason of the event that
  /// settled it; empty while they are asked.
  std::string_view finish_reason(ItemId item) const;
  /// Whether the item can be leased: not gold, not settled, labels and leases below the limit.
  bool has_room(ItemId item) const;

  /// The item's own price.
  std::optional<Money> price(ItemId item) const;
  bool any_price() const { return !prices_.empty(); }
  /// The lowest price of an item that has one; the largest amount if none has.
  Money lowest_price() const { return lowest_price_; }
  /// Features of all items, item by item.
  std::span<const double> features() const { return features_; }

  // For the state alone, which checks events first.

  /// At most so many labels per item; 0 for any number.
  void set_limit(std::uint32_t labels_per_item) { limit_ = labels_per_item; }
  void add(const NewItem& item);
  void add_label(ItemId item) { ++items_[position(item)].labels; }
  void add_lease(ItemId item) { ++items_[position(item)].pending; }
  void drop_lease(ItemId item) { --items_[position(item)].pending; }
  bool is_settled(ItemId item) const { return items_[position(item)].reason != 0; }
  /// False if there are too many different reasons.
  bool settle(ItemId item, const std::string& reason);

  /// The numbers of one item, and what items have beside them. `load_rest` returns false, and
  /// leaves a useless table, if the bytes are not those of a table.
  void reserve(std::size_t items) { items_.reserve(items); }
  void save_item(std::uint32_t item, ByteWriter& to) const;
  void save_rest(ByteWriter& to) const;
  void load_item(ByteReader& from);
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
