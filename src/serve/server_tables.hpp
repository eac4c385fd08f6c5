// Tables of a server: tokens, the list of campaigns, webhooks, accuracy histories and model runs.
//
// They are in the file server.db (serve/server_file.hpp) or in a PostgreSQL database
// (serve/server_database.hpp). Statements are the same for both: parameters are ?1, ?2 and so on,
// and tables are written as server.token. Texts of statements must be literals or static.
//
//   tables.query("UPDATE server.token SET revoked = ?2 WHERE id = ?1", id, now).run()
// A statement outside a transaction is one by itself. Changes are on disk when a call returns.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/try.hpp"

namespace allot::serve {

/// Stored as microseconds since 1970.
using StoredTime = std::chrono::sys_time<std::chrono::microseconds>;

/// Bytes that are stored as such, not as text.
struct Bytes {
  std::string_view bytes;
};

/// A value of a statement; std::monostate is NULL. Texts must live until the statement has run.
using TableValue = std::variant<std::monostate, std::int64_t, std::string_view, Bytes>;

/// One row of a result; valid during the call that gets it.
class TableRow {
 public:
  virtual ~TableRow() = default;
  virtual std::int64_t number(int column) const = 0;
  /// A text, or bytes.
  virtual std::string_view bytes(int column) const = 0;
  virtual bool is_null(int column) const = 0;

  std::string text(int column) const { return std::string(bytes(column)); }
  StoredTime time(int column) const {
    return StoredTime(std::chrono::microseconds(number(column)));
  }
  /// Nothing for NULL.
  std::optional<StoredTime> time_if_any(int column) const {
    return is_null(column) ? std::nullopt : std::optional(time(column));
  }
};

/// Runs statements.
class TableSession {
 public:
  virtual ~TableSession() = default;

  /// A statement with its values, to be run once.
  class Query {
   public:
    Query(TableSession& session, const char* sql, std::vector<TableValue> values)
        : session_(session), sql_(sql), values_(std::move(values)) {}

    Result<void> run() { return session_.execute(sql_, values_, nullptr); }
    Result<void> each(const std::function<void(const TableRow&)>& visit) {
      return session_.execute(sql_, values_, visit);
    }
    /// The number in the only row; 0 if there is no row.
    Result<std::int64_t> count() {
      std::int64_t count = 0;
      return each([&](const TableRow& row) { count = row.number(0); }).map([&] { return count; });
    }
    /// of(row) for every row.
    template <typename Of>
    auto all(Of of) -> Result<std::vector<decltype(of(std::declval<const TableRow&>()))>> {
      std::vector<decltype(of(std::declval<const TableRow&>()))> rows;
      return each([&](const TableRow& row) { rows.push_back(of(row)); }).map([&] {
        return std::move(rows);
      });
    }

   private:
    TableSession& session_;
    const char* const sql_;
    const std::vector<TableValue> values_;
  };

  /// Values are numbers, texts, bytes and times; an empty optional is NULL.
  template <typename... Values>
  Query query(const char* sql, const Values&... values) {
    return {*this, sql, {value_of(values)...}};
  }

 protected:
  using Visit = std::function<void(const TableRow&)>;
  /// Runs the statement to its end; `visit` may be empty.
  virtual Result<void> execute(const char* sql, std::span<const TableValue> values,
                               const Visit& visit) = 0;

 private:
  template <typename Number>
  requires std::integral<Number> || std::is_enum_v<Number>
  static TableValue value_of(Number number) {
    // Databases have signed numbers only; larger ones become the largest.
    if constexpr (std::same_as<Number, std::uint64_t>) {
      number = std::min(number, std::uint64_t{INT64_MAX});
    }
    return static_cast<std::int64_t>(number);
  }
  static TableValue value_of(StoredTime time) {
    return std::int64_t{time.time_since_epoch().count()};
  }
  static TableValue value_of(std::string_view text) { return text; }
  static TableValue value_of(Bytes bytes) { return bytes; }
  template <typename T>
  static TableValue value_of(const std::optional<T>& value) {
    return value ? value_of(*value) : TableValue();
  }
};

/// Any number of threads may call.
class ServerTables : public TableSession {
 public:
  /// Runs work(session) as one transaction, which is rolled back if it refuses. `work` may be
  /// called more than once if the connection to a database breaks before the commit.
  virtual Result<void> transact(const std::function<Result<void>(TableSession&)>& work) = 0;
};

/// The statement with each word `server.` replaced by the prefix of its tables, and each `?` by the
/// sign of a parameter.
std::string statement_for(std::string_view sql, std::string_view prefix, char parameter);

}  // namespace allot::serve
