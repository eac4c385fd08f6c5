#include "store/key_index.hpp"

#include <algorithm>
#include <cstring>

#include "store/ledger_schema.hpp"

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

/// Keys that wait in memory before a gradual sweep starts, and the least number of keys that each
/// commit of the sweep writes.
constexpr std::size_t kManyKeys = 32'768, kSlice = 512;
/// Keys that wait before a sweep that is not gradual.
constexpr std::size_t kFewKeys = 4096;

/// Adds keys that other processes appended, or this one before it was started.
Result<void> read_keys(const LedgerReader& reader, const CampaignRow& campaign, KeyIndex& index) {
  index.leave_to_table(campaign.indexed);
  const std::uint64_t known = index.known();
  if (known >= campaign.last) return {};
  std::vector<KeyIndex::Place> found;
  TRY(reader
          .query("SELECT sequence, key FROM record"
                 " WHERE campaign = ?1 AND sequence > ?2 AND sequence <= ?3 AND key IS NOT NULL"
                 " ORDER BY sequence",
                 campaign.id, known, campaign.last)
          .each([&](const Statement& row) {
            found.push_back({static_cast<std::uint64_t>(stored_hash(row.bytes(1), campaign.salt)),
                             static_cast<std::uint64_t>(row.number(0))});
          }));
  for (const KeyIndex::Place& place : found) index.add(place);
  index.know(campaign.last);
  return {};
}

Result<KeyFilter> read_filter(const LedgerReader& reader, const CampaignRow& campaign) {
  KeyFilter filter;
  TRY(reader.query("SELECT hash FROM key WHERE campaign = ?1", campaign.id)
          .each([&](const Statement& row) {
            filter.add(static_cast<std::uint64_t>(row.number(0)));
          }));
  return filter;
}

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
  if (known_ < indexed) filter_.reset();
  indexed_ = indexed;
  known_ = std::max(known_, indexed);
  if (sweep_end_ <= indexed) {
    if (filter_) {
      for (const Place& place : sweep_) filter_->add(place.hash);
    }
    sweep_ = {};
    swept_ = 0;
  }
  std::erase_if(recent_, [&](const auto& key) {
    if (key.second > indexed) return false;
    if (filter_) filter_->add(key.first);
    return true;
  });
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

Result<std::optional<Record>> KeyTable::find(const LedgerReader& reader,
                                             const CampaignRow& campaign, std::string_view key) {
  if (campaign.id == 0) return std::nullopt;
  const std::int64_t hash = stored_hash(key, campaign.salt);
  std::vector<std::uint64_t> candidates;
  bool asks_table = false;
  {
    // Memory first, table second: a key that leaves memory meanwhile is in the table by then.
    const std::scoped_lock lock(mutex_);
    KeyIndex& index = index_of(campaign);
    TRY(read_keys(reader, campaign, index));
    if (gradual_ && !index.has_filter()) index.set_filter(TRY(read_filter(reader, campaign)));
    index.find(static_cast<std::uint64_t>(hash), candidates);
    asks_table = index.table_may_have(static_cast<std::uint64_t>(hash));
  }
  if (asks_table) {
    TRY(reader
            .query("SELECT sequence FROM key WHERE campaign = ?1 AND hash = ?2", campaign.id, hash)
            .each([&](const Statement& row) {
              candidates.push_back(static_cast<std::uint64_t>(row.number(0)));
            }));
  }
  // Several keys can have one hash: the record itself decides.
  for (const std::uint64_t sequence : candidates) {
    auto record = TRY(reader.read(campaign, sequence - 1, 1));
    if (!record.empty() && record.front().key == key) return std::move(record.front());
  }
  return std::nullopt;
}

KeyTable::Sweep KeyTable::next_sweep(const CampaignRow& campaign, std::uint64_t last,
                                     const NewKeys& keys) {
  const std::scoped_lock lock(mutex_);
  KeyIndex& index = index_of(campaign);
  index.leave_to_table(campaign.indexed);
  // Without any key up to the end, the table is complete as it is.
  const bool no_keys = index.size() == 0 && index.known() == campaign.last && keys.empty();
  if (no_keys) return {{}, last};
  const auto slice = gradual_ ? index.slice(std::max(kSlice, 4 * keys.size()), kManyKeys)
                              : index.slice(SIZE_MAX, kFewKeys);
  return {slice, index.ends_with(slice)};
}

Result<void> KeyTable::write(Connection& writer, const CampaignRow& campaign, const Sweep& sweep) {
  for (const KeyIndex::Place& place : sweep.slice) {
    TRY(Query(writer, "INSERT OR IGNORE INTO key VALUES (?1, ?2, ?3)", campaign.id,
              static_cast<std::int64_t>(place.hash), place.sequence)
            .run());
  }
  return {};
}

void KeyTable::committed(const CampaignRow& campaign, std::uint64_t last, const NewKeys& keys,
                         const Sweep& sweep) {
  const std::scoped_lock lock(mutex_);
  KeyIndex& index = index_of(campaign);
  // An index that does not reach this commit reads its keys from the ledger when it needs them.
  if (index.known() == campaign.last) {
    std::vector<KeyIndex::Place> places;
    for (const auto& [key, sequence] : keys) {
      places.push_back({hash_of(key, static_cast<std::uint64_t>(campaign.salt)), sequence});
    }
    std::ranges::sort(places, {}, &KeyIndex::Place::sequence);
    for (const KeyIndex::Place& place : places) index.add(place);
    index.know(last);
  }
  index.written(sweep.slice);
  if (sweep.end) index.leave_to_table(*sweep.end);
}

}  // namespace allot::store
