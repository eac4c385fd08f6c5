// SQLite in C++: connections and statements that end with their objects, and errors that name the
// file and say what to do.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "allot/base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace allot::store {

class Connection;

/// A prepared statement that can run any number of times. Bound texts and blobs must stay valid
/// until the last step.
class Statement {
 public:
  Statement() = default;

  Statement& bind(int place, std::int64_t value);
  Statement& bind(int place, std::string_view text);
  Statement& bind_blob(int place, std::string_view bytes);

  /// True if there is a row.
  Result<bool> step();
  /// Runs to the end and resets.
  Result<void> run();
  /// Clears bindings, so that the statement can run again.
  void reset();

  /// Resets a statement at the end of a block.
  class Reset {
   public:
    explicit Reset(Statement& statement) : statement_(statement) {}
    ~Reset() { statement_.reset(); }
    Reset(const Reset&) = delete;

   private:
    Statement& statement_;
  };

  std::int64_t number(int column) const;
  /// A text or blob; valid until the next step.
  std::string_view bytes(int column) const;
  std::string text(int column) const { return std::string(bytes(column)); }
  bool is_null(int column) const;

 private:
  friend class Connection;
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
  /// Moves pages from the log to the file, except those that a reader still needs in the log.
  void checkpoint();

  const std::string& path() const { return path_; }
  /// The error of the last call.
  tl::unexpected<Error> trouble() const;
  /// True if the last call failed because a unique key exists already.
  bool is_duplicate() const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  explicit Connection(std::string path) : path_(std::move(path)) {}
  friend class Statement;

  const std::string path_;
  std::function<void(int)> logged_;
  std::unique_ptr<sqlite3, Close> connection_;
  std::map<const char*, Statement> prepared_;
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

}  // namespace allot::store
