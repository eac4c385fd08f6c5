// SQLite in C++: connections, statements and migrations; errors name the file and say what to do.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/try.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace allot::store {

/// Stored as microseconds since 1970.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

class Connection;

/// A prepared statement that can run any number of times; a Query gives it values.
class Statement {
 public:
  Statement() = default;

  /// True if there is a row.
  Result<bool> step();
  /// Runs to the end and resets.
  Result<void> run();
  /// Clears bindings, so that the statement can run again.
  void reset();

  std::int64_t number(int column) const;
  /// A text or blob; valid until the next step.
  std::string_view bytes(int column) const;
  std::string text(int column) const { return std::string(bytes(column)); }
  Time time(int column) const { return Time(std::chrono::microseconds(number(column))); }
  /// Nothing for NULL.
  std::optional<Time> time_if_any(int column) const;

 private:
  friend class Connection;
  friend class Query;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(const Connection& connection, sqlite3_stmt* statement)
      : connection_(&connection), statement_(statement) {}

  const Connection* connection_ = nullptr;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// One thread may use a connection at a time.
class Connection {
 public:
  /// `flags` are those of sqlite3_open_v2. Waits up to the timeout for other writers.
  static Result<std::unique_ptr<Connection>> open(const std::string& path, int flags,
                                                  int timeout_ms);
  /// Opens a file for reading, also where no log can be created beside it, such as on a read-only
  /// file system. Such a file must not have a log, and must not change meanwhile.
  static Result<std::unique_ptr<Connection>> open_for_reading(const std::string& path,
                                                              int timeout_ms);
  /// Opens a file for reading as it is without its log. Takes no lock, so a page that another
  /// process writes meanwhile may be torn.
  static Result<std::unique_ptr<Connection>> open_without_log(const std::string& path);

  Result<void> execute(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);
  /// Prepares the statement once and keeps it by the address of its text, which must be a literal
  /// or static. The caller resets it after use.
  Result<Statement*> prepared(const char* sql);
  /// The first number of the first row; 0 if there is no row.
  Result<std::int64_t> number(std::string_view sql);

  /// Makes function(text, number) callable from SQL under that name.
  using Function = std::int64_t (*)(std::string_view text, std::int64_t number);
  void define(const char* name, Function function);

  /// Calls logged(pages) after each commit with the number of pages in the write-ahead log. Turns
  /// off SQLite's own checkpoints.
  void on_commit(std::function<void(int)> logged);
  /// Moves pages from the log to the file, except those that a reader still needs in the log. True
  /// if the file now has all pages.
  bool checkpoint();
  /// Keeps the log when the last connection closes.
  void keep_log();
  /// Copies all pages to an empty file, as they are for this connection at this moment. Others can
  /// write meanwhile.
  Result<void> copy_to(Connection& empty);

  const std::string& path() const { return path_; }
  /// The error of the last call.
  tl::unexpected<Error> trouble() const;
  /// True if the last call failed because a unique key exists already.
  bool is_duplicate() const;
  /// True if the last call failed because pages are damaged or do not fit together.
  bool is_damaged() const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  explicit Connection(std::string path) : path_(std::move(path)) {}
  /// `name` is what SQLite calls the file.
  static Result<std::unique_ptr<Connection>> open_as(const std::string& path,
                                                     const std::string& name, int flags,
                                                     int timeout_ms);
  friend class Statement;

  const std::string path_;
  std::function<void(int)> logged_;
  std::unique_ptr<sqlite3, Close> connection_;
  std::map<const char*, Statement> prepared_;
};

/// Bytes that are bound as a blob.
struct Blob {
  std::string_view bytes;
};

/// A statement that is bound, run and reset:
///   Query(file, "UPDATE token SET revoked = ?2 WHERE id = ?1", id, now).run()
/// The text must be a literal or static, as in Connection::prepared. Bound texts must live until
/// the query ends.
class Query {
 public:
  /// Values are numbers, texts, blobs and times; an empty optional is NULL.
  template <typename... Values>
  Query(Connection& file, const char* sql, const Values&... values)
      : statement_(file.prepared(sql)) {
    int place = 0;
    if (statement_) (bind(++place, values), ...);
  }
  ~Query() {
    if (statement_) (*statement_)->reset();
  }
  Query(const Query&) = delete;

  /// Binds one more value, for callers whose values have types known only at run time.
  template <typename Value>
  void bind_value(int place, const Value& value) {
    if (statement_) bind(place, value);
  }

  Result<void> run();
  /// Calls visit(row) for every row, until it refuses if it returns a Result.
  template <typename Visit>
  Result<void> each(Visit visit) {
    if (!statement_) return tl::unexpected(statement_.error());
    Statement& row = **statement_;
    while (TRY(row.step())) {
      if constexpr (std::is_void_v<std::invoke_result_t<Visit, const Statement&>>) {
        visit(row);
      } else {
        TRY(visit(row));
      }
    }
    return {};
  }
  /// The number in the only row; 0 if there is no row.
  Result<std::int64_t> count();

  /// of(row) for every row.
  template <typename Row>
  Result<std::vector<Row>> all(Row (*of)(const Statement&)) {
    std::vector<Row> rows;
    return each([&](const Statement& row) { rows.push_back(of(row)); }).map([&] {
      return std::move(rows);
    });
  }

 private:
  /// SQLite has signed numbers only; larger ones become the largest.
  template <typename Number>
  requires std::integral<Number> || std::is_enum_v<Number>
  void bind(int place, Number number) {
    if constexpr (std::same_as<Number, std::uint64_t>) {
      number = std::min(number, std::uint64_t{INT64_MAX});
    }
    bind_number(place, static_cast<std::int64_t>(number));
  }
  void bind(int place, Time time) { bind_number(place, time.time_since_epoch().count()); }
  template <typename T>
  void bind(int place, const std::optional<T>& value) {
    if (value) bind(place, *value);  // a parameter that is not bound is NULL
  }
  void bind(int place, std::string_view text);
  void bind(int place, Blob blob);
  void bind_number(int place, std::int64_t number);

  Result<Statement*> statement_;
};

/// One transaction; rolled back unless it is committed.
class Transaction {
 public:
  /// Waits until no other connection writes.
  static Result<Transaction> begin(Connection& connection);
  Transaction(Transaction&& other) noexcept
      : connection_(std::exchange(other.connection_, nullptr)) {}
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(Connection& connection) : connection_(&connection) {}

  Connection* connection_;
};

/// The schema of a file as a list of migrations.
///
/// A file names the program it belongs to (PRAGMA application_id) and its format (PRAGMA
/// user_version): the number of migrations it has been through. Migrations are never edited, only
/// added at the end, so files of every earlier version can be brought up to date.
struct Schema {
  std::int64_t application;
  /// migrations[n] is SQL that turns format n into format n + 1.
  std::span<const char* const> migrations;

  std::int64_t format() const { return static_cast<std::int64_t>(migrations.size()); }
};

/// Runs the migrations the file lacks, in one transaction. The caller has checked that the file
/// belongs to the application and has no newer format.
Result<void> migrate(Connection& file, const Schema& schema);

}  // namespace allot::store
