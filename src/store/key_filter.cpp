#include "store/key_filter.hpp"

namespace allot::store {
namespace {

constexpr std::size_t kFirstWords = 4096, kHashesPerWord = 4;

/// Four bits, by the low bits of the hash.
std::uint64_t bits_of(std::uint64_t hash) {
  std::uint64_t bits = 0;
  for (int n = 0; n < 4; ++n) bits |= std::uint64_t{1} << ((hash >> (6 * n)) & 63);
  return bits;
}

}  // namespace

void KeyFilter::add(std::uint64_t hash) {
  if (levels_.empty() || levels_.back().room == 0) {
    const std::size_t words = levels_.empty() ? kFirstWords : 2 * levels_.back().words.size();
    levels_.push_back({std::vector<std::uint64_t>(words), words * kHashesPerWord});
  }
  Level& level = levels_.back();
  level.words[level.place(hash)] |= bits_of(hash);
  --level.room;
}

bool KeyFilter::may_have(std::uint64_t hash) const {
  const std::uint64_t bits = bits_of(hash);
  for (const Level& level : levels_) {
    if ((level.words[level.place(hash)] & bits) == bits) return true;
  }
  return false;
}

}  // namespace allot::store
