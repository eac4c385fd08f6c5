// Finds records by their key: an index from hashes of keys to records, in the file and in memory.
//
// Keys come in any order, so an index that every commit updates would write another page for almost
// every key. Instead, the table in the file has hashes up to some record only. Hashes of later
// records are here; a process that opens the file reads them from the ledger. Once they are many, a
// sweep moves them into the table in its order, one slice per commit, so that neighbours share a
// page. With the last slice the file notes up to which record the table is complete. A process that
// stays has a filter of the keys in the table, so new keys are not looked for there.
//
// Cost: 40 bytes per key until it is in the table, and as many again during a sweep; 2 to 4 bytes
// per key in the table with a filter, which the first lookup makes in 0.1 us per key. A lookup is
// one access to a hash table, one binary search and one to the filter.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/key_filter.hpp"
#include "store/ledger_reader.hpp"

namespace allot::store {

/// Keys that collide cannot be found without the salt.
std::uint64_t hash_of(std::string_view key, std::uint64_t salt);

/// The part that is in memory. Used by one thread at a time.
class KeyIndex {
 public:
  struct Place {
    std::uint64_t hash = 0, sequence = 0;

    auto operator<=>(const Place&) const = default;
  };

  /// The last record whose key is here or in the table.
  std::uint64_t known() const { return known_; }
  /// Adds the key of a record after `known`; records come in order.
  void add(const Place& place);
  /// Notes that records up to this one which were not added have no key.
  void know(std::uint64_t last);
  /// Notes that all keys up to this record are in the table, and forgets them.
  void leave_to_table(std::uint64_t indexed);

  /// Adds records here that may have the key; the table may have more.
  void find(std::uint64_t hash, std::vector<std::uint64_t>& found) const;
  /// Whether the table must be asked too.
  bool table_may_have(std::uint64_t hash) const { return !filter_ || filter_->may_have(hash); }

  bool has_filter() const { return filter_.has_value(); }
  /// A filter of all keys in the table. It follows `leave_to_table`, and goes when others put keys
  /// into the table that were never here.
  void set_filter(KeyFilter filter) { filter_ = std::move(filter); }

  /// The next keys for the table, at most `size`. Empty unless a sweep is under way, `many` keys
  /// wait, or the waiting keys are spread over many records. Valid until `written` or
  /// `leave_to_table`.
  std::span<const Place> slice(std::size_t size, std::size_t many);
  /// The last record that the table covers once it has this slice; nothing if the sweep goes on.
  std::optional<std::uint64_t> ends_with(std::span<const Place> slice) const;
  /// Notes that the slice is on disk.
  void written(std::span<const Place> slice);

  std::size_t size() const { return recent_.size() + sweep_.size() - swept_; }

 private:
  std::unordered_multimap<std::uint64_t, std::uint64_t> recent_;
  std::vector<Place> sweep_;  // sorted; the keys of the sweep under way
  std::size_t swept_ = 0;     // how many of them are in the table
  std::uint64_t sweep_end_ = 0, known_ = 0, indexed_ = 0;
  std::optional<KeyFilter> filter_;
};

/// The table `key` of the file plus a KeyIndex per campaign.
///
/// A commit first asks for a sweep (keys that wait in memory and now go into the table), writes it
/// in its transaction, and reports after the commit what is on disk:
///   sweep = next_sweep(...);  write(...);  COMMIT;  committed(..., sweep)
/// The turn keeps others from committing in between, so the slice of a sweep stays valid. Any
/// number of threads may call `find`.
class KeyTable {
 public:
  /// `gradual` suits a process that stays: it sweeps many keys, a slice per commit, so that
  /// neighbours in the table share a page. Another process must read all waiting keys when it first
  /// looks for one, so it sweeps early and all at once.
  explicit KeyTable(bool gradual) : gradual_(gradual) {}

  /// The record on disk that has the key.
  Result<std::optional<Record>> find(const LedgerReader& reader, const CampaignRow& campaign,
                                     std::string_view key);

  struct Sweep {
    /// Keys to write with this commit.
    std::span<const KeyIndex::Place> slice;
    /// The last record whose key is then in the table; nothing if the sweep goes on.
    std::optional<std::uint64_t> end;
  };
  using NewKeys = std::unordered_map<std::string, std::uint64_t>;
  /// `campaign` as it is on disk, `last` as it will be after the commit.
  Sweep next_sweep(const CampaignRow& campaign, std::uint64_t last, const NewKeys& keys);
  static Result<void> write(Connection& writer, const CampaignRow& campaign, const Sweep& sweep);
  void committed(const CampaignRow& campaign, std::uint64_t last, const NewKeys& keys,
                 const Sweep& sweep);

 private:
  /// The salt tells a campaign from one that was deleted and had the same number.
  KeyIndex& index_of(const CampaignRow& campaign) { return indices_[{campaign.id, campaign.salt}]; }

  const bool gradual_;
  std::mutex mutex_;
  std::map<std::pair<std::int64_t, std::int64_t>, KeyIndex> indices_;  // by number and salt
};

}  // namespace allot::store
