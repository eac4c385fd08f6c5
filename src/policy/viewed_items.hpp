// Items of which a group of workers has a view (model/group_views.hpp), with bounds of what a
// member's label about them is worth.
//
// A member's label of such an item is read through r q + (1 - r) P, q the view and P the member's
// own table. An index that is convex in the table is at most r times its value for q, plus (1 - r)
// times that for P. The list keeps a bound of the first and the potential of the item, so that a
// search rules out most items by two products each. Cost: O(1) per change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace allot::policy {

class ViewedItems {
 public:
  struct Entry {
    std::uint32_t item;
    double by_view,  // upper bound of the value of a label that is the view itself
        potential;   // upper bound of the value of any label
  };

  /// All items, in any order.
  std::span<const Entry> entries() const { return entries_; }

  /// Entry of an item that is there.
  const Entry& of(std::uint32_t item) const { return entries_[places_[item] - 1]; }

  void set(const Entry& entry) {
    if (places_.size() <= entry.item) places_.resize(entry.item + 1, 0);
    std::uint32_t& place = places_[entry.item];
    if (place == 0) {
      entries_.emplace_back();
      place = static_cast<std::uint32_t>(entries_.size());
    }
    entries_[place - 1] = entry;
  }
  /// Takes the item away, if it is there.
  void erase(std::uint32_t item) {
    if (item >= places_.size() || places_[item] == 0) return;
    const std::uint32_t place = places_[item];
    places_[item] = 0;
    if (place < entries_.size()) {
      entries_[place - 1] = entries_.back();
      places_[entries_[place - 1].item] = place;
    }
    entries_.pop_back();
  }
  void clear() {
    entries_.clear();
    places_.clear();
  }

 private:
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> places_;  // by item: 1 + place in `entries_`; 0 if it is not there
};

}  // namespace allot::policy
