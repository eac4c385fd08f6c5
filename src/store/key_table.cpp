#include "store/key_table.hpp"

#include <algorithm>
#include <vector>

#include "store/ledger_schema.hpp"

namespace allot::store {
namespace {

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
  using Places = std::vector<KeyIndex::Place>;
  const Places found = TRY(reader.select(
      "SELECT sequence, key FROM record"
      " WHERE campaign = ?1 AND sequence > ?2 AND sequence <= ?3 AND key IS NOT NULL"
      " ORDER BY sequence",
      [&](Statement& rows) {
        rows.bind(1, campaign.id).bind(2, to_signed(known)).bind(3, to_signed(campaign.last));
      },
      Places(),
      [&](Statement& rows, Places& places) {
        places.push_back({static_cast<std::uint64_t>(stored_hash(rows.bytes(1), campaign.salt)),
                          static_cast<std::uint64_t>(rows.number(0))});
        return Result<void>();
      }));
  for (const KeyIndex::Place& place : found) index.add(place);
  index.know(campaign.last);
  return {};
}

}  // namespace

Result<std::optional<Record>> KeyTable::find(const LedgerReader& reader,
                                             const CampaignRow& campaign, std::string_view key) {
  if (campaign.id == 0) return std::nullopt;
  const std::int64_t hash = stored_hash(key, campaign.salt);
  std::vector<std::uint64_t> candidates;
  {
    // Memory first, table second: a key that leaves memory meanwhile is in the table by then.
    const std::scoped_lock lock(mutex_);
    KeyIndex& index = indices_[campaign.id];
    TRY(read_keys(reader, campaign, index));
    index.find(static_cast<std::uint64_t>(hash), candidates);
  }
  candidates = TRY(reader.select(
      "SELECT sequence FROM key WHERE campaign = ?1 AND hash = ?2",
      [&](Statement& rows) { rows.bind(1, campaign.id).bind(2, hash); }, std::move(candidates),
      [](Statement& rows, std::vector<std::uint64_t>& found) {
        found.push_back(static_cast<std::uint64_t>(rows.number(0)));
        return Result<void>();
      }));
  // Several keys can have one hash: the record itself decides.
  for (const std::uint64_t sequence : candidates) {
    auto record = reader.record_at(campaign, sequence);
    if (!record || (*record && (*record)->key == key)) return record;
  }
  return std::nullopt;
}

KeyTable::Sweep KeyTable::next_sweep(const CampaignRow& campaign, std::uint64_t last,
                                     const NewKeys& keys) {
  const std::scoped_lock lock(mutex_);
  KeyIndex& index = indices_[campaign.id];
  index.leave_to_table(campaign.indexed);
  // Without any key up to the end, the table is complete as it is.
  const bool no_keys = index.size() == 0 && index.known() == campaign.last && keys.empty();
  if (no_keys) return {{}, last};
  const auto slice = gradual_ ? index.slice(std::max(kSlice, 4 * keys.size()), kManyKeys)
                              : index.slice(SIZE_MAX, kFewKeys);
  return {slice, index.ends_with(slice)};
}

Result<void> KeyTable::write(Connection& writer, const CampaignRow& campaign, const Sweep& sweep) {
  if (sweep.slice.empty()) return {};
  Statement& insert = *TRY(writer.prepared("INSERT OR IGNORE INTO key VALUES (?1, ?2, ?3)"));
  const Statement::Reset reset(insert);
  for (const KeyIndex::Place& place : sweep.slice) {
    insert.bind(1, campaign.id).bind(2, static_cast<std::int64_t>(place.hash));
    TRY(insert.bind(3, to_signed(place.sequence)).run());
  }
  return {};
}

void KeyTable::committed(const CampaignRow& campaign, std::uint64_t last, const NewKeys& keys,
                         const Sweep& sweep) {
  const std::scoped_lock lock(mutex_);
  KeyIndex& index = indices_[campaign.id];
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
