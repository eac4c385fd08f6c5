// Reads a campaign file through one connection, with statements that are prepared once.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/try.hpp"
#include "store/ledger_rows.hpp"
#include "store/sqlite.hpp"

namespace allot::store {

class LedgerReader {
 public:
  /// Holds `lock`, if any, as long as it lives: a connection serves one thread at a time.
  explicit LedgerReader(Connection& connection, std::unique_lock<std::mutex> lock = {})
      : connection_(connection), lock_(std::move(lock)) {}

  Result<CampaignRow> campaign(std::string_view name) const {
    return select(
        CampaignRow::kSelect, [&](Statement& rows) { rows.bind(1, name); }, CampaignRow(),
        [](Statement& rows, CampaignRow& found) {
          found = CampaignRow::of(rows);
          return Result<void>();
        });
  }

  Result<std::optional<Record>> record_at(const CampaignRow& campaign,
                                          std::uint64_t sequence) const {
    return select(
        "SELECT sequence, time, kind, key, payload, checksum FROM record"
        " WHERE campaign = ?1 AND sequence = ?2",
        [&](Statement& rows) { rows.bind(1, campaign.id).bind(2, to_signed(sequence)); },
        std::optional<Record>(),
        [&](Statement& rows, std::optional<Record>& found) {
          return record_of(rows, sequence, connection_.path()).map([&](Record record) {
            found = std::move(record);
          });
        });
  }

  /// Calls visit(rows, result) for every row and returns the result. The text of the statement must
  /// be a literal: it identifies the prepared statement.
  template <typename Bind, typename T, typename Visit>
  Result<T> select(const char* sql, Bind bind, T result, Visit visit) const {
    Statement& rows = *TRY(connection_.prepared(sql));
    const Statement::Reset reset(rows);
    bind(rows);
    while (TRY(rows.step())) {
      TRY(visit(rows, result));
    }
    return result;
  }

 private:
  Connection& connection_;
  const std::unique_lock<std::mutex> lock_;
};

}  // namespace allot::store
