// The agreement sample of a campaign: its items, in the order in which workers get them.
//
// Every item has a random ticket, which follows from the seed and the number of the item. The
// sample is the items with the lowest tickets, in that order. So it is a random sample of all items
// so far, also after more items have come, and so is every beginning of it.
#pragma once

#include <cstdint>
#include <set>

#include "allot/base/rng.hpp"
#include "allot/campaign/options.hpp"

namespace allot::campaign {

class SampleOrder {
 public:
  struct Entry {
    std::uint64_t ticket;
    std::uint32_t item;
    auto operator<=>(const Entry&) const = default;
  };

  SampleOrder(const AgreementSample& size, std::uint64_t seed) : size_(size), seed_(seed) {}

  /// Lets an item take part. O(log sample).
  void add(ItemId item) {
    items_.insert(entry(item));
    if (items_.size() > size_.items) items_.erase(std::prev(items_.end()));
  }
  /// Items of the sample, in order.
  const std::set<Entry>& items() const { return items_; }
  /// Whether the item is in the sample. O(log sample).
  bool has(ItemId item) const { return items_.contains(entry(item)); }
  /// Labels that each item gets.
  std::uint32_t labels() const { return size_.labels; }

 private:
  Entry entry(ItemId item) const {
    return {Rng(seed_, Rng::Purpose::general, 0, position(item)).at(0), position(item)};
  }

  AgreementSample size_;
  std::uint64_t seed_;
  std::set<Entry> items_;
};

}  // namespace allot::campaign
