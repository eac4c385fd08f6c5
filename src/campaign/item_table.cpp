#include "allot/campaign/item_table.hpp"

#include "campaign/state_bytes.hpp"

namespace allot::campaign {
namespace {

constexpr std::size_t kMostReasons = 255;

}  // namespace

std::optional<ClassId> ItemTable::gold(ItemId item) const {
  const auto known = gold_.find(position(item));
  return known == gold_.end() ? std::nullopt : std::optional(ClassId{known->second});
}

std::optional<ClassId> ItemTable::truth(ItemId item) const {
  const std::uint32_t number = position(item);
  if (number >= truths_.size() || truths_[number] == 0) return {};
  return ClassId{truths_[number] - 1U};
}

std::string_view ItemTable::finish_reason(ItemId item) const {
  const Item& entry = items_[position(item)];
  if (entry.reason != 0) return reasons_[entry.reason - 1];
  const bool full = limit_ > 0 && entry.labels >= limit_;
  return full && !gold(item) ? "full" : "";
}

bool ItemTable::has_room(ItemId item) const {
  const Item& entry = items_[position(item)];
  if (entry.reason != 0 || gold(item)) return false;
  return limit_ == 0 || entry.labels + entry.pending < limit_;
}

std::optional<Money> ItemTable::price(ItemId item) const {
  const auto known = prices_.find(position(item));
  return known == prices_.end() ? std::nullopt : std::optional(known->second);
}

void ItemTable::add(const NewItem& item) {
  const std::uint32_t number = count();
  items_.emplace_back();
  if (item.gold) {
    gold_[number] = position(*item.gold);
    gold_items_.push_back(ItemId{number});
  }
  if (item.truth) {
    truths_.resize(number + 1);
    truths_[number] = static_cast<std::uint8_t>(position(*item.truth) + 1);
    truth_count_ += !item.gold;
  }
  if (item.price) {
    prices_[number] = *item.price;
    lowest_price_ = std::min(lowest_price_, *item.price);
  }
  features_.insert(features_.end(), item.features.begin(), item.features.end());
}

bool ItemTable::settle(ItemId item, const std::string& reason) {
  auto known = std::ranges::find(reasons_, reason);
  if (known == reasons_.end()) {
    if (reasons_.size() == kMostReasons) return false;
    known = reasons_.insert(known, reason);
  }
  items_[position(item)].reason = static_cast<std::uint8_t>(known - reasons_.begin() + 1);
  return true;
}

void ItemTable::save_item(std::uint32_t item, ByteWriter& to) const {
  const Item& entry = items_[item];
  to.number(entry.labels);
  to.number(entry.pending);
  to.byte(entry.reason);
}

void ItemTable::load_item(ByteReader& from) {
  Item& entry = items_.emplace_back();
  entry.labels = from.at_most(UINT32_MAX);
  entry.pending = from.at_most<std::uint16_t>(UINT16_MAX);
  entry.reason = from.byte();
}

void ItemTable::save_rest(ByteWriter& to) const {
  to.number(gold_.size());
  for (const auto& [item, known] : gold_) {
    to.number(item);
    to.number(known);
  }
  to.array(truths_);
  to.number(prices_.size());
  for (const auto& [item, price] : prices_) {
    to.number(item);
    put(to, price);
  }
  to.number(reasons_.size());
  for (const std::string& reason : reasons_) to.text(reason);
  to.array(features_);
}

bool ItemTable::load_rest(ByteReader& from, std::size_t classes) {
  for (std::size_t n = from.count(2); n > 0; --n) {
    const auto item = from.at_most(items_.size());
    gold_[item] = from.at_most(classes);
    gold_items_.push_back(ItemId{item});
  }
  from.array(truths_);
  if (truths_.size() > items_.size()) return false;
  for (std::uint32_t i = 0; i < truths_.size(); ++i) {
    if (truths_[i] > classes) return false;
    truth_count_ += truths_[i] != 0 && !gold_.contains(i);
  }
  for (std::size_t n = from.count(2); n > 0; --n) {
    const auto item = from.at_most(items_.size());
    prices_[item] = get_money(from);
    lowest_price_ = std::min(lowest_price_, prices_[item]);
  }
  reasons_.resize(from.count(1));
  for (std::string& reason : reasons_) reason = from.text();
  from.array(features_);
  return !from.failed();
}

}  // namespace allot::campaign
