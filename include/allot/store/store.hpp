// Storage of campaigns: per campaign a ledger of records that only grows, in one total order.
//
//   store.begin(campaign) -> turn;  turn->append(drafts);  turn->commit().
// A turn is the right to append after the ledger as it was when the turn began. Its holder reads
// that ledger to its end, decides what to append, and cannot be overtaken unnoticed. Among the
// threads of a store object one holds the turn at a time. Where other processes append, a store
// either makes them wait (SQLite) or refuses the later commit with `conflict` (PostgreSQL); the
// holder then begins another turn and decides again. Committed records are on disk when `commit`
// returns. A turn that ends without a commit leaves nothing behind, and nobody sees its records
// before that. For optimistic concurrency, pass the sequence number your decision was based on to
// `Store::append`; it fails with `conflict` if the ledger has moved on.
//
// Beside the ledger the store keeps contents of items, which need not be in memory, and the last
// snapshot of the state that the records add up to. A snapshot saves time; the ledger is the truth.
//
// Any number of threads may call a store. Ordinary refusals are ErrorCode::conflict (another writer
// was faster, a key was used before) and not_found; a failing disk is a store_failure. A commit
// whose fate the store cannot find out is an outcome_unknown: read the ledger before you repeat it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::store {

/// A record to append.
struct Draft {
  std::int64_t time = 0;  ///< microseconds since 1970, UTC
  std::uint8_t kind = 0;  ///< type of the payload; its meaning is up to the caller
  /// Names the cause of the record, so that a cause does not count twice. Unique within a campaign,
  /// unless empty.
  std::string key;
  std::string payload;  ///< any bytes; the store does not read them

  bool operator==(const Draft&) const = default;
};

/// A committed record with its place in the ledger.
struct Record : Draft {
  std::uint64_t sequence = 0;  ///< counts from 1 without gaps

  bool operator==(const Record&) const = default;
};

/// The fields of an item, to be shown to workers.
struct Content {
  std::uint32_t item = 0;  ///< number of the item in its campaign
  std::string fields;      ///< any bytes; the store does not read them

  bool operator==(const Content&) const = default;
};

/// State of a campaign after some record, as bytes that the store does not read.
struct Snapshot {
  std::uint64_t sequence = 0;  ///< the last record that the snapshot includes
  /// The state in parts, so that no side needs a large snapshot twice in memory. Each is less than
  /// 1 GB.
  std::vector<std::string> parts;

  bool operator==(const Snapshot&) const = default;
};

/// Access to a store, and the treatment of a missing one.
enum class OpenMode {
  read,    // the store must exist; appending is refused
  write,   // the store must exist
  create,  // creates the store if it is missing
};

/// The right to append to one campaign; ends with the object. Read first, then append.
class Turn {
 public:
  virtual ~Turn() = default;
  /// The last record of the ledger that this turn appends to; 0 if there is none.
  virtual Result<std::uint64_t> last() = 0;
  /// As Store::read for this campaign.
  virtual Result<std::vector<Record>> read(std::uint64_t after, std::size_t most) = 0;
  /// Announces keys that `find` will be asked for. A store for which each lookup is a round trip
  /// looks for all of them in one; others do nothing.
  virtual Result<void> look_for(std::span<const std::string> /*keys*/) { return {}; }
  /// As Store::find for this campaign.
  virtual Result<std::optional<Record>> find(std::string_view key) = 0;
  /// As Store::content for this campaign.
  virtual Result<std::optional<std::string>> content(std::uint32_t item) = 0;
  /// Appends after the last record, in this order. A key that was used before is refused here or
  /// by `commit`.
  virtual Result<void> append(std::span<const Draft> drafts) = 0;
  /// Adds contents of items that have none yet. An item that has one is refused here or by
  /// `commit`.
  virtual Result<void> add(std::span<const Content> contents) = 0;
  /// Commits everything or nothing; on disk when it returns. Fails with `conflict` if another
  /// process was faster. Call it once.
  virtual Result<void> commit() = 0;
};

/// Ledgers, contents and snapshots of any number of campaigns.
class Store {
 public:
  virtual ~Store() = default;

  /// Names of campaigns that have records, in the order of their creation.
  virtual Result<std::vector<std::string>> campaigns() = 0;
  /// Sequence number of the last record; 0 if there is none.
  virtual Result<std::uint64_t> last(std::string_view campaign) = 0;
  /// Up to `most` records after that sequence number, in order. Each is checked; a damaged or
  /// missing record is a store_failure that names it.
  virtual Result<std::vector<Record>> read(std::string_view campaign, std::uint64_t after,
                                           std::size_t most) = 0;
  /// The record with that key; nothing if no record has it.
  virtual Result<std::optional<Record>> find(std::string_view campaign, std::string_view key) = 0;
  /// Fields of the item; nothing if it has no content.
  virtual Result<std::optional<std::string>> content(std::string_view campaign,
                                                     std::uint32_t item) = 0;
  /// Up to `most` contents of items from that number on, in order.
  virtual Result<std::vector<Content>> contents(std::string_view campaign, std::uint32_t from,
                                                std::size_t most) = 0;

  /// The last snapshot; nothing if none was saved.
  virtual Result<std::optional<Snapshot>> snapshot(std::string_view campaign) = 0;
  /// Replaces the last snapshot, unless that is newer.
  virtual Result<void> save(std::string_view campaign, const Snapshot& snapshot) = 0;

  /// Tells the store that the campaigns have been idle for a while, so that it can tidy up: a file
  /// is then whole without its log.
  virtual void rest() {}

  /// Deletes the campaign for good, with its contents and its snapshot: all of it or nothing. A
  /// turn that began before cannot commit, except in memory, where this waits for its end. Nothing
  /// happens if there is no such campaign.
  virtual Result<void> remove(std::string_view campaign) = 0;

  /// Waits for the turn. A campaign exists from its first record on.
  virtual Result<std::unique_ptr<Turn>> begin(std::string_view campaign) = 0;

  /// Appends if `last` is still the last sequence number; otherwise fails with `conflict`.
  Result<void> append(std::string_view campaign, std::uint64_t last, std::span<const Draft> drafts,
                      std::span<const Content> contents = {});
};

}  // namespace allot::store
