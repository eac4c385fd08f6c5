#include "store/key_index.hpp"

#include <algorithm>
#include <cstring>

namespace allot::store {
namespace {

/// XOR of both halves of the product.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// With more records than kFar * `many` since the last sweep, a sweep starts even for few keys: a
/// process that opens the file would have to read all those records.
constexpr std::uint64_t kFar = 16;

}  // namespace

std::uint64_t hash_of(std::string_view key, std::uint64_t salt) {
  constexpr std::uint64_t kOne = 0x9E3779B97F4A7C15, kTwo = 0xD6E8FEB86659FD93;
  std::uint64_t hash = mix(salt ^ kOne, key.size() ^ kTwo);
  for (std::size_t at = 0; at < key.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, key.data() + at, std::min<std::size_t>(8, key.size() - at));
    hash = mix(hash ^ word ^ kOne, salt ^ kTwo) + word;
  }
  return mix(hash ^ kTwo, salt ^ kOne);
}

void KeyIndex::add(const Place& place) {
  recent_.emplace(place.hash, place.sequence);
  known_ = place.sequence;
}

void KeyIndex::know(std::uint64_t last) { known_ = std::max(known_, last); }

void KeyIndex::leave_to_table(std::uint64_t indexed) {
  if (indexed <= indexed_) return;
  indexed_ = indexed;
  known_ = std::max(known_, indexed);
  if (sweep_end_ <= indexed) {
    sweep_ = {};
    swept_ = 0;
  }
  std::erase_if(recent_, [&](const auto& key) { return key.second <= indexed; });
}

void KeyIndex::find(std::uint64_t hash, std::vector<std::uint64_t>& found) const {
  const auto [first, last] = recent_.equal_range(hash);
  for (auto key = first; key != last; ++key) found.push_back(key->second);
  auto place = std::ranges::lower_bound(sweep_, hash, {}, &Place::hash);
  for (; place != sweep_.end() && place->hash == hash; ++place) found.push_back(place->sequence);
}

std::span<const KeyIndex::Place> KeyIndex::slice(std::size_t size, std::size_t many) {
  const bool is_due = recent_.size() >= many || known_ - indexed_ >= kFar * many;
  if (sweep_.empty() && !recent_.empty() && is_due) {
    sweep_.reserve(recent_.size());
    for (const auto& [hash, sequence] : recent_) sweep_.push_back({hash, sequence});
    std::ranges::sort(sweep_);
    sweep_end_ = known_;
    recent_.clear();
  }
  return std::span<const Place>(sweep_).subspan(swept_, std::min(size, sweep_.size() - swept_));
}

std::optional<std::uint64_t> KeyIndex::ends_with(std::span<const Place> slice) const {
  const bool last = !slice.empty() && swept_ + slice.size() == sweep_.size();
  return last ? std::optional(sweep_end_) : std::nullopt;
}

void KeyIndex::written(std::span<const Place> slice) {
  if (sweep_.empty()) return;  // a reader of the file has seen the sweep finished meanwhile
  const auto end = ends_with(slice);
  swept_ += slice.size();
  if (end) leave_to_table(*end);
}

}  // namespace allot::store
