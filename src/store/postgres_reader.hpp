// Reads campaigns from a database; each call is one statement, so it sees one moment.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/postgres_pool.hpp"

namespace allot::store {

/// A row of the table `campaign`; the default value stands for a campaign that is not there.
struct PostgresHead {
  std::int64_t id = 0;
  /// The last record.
  std::uint64_t last = 0;
  /// Grows whenever somebody takes the right to append from others; their appends then fail.
  std::int64_t epoch = 0;
};

class PostgresReader {
 public:
  explicit PostgresReader(PostgresPool& pool) : pool_(pool) {}

  Result<std::vector<std::string>> campaigns() const;
  Result<PostgresHead> head(std::string_view campaign) const;

  struct Ledger {
    PostgresHead head;
    std::vector<Record> records;
    std::vector<Record> found = {};  // by their keys
  };
  /// Records after that one, up to `end`; a record that is missing or damaged is refused. With
  /// keys, also the records that have them, as of the same moment.
  Result<Ledger> read(std::string_view campaign, std::uint64_t after, std::size_t most,
                      std::uint64_t end = UINT64_MAX, std::span<const std::string> keys = {}) const;
  /// The record with that key, among those up to `end`.
  Result<std::optional<Record>> find(std::string_view campaign, std::string_view key,
                                     std::uint64_t end = UINT64_MAX) const;
  Result<std::vector<Content>> contents(std::string_view campaign, std::uint32_t from,
                                        std::uint32_t to, std::size_t most) const;
  /// The content of the item, and those from `from` to `to` that have at most `bytes` each.
  Result<std::vector<Content>> contents_near(std::string_view campaign, std::uint32_t item,
                                             std::uint32_t from, std::uint32_t to,
                                             std::uint64_t bytes) const;
  Result<std::optional<Snapshot>> snapshot(std::string_view campaign) const;

 private:
  template <typename... Values>
  Result<PostgresRows> query(const char* sql, const Values&... values) const;
  Result<PostgresRows> records_after(std::string_view campaign, std::uint64_t after,
                                     std::size_t most, std::uint64_t end) const;
  Result<PostgresRows> records_after_and_with_keys(std::string_view campaign, std::uint64_t after,
                                                   std::size_t most, std::uint64_t end,
                                                   std::span<const std::string> keys) const;
  Result<Record> record_in(const PostgresRows& rows, int row, std::string_view campaign) const;
  /// Refuses a ledger that ends before a record that was acknowledged before it was read.
  Result<void> check_end(std::string_view campaign, std::uint64_t acknowledged,
                         const PostgresHead& head) const;
  template <typename... Args>
  tl::unexpected<Error> damaged(std::string_view campaign, fmt::format_string<Args...> what,
                                Args&&... args) const;

  PostgresPool& pool_;
};

}  // namespace allot::store
