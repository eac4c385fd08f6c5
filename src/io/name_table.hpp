// Names numbered from 0 in the order of first appearance.
//
// A hash table with linear probing. A slot holds half of a name's hash and its number, so a look-up
// touches one cache line and, if the name is known, the name itself. About 16 bytes per name
// besides the name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace allot::io {

class NameTable {
 public:
  NameTable();
  /// A table that starts with these names.
  explicit NameTable(const std::vector<std::string>& names);

  /// The number of the name; a new name gets the next number. At most 2^32 - 1 names.
  std::uint32_t number(std::string_view name);
  std::optional<std::uint32_t> find(std::string_view name) const;

  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::string> take_names() && { return std::move(names_); }

 private:
  struct Slot {
    std::uint32_t hash;
    std::uint32_t number_plus_one;  // 0: empty
  };
  /// The slot that holds the name, or the empty one where it would be.
  std::size_t slot_of(std::string_view name, std::uint64_t hash) const;
  void grow();

  std::vector<std::string> names_;
  std::vector<Slot> slots_;  // a power of two, at most half of them taken
};

}  // namespace allot::io
