// Items in the same state share a slot, because an index cannot tell them apart.
//
// A hash table with linear probing finds the slot of a state; slots have numbers that stay the same
// as long as the slot is used. After a refit nearly all states are new, but most items that shared
// a slot still do: `rebuild` moves whole slots and looks only at the items that must leave theirs.
//
// Cost: O(log n) per item inserted or erased, n the items of its slot; `rebuild` one step per item.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "allot/model/item_state.hpp"

namespace allot::policy {

class SlotTable {
 public:
  /// Everything that an index can see of an item.
  struct State {
    model::ItemState item;
    std::uint32_t labels;

    bool operator==(const State&) const = default;
  };
  static std::size_t hash(const State& state);

  struct Slot {
    State state;
    std::set<std::uint32_t> items;  // numbers
  };
  const Slot& operator[](std::uint32_t slot) const { return slots_[slot]; }

  std::uint32_t item_count() const { return static_cast<std::uint32_t>(slot_of_item_.size()); }
  /// Adds an item without a slot.
  void add_item() { slot_of_item_.push_back(kNoSlot); }

  /// Puts an item without a slot into that of its state. Returns the slot if it was unused before.
  std::optional<std::uint32_t> insert(std::uint32_t item, const State& state);
  /// Takes the item out of its slot, if it has one. Returns the slot if it is unused now.
  std::optional<std::uint32_t> erase(std::uint32_t item);

  /// Gives all items the slots of their present states: state_of(item), or nothing for an item that
  /// needs no slot. Calls on_used(slot) for each slot in use.
  template <typename StateOf, typename OnUsed>
  void rebuild(std::uint32_t item_count, StateOf state_of, OnUsed on_used) {
    clear_hash(item_count);
    const std::vector<std::uint32_t> moving = move_slots(state_of);
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (keep_or_merge(slot)) on_used(slot);
    }
    for (const std::uint32_t item : moving) {
      slot_of_item_[item] = kNoSlot;
      const std::optional<State> state = state_of(item);
      if (!state) continue;
      if (const auto used = insert(item, *state)) on_used(*used);
    }
  }

 private:
  static constexpr std::uint32_t kNoSlot = UINT32_MAX;

  /// The place of the state in `slot_of_state_`, or the free place where it would go.
  std::size_t place_of(const State& state) const;
  void add_to_hash(std::uint32_t slot);
  void remove_from_hash(std::uint32_t slot);
  /// Gives each slot the new state of its first item; returns the items that need another slot.
  template <typename StateOf>
  std::vector<std::uint32_t> move_slots(const StateOf& state_of) {
    std::vector<std::uint32_t> moving;
    std::vector<bool> moved(slots_.size());
    for (std::uint32_t item = 0; item < item_count(); ++item) {
      const std::uint32_t slot = slot_of_item_[item];
      if (slot != kNoSlot) {
        if (const std::optional<State> state = state_of(item)) {
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
  void clear_hash(std::uint32_t item_count);
  /// Returns whether the slot stays in use.
  bool keep_or_merge(std::uint32_t slot);

  std::vector<std::uint32_t> slot_of_item_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  // Linear probing: a slot's number plus 1, or 0 where the place is free.
  std::vector<std::uint32_t> slot_of_state_ = std::vector<std::uint32_t>(64);
  std::uint32_t state_count_ = 0;
};

}  // namespace allot::policy
