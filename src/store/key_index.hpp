// Which records may have a key, by a hash of it: the part that is in memory.
//
// Keys come in any order, so an index that every commit keeps up to date has another page to write
// for almost every key. So the file has a table of hashes up to some record only; those after it
// stand here, and whoever opens the file reads them from the ledger again. Once they are many they
// go into the table, a slice a commit and in its order, so that neighbours share a page; with the
// last slice the file says up to which record they are.
//
// Cost: a key 40 bytes until it is in the table, and as many again while it waits for its slice;
// finding one a look into a hash table and one into a sorted list. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace allot::store {

/// Nobody who does not know the salt can find keys that collide.
std::uint64_t hash_of(std::string_view key, std::uint64_t salt);

class KeyIndex {
 public:
  struct Place {
    std::uint64_t hash = 0, sequence = 0;

    auto operator<=>(const Place&) const = default;
  };

  /// The last record whose key is here or in the table.
  std::uint64_t known() const { return known_; }
  /// The key of a record after `known`, in order.
  void add(const Place& place);
  /// Records up to this one that were not added have no key.
  void know(std::uint64_t last);
  /// All up to this one are in the table, whoever put them there.
  void leave_to_table(std::uint64_t indexed);

  /// Records whose key may be it; others are in the table.
  void find(std::uint64_t hash, std::vector<std::uint64_t>& found) const;

  /// What goes into the table next: nothing unless `many` keys wait, or waited when it began, or
  /// those that wait are among many records. Stays until it is written or left to the table.
  std::span<const Place> slice(std::size_t size, std::size_t many);
  /// The last record of whose key the table knows once that slice is in it, if it is the last.
  std::optional<std::uint64_t> ends_with(std::span<const Place> slice) const;
  /// The slice is on disk.
  void written(std::span<const Place> slice);

  std::size_t size() const { return recent_.size() + sweep_.size() - swept_; }

 private:
  std::unordered_multimap<std::uint64_t, std::uint64_t> recent_;
  std::vector<Place> sweep_;  // in order; what goes into the table now
  std::size_t swept_ = 0;     // so many of them are in it
  std::uint64_t sweep_end_ = 0, known_ = 0, indexed_ = 0;
};

}  // namespace allot::store
