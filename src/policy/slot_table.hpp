// Items in the same state share a slot, because an index cannot tell them apart.
//
// A hash table with linear probing finds the slot of a state; slots have numbers that stay the same
// as long as the slot is used. After a refit nearly all states are new, but most items that shared
// a slot still do: `rebuild` moves whole slots and looks only at the items that must leave theirs.
//
// A state is everything that an index can see of an item. Slots own theirs; callers pass views,
// which for several classes refer to the crowd's numbers.
//
// Cost: O(log n) per item inserted or erased, n the items of its slot; `rebuild` one step per item.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "allot/index/multiclass_pair_index.hpp"
#include "allot/model/item_state.hpp"

namespace allot::policy {

/// Hash of some numbers, from a start.
template <typename Numbers>
std::size_t hash_of(std::uint64_t start, const Numbers& numbers) {
  std::uint64_t hash = start;
  for (const double part : numbers) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29;
  }
  return hash;
}

/// State of a binary item; it is its own view.
struct BinaryState {
  using View = BinaryState;
  model::ItemState item;
  std::uint32_t labels;

  const View& view() const { return *this; }
  static std::size_t hash(const View& state) {
    return hash_of(state.labels, std::array{state.item.shape.a, state.item.shape.b});
  }
  bool operator==(const BinaryState&) const = default;
};

/// A multi-class item, and whether it must have a slot of its own.
struct MulticlassStateView {
  index::MulticlassItemView item;
  std::uint32_t single = 0;  // 1 + number of an item that shares its slot with no other; else 0
};

/// State of a multi-class item. All items of a search have soft labels, or none.
struct MulticlassState {
  using View = MulticlassStateView;
  std::vector<double> classes;
  bool soft = false;
  std::uint32_t labels = 0, single = 0;

  MulticlassState() = default;
  MulticlassState& operator=(const View& view) {
    classes.assign(view.item.classes.begin(), view.item.classes.end());
    soft = view.item.soft;
    labels = view.item.labels;
    single = view.single;
    return *this;
  }
  View view() const { return {{classes, soft, labels}, single}; }
  static std::size_t hash(const View& state) {
    return hash_of(state.item.labels, state.item.classes) + state.single;
  }
  bool operator==(const View& state) const {
    return labels == state.item.labels && single == state.single &&
           std::ranges::equal(classes, state.item.classes);
  }
};

/// `State` is BinaryState or MulticlassState.
template <typename State>
class SlotTable {
 public:
  using View = typename State::View;

  struct Slot {
    State state;
    std::set<std::uint32_t> items;  // numbers
  };
  const Slot& operator[](std::uint32_t slot) const { return slots_[slot]; }
  /// The slot of an item, if it has one.
  std::optional<std::uint32_t> slot_of(std::uint32_t item) const {
    return slot_of_item_[item] == kNoSlot ? std::nullopt : std::optional(slot_of_item_[item]);
  }

  std::uint32_t item_count() const { return static_cast<std::uint32_t>(slot_of_item_.size()); }
  /// Adds an item without a slot.
  void add_item() { slot_of_item_.push_back(kNoSlot); }

  /// Puts an item without a slot into that of its state. Returns the slot if it was unused before.
  std::optional<std::uint32_t> insert(std::uint32_t item, const View& state) {
    const std::uint32_t known = slot_of_state_[place_of(state)];
    std::optional<std::uint32_t> used;
    if (known == 0) {
      if (free_slots_.empty()) {
        free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
        slots_.emplace_back();
      }
      used = free_slots_.back();
      free_slots_.pop_back();
      slots_[*used].state = state;
      add_to_hash(*used);
    }
    const std::uint32_t slot = used.value_or(known - 1);
    slots_[slot].items.insert(slots_[slot].items.end(), item);
    slot_of_item_[item] = slot;
    return used;
  }
  /// Takes the item out of its slot, if any. Returns it if it is unused now, its state still there.
  std::optional<std::uint32_t> erase(std::uint32_t item) {
    const std::uint32_t slot = std::exchange(slot_of_item_[item], kNoSlot);
    if (slot == kNoSlot) return {};
    slots_[slot].items.erase(item);
    if (!slots_[slot].items.empty()) return {};
    remove_from_hash(slot);
    free_slots_.push_back(slot);
    return slot;
  }

  /// Gives all items the slots of their present states: state_of(item), or nothing for an item that
  /// needs no slot. Calls on_used(slot) for each slot in use.
  template <typename StateOf, typename OnUsed>
  void rebuild(std::uint32_t item_count, StateOf state_of, OnUsed on_used) {
    std::ranges::fill(slot_of_state_, 0);
    state_count_ = 0;
    free_slots_.clear();
    slots_.reserve(item_count);
    slot_of_item_.resize(item_count, kNoSlot);
    const std::vector<std::uint32_t> moving = move_slots(state_of);
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (keep_or_merge(slot)) on_used(slot);
    }
    for (const std::uint32_t item : moving) {
      slot_of_item_[item] = kNoSlot;
      const std::optional<View> state = state_of(item);
      if (!state) continue;
      if (const auto used = insert(item, *state)) on_used(*used);
    }
  }

 private:
  static constexpr std::uint32_t kNoSlot = UINT32_MAX;

  /// The place of the state in `slot_of_state_`, or the free place where it would go.
  std::size_t place_of(const View& state) const {
    const std::size_t mask = slot_of_state_.size() - 1;
    std::size_t place = State::hash(state) & mask;
    while (slot_of_state_[place] != 0 && !(slots_[slot_of_state_[place] - 1].state == state)) {
      place = (place + 1) & mask;
    }
    return place;
  }
  /// At most half of the places are taken, so that probing stays short.
  void add_to_hash(std::uint32_t slot) {
    if (2 * (state_count_ + 1) > slot_of_state_.size()) {
      const std::vector<std::uint32_t> before =
          std::exchange(slot_of_state_, std::vector<std::uint32_t>(2 * slot_of_state_.size()));
      for (const std::uint32_t number : before) {
        if (number > 0) slot_of_state_[place_of(slots_[number - 1].state.view())] = number;
      }
    }
    slot_of_state_[place_of(slots_[slot].state.view())] = slot + 1;
    ++state_count_;
  }
  /// A free place ends every probe that reaches it. So entries behind the new hole that started
  /// their probe at or before it move into it, each leaving the next hole.
  void remove_from_hash(std::uint32_t slot) {
    const std::size_t mask = slot_of_state_.size() - 1;
    std::size_t hole = place_of(slots_[slot].state.view());
    for (std::size_t next = (hole + 1) & mask; slot_of_state_[next] != 0;
         next = (next + 1) & mask) {
      const std::size_t home = State::hash(slots_[slot_of_state_[next] - 1].state.view()) & mask;
      // Distances are taken backwards from `next`, modulo the size of the table.
      if (((next - home) & mask) < ((next - hole) & mask)) continue;
      slot_of_state_[hole] = slot_of_state_[next];
      hole = next;
    }
    slot_of_state_[hole] = 0;
    --state_count_;
  }
  /// Gives each slot the new state of its first item; returns the items that need another slot.
  template <typename StateOf>
  std::vector<std::uint32_t> move_slots(const StateOf& state_of) {
    std::vector<std::uint32_t> moving;
    std::vector<bool> moved(slots_.size());
    for (std::uint32_t item = 0; item < item_count(); ++item) {
      const std::uint32_t slot = slot_of_item_[item];
      if (slot != kNoSlot) {
        if (const std::optional<View> state = state_of(item)) {
          if (!moved[slot]) slots_[slot].state = *state;
          moved[slot] = true;
          if (slots_[slot].state == *state) continue;
        }
        slots_[slot].items.erase(item);
      }
      moving.push_back(item);
    }
    return moving;
  }

  /// Returns whether the slot stays; it gives its items to another one with the same state.
  bool keep_or_merge(std::uint32_t slot) {
    std::set<std::uint32_t>& items = slots_[slot].items;
    const std::uint32_t known =
        items.empty() ? 0 : slot_of_state_[place_of(slots_[slot].state.view())];
    if (!items.empty() && known == 0) {
      add_to_hash(slot);
      return true;
    }
    for (const std::uint32_t item : items) slot_of_item_[item] = known - 1;
    if (!items.empty()) slots_[known - 1].items.merge(items);
    free_slots_.push_back(slot);
    return false;
  }

  std::vector<std::uint32_t> slot_of_item_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  // Linear probing: a slot's number plus 1, or 0 where the place is free.
  std::vector<std::uint32_t> slot_of_state_ = std::vector<std::uint32_t>(64);
  std::uint32_t state_count_ = 0;
};

}  // namespace allot::policy
