// A set of hashes that never misses one, but claims to have about 1 % of all others.
//
// Every hash sets four bits of one word (a Bloom filter). A full level stays, and the next one has
// twice its size, so nothing is ever hashed again. Cost: 2 to 4 bytes per hash; a lookup reads one
// word per level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace allot::store {

class KeyFilter {
 public:
  void add(std::uint64_t hash);
  bool may_have(std::uint64_t hash) const;

 private:
  struct Level {
    std::vector<std::uint64_t> words;  // as many as a power of two
    std::size_t room = 0;              // for further hashes

    std::size_t place(std::uint64_t hash) const { return (hash >> 32) & (words.size() - 1); }
  };
  std::vector<Level> levels_;
};

}  // namespace allot::store
