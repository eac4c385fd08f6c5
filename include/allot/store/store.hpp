// Where campaigns are kept: for each a ledger of records that only grows, in one total order.
//
//   store.begin(campaign) -> turn;  turn->append(drafts);  turn->commit().
// A turn is the right to append. One holds it at a time, among all threads and all processes that
// have the store open, so whoever reads the ledger to its end and then decides what to append
// cannot be overtaken. What was committed is on disk when `commit` returns; a turn that ends
// without it leaves nothing behind, and nobody but the thread that has it may see anything of it.
// Who does not want to hold a turn while deciding appends with the sequence number that the
// decision was made at, and is refused if others were faster.
//
// Beside the ledger: what is to be shown of items, which nobody needs in memory, and the last
// snapshot of what the records add up to. A snapshot saves time and is never the truth.
//
// Any number of threads may call a store. Ordinary refusals: ErrorCode::conflict (others were
// faster, a key was used before), not_found; what the disk does is a store_failure.
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

/// What is to be appended.
struct Draft {
  /// Microseconds since 1970 began, UTC.
  std::int64_t time = 0;
  std::uint8_t kind = 0;
  /// Names what caused the record, so that the same cause does not count twice; unique within a
  /// campaign unless it is empty.
  std::string key;
  std::string payload;

  bool operator==(const Draft&) const = default;
};

struct Record : Draft {
  /// From 1, without a gap.
  std::uint64_t sequence = 0;

  bool operator==(const Record&) const = default;
};

/// What is to be shown of an item.
struct Content {
  std::uint32_t item = 0;
  std::string fields;

  bool operator==(const Content&) const = default;
};

struct Snapshot {
  /// Of the last record in it.
  std::uint64_t sequence = 0;
  /// In parts, so that neither side needs all of a large one twice. Each is less than 1 GB.
  std::vector<std::string> parts;

  bool operator==(const Snapshot&) const = default;
};

/// The right to append to one campaign. Ends with the object.
class Turn {
 public:
  virtual ~Turn() = default;
  /// After the last record, in this order. Refuses a key that was used before.
  virtual Result<void> append(std::span<const Draft> drafts) = 0;
  /// Contents of items that have none yet.
  virtual Result<void> add(std::span<const Content> contents) = 0;
  /// All or nothing; on disk when it returns. To be called once.
  virtual Result<void> commit() = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  /// Names of the campaigns that have records, in order of their first.
  virtual Result<std::vector<std::string>> campaigns() = 0;
  /// The sequence number of the last record; 0 if there is none.
  virtual Result<std::uint64_t> last(std::string_view campaign) = 0;
  /// Up to `most` records after that sequence number, in order. Each is checked: a damaged or
  /// missing one is a store_failure that names it.
  virtual Result<std::vector<Record>> read(std::string_view campaign, std::uint64_t after,
                                           std::size_t most) = 0;
  /// The record with that key.
  virtual Result<std::optional<Record>> find(std::string_view campaign, std::string_view key) = 0;
  virtual Result<std::optional<std::string>> content(std::string_view campaign,
                                                     std::uint32_t item) = 0;

  /// The one saved last.
  virtual Result<std::optional<Snapshot>> snapshot(std::string_view campaign) = 0;
  /// Takes the place of the one before, unless that one is newer.
  virtual Result<void> save(std::string_view campaign, const Snapshot& snapshot) = 0;

  /// Waits for its turn; a campaign comes into being with its first record.
  virtual Result<std::unique_ptr<Turn>> begin(std::string_view campaign) = 0;

  /// Appends if `last` is still the last sequence number, else a conflict.
  Result<void> append(std::string_view campaign, std::uint64_t last, std::span<const Draft> drafts,
                      std::span<const Content> contents = {});
};

/// In memory, for tests and for campaigns that need not survive.
std::unique_ptr<Store> memory_store();

}  // namespace allot::store
