#include "policy/slot_table.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace allot::policy {

std::size_t SlotTable::hash(const State& state) {
  std::uint64_t hash = state.labels;
  for (const double part : {state.item.shape.a, state.item.shape.b}) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29;
  }
  return hash;
}

std::size_t SlotTable::place_of(const State& state) const {
  const std::size_t mask = slot_of_state_.size() - 1;
  std::size_t place = hash(state) & mask;
  while (slot_of_state_[place] != 0 && !(slots_[slot_of_state_[place] - 1].state == state)) {
    place = (place + 1) & mask;
  }
  return place;
}

std::optional<std::uint32_t> SlotTable::insert(std::uint32_t item, const State& state) {
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

std::optional<std::uint32_t> SlotTable::erase(std::uint32_t item) {
  const std::uint32_t slot = std::exchange(slot_of_item_[item], kNoSlot);
  if (slot == kNoSlot) return {};
  slots_[slot].items.erase(item);
  if (!slots_[slot].items.empty()) return {};
  remove_from_hash(slot);
  free_slots_.push_back(slot);
  return slot;
}

/// At most half of the places are taken, so that probing stays short.
void SlotTable::add_to_hash(std::uint32_t slot) {
  if (2 * (state_count_ + 1) > slot_of_state_.size()) {
    const std::vector<std::uint32_t> before =
        std::exchange(slot_of_state_, std::vector<std::uint32_t>(2 * slot_of_state_.size()));
    for (const std::uint32_t number : before) {
      if (number > 0) slot_of_state_[place_of(slots_[number - 1].state)] = number;
    }
  }
  slot_of_state_[place_of(slots_[slot].state)] = slot + 1;
  ++state_count_;
}

/// A free place ends every probe that reaches it. So entries behind the new hole that started their
/// probe at or before it move into it, each leaving the next hole.
void SlotTable::remove_from_hash(std::uint32_t slot) {
  const std::size_t mask = slot_of_state_.size() - 1;
  std::size_t hole = place_of(slots_[slot].state);
  for (std::size_t next = (hole + 1) & mask; slot_of_state_[next] != 0; next = (next + 1) & mask) {
    const std::size_t home = hash(slots_[slot_of_state_[next] - 1].state) & mask;
    // Distances are taken backwards from `next`, modulo the size of the table.
    if (((next - home) & mask) < ((next - hole) & mask)) continue;
    slot_of_state_[hole] = slot_of_state_[next];
    hole = next;
  }
  slot_of_state_[hole] = 0;
  --state_count_;
}

void SlotTable::clear_hash(std::uint32_t item_count) {
  std::ranges::fill(slot_of_state_, 0);
  state_count_ = 0;
  free_slots_.clear();
  slots_.reserve(item_count);
  slot_of_item_.resize(item_count, kNoSlot);
}

/// A slot whose state another one has too gives its items to that one.
bool SlotTable::keep_or_merge(std::uint32_t slot) {
  std::set<std::uint32_t>& items = slots_[slot].items;
  const std::uint32_t known = items.empty() ? 0 : slot_of_state_[place_of(slots_[slot].state)];
  if (!items.empty() && known == 0) {
    add_to_hash(slot);
    return true;
  }
  for (const std::uint32_t item : items) slot_of_item_[item] = known - 1;
  if (!items.empty()) slots_[known - 1].items.merge(items);
  free_slots_.push_back(slot);
  return false;
}

}  // namespace allot::policy
