// Reads a campaign file through one connection.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/store/store.hpp"
#include "store/sqlite.hpp"

namespace allot::store {

/// A row of the table `campaign`; the default value stands for a campaign that is not in the file.
struct CampaignRow {
  std::int64_t id = 0;
  /// For hashes of keys.
  std::int64_t salt = 0;
  /// The last record, and the last record whose key is in the table `key`.
  std::uint64_t last = 0, indexed = 0;
  /// Whether records may be in the write-ahead log alone.
  bool in_log = false;
};

class LedgerReader {
 public:
  /// Holds `lock`, if any, as long as it lives: a connection serves one thread at a time.
  explicit LedgerReader(Connection& connection, std::unique_lock<std::mutex> lock = {})
      : connection_(connection), lock_(std::move(lock)) {}

  template <typename... Values>
  Query query(const char* sql, const Values&... values) const {
    return {connection_, sql, values...};
  }
  Result<CampaignRow> campaign(std::string_view name) const;
  /// As Store::read. The row must be read before: a commit in between then only makes the ledger
  /// longer than it must be.
  Result<std::vector<Record>> read(const CampaignRow& campaign, std::uint64_t after,
                                   std::size_t most) const;
  /// Calls visit(record) with the records of that kind.
  Result<void> each_of_kind(const CampaignRow& campaign, std::uint8_t kind,
                            const std::function<Result<void>(const Record&)>& visit) const;
  Result<std::optional<std::string>> content(const CampaignRow& campaign, std::uint32_t item) const;
  /// The ledger ends too early.
  tl::unexpected<Error> cut_off(std::uint64_t last, std::uint64_t expected) const;

 private:
  Connection& connection_;
  const std::unique_lock<std::mutex> lock_;
};

}  // namespace allot::store
