#include "io/name_table.hpp"

#include <functional>
#include <utility>

namespace allot::io {
namespace {

std::uint64_t hash_of(std::string_view name) { return std::hash<std::string_view>{}(name); }

std::uint32_t high_half(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

NameTable::NameTable() : slots_(64) {}

NameTable::NameTable(const std::vector<std::string>& names) : NameTable() {
  for (const std::string& name : names) number(name);
}

std::size_t NameTable::slot_of(std::string_view name, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const auto [known, number_plus_one] = slots_[i];
    if (number_plus_one == 0) return i;
    if (known == high_half(hash) && names_[number_plus_one - 1] == name) return i;
  }
}

std::uint32_t NameTable::number(std::string_view name) {
  const std::uint64_t hash = hash_of(name);
  Slot& slot = slots_[slot_of(name, hash)];
  if (slot.number_plus_one != 0) return slot.number_plus_one - 1;
  names_.emplace_back(name);
  slot = {high_half(hash), static_cast<std::uint32_t>(names_.size())};
  if (2 * names_.size() > slots_.size()) grow();
  return static_cast<std::uint32_t>(names_.size() - 1);
}

std::optional<std::uint32_t> NameTable::find(std::string_view name) const {
  const std::uint32_t number_plus_one = slots_[slot_of(name, hash_of(name))].number_plus_one;
  return number_plus_one == 0 ? std::nullopt : std::optional(number_plus_one - 1);
}

void NameTable::grow() {
  slots_.assign(2 * slots_.size(), Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < names_.size(); ++i) {
    const std::uint64_t hash = hash_of(names_[i]);
    std::size_t place = hash & mask;
    while (slots_[place].number_plus_one != 0) place = (place + 1) & mask;
    slots_[place] = {high_half(hash), i + 1};
  }
}

}  // namespace allot::io
