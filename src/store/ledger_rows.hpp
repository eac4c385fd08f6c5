// Rows of a campaign file as values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "allot/store/store.hpp"
#include "store/sqlite.hpp"

namespace allot::store {

/// SQLite has signed numbers only; larger ones become the largest.
inline std::int64_t to_signed(std::uint64_t number) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(number, kMost));
}

/// A row of the table `campaign`; the default value stands for a campaign that is not in the file.
struct CampaignRow {
  static constexpr const char* kSelect =
      "SELECT id, salt, last, indexed FROM campaign WHERE name = ?1";

  std::int64_t id = 0;
  /// For hashes of keys.
  std::int64_t salt = 0;
  /// The last record, and the last record whose key is in the table `key`.
  std::uint64_t last = 0, indexed = 0;

  static CampaignRow of(const Statement& row);
};

/// CRC-32 of a record with its sequence number, as the file stores it.
std::uint32_t checksum(const Draft& draft, std::uint64_t sequence);

/// Reads columns sequence, time, kind, key, payload, checksum. Refuses a row that does not have the
/// expected sequence number or checksum; the message names the file.
Result<Record> record_of(const Statement& row, std::uint64_t expected, const std::string& path);

/// The ledger ends too early.
tl::unexpected<Error> cut_off(const std::string& path, std::uint64_t last, std::uint64_t expected);

}  // namespace allot::store
