// SQLite as C++: connections and statements that end with their objects, trouble as an Error that
// names the file and says what to do.
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

/// A prepared statement, to be run any number of times. Texts and blobs that are bound must stay
/// until the last step.
class Statement {
 public:
  Statement() = default;

  Statement& bind(int place, std::int64_t value);
  Statement& bind(int place, std::string_view text);
  Statement& bind_blob(int place, std::string_view bytes);

  /// True if there is a row.
  Result<bool> step();
  /// Runs to the end and makes ready for the next time.
  Result<void> run();
  /// Ready for the next time.
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
  /// A text or blob, until the next step.
  std::string_view bytes(int column) const;
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

/// To be used by one thread at a time.
class Connection {
 public:
  /// `flags` as for sqlite3_open_v2.
  static Result<std::unique_ptr<Connection>> open(const std::string& path, int flags,
                                                  int patience_ms);

  Result<void> execute(const std::string& sql);
  Result<Statement> prepare(std::string_view sql);
  /// Prepared once; the text must be one that stays. To be reset after use.
  Result<Statement*> prepared(const char* sql);
  /// The first number of the first row; 0 without one.
  Result<std::int64_t> number(std::string_view sql);

  /// function(text, number), for statements to use under that name.
  using Function = std::int64_t (*)(std::string_view text, std::int64_t number);
  void define(const char* name, Function function);

  /// logged(pages) after each commit, with how many the log has. Nothing else looks after it.
  void on_commit(std::function<void(int)> logged);
  /// Moves what is in the log to its place in the file, as far as nobody needs it where it is.
  void tidy();

  const std::string& path() const { return path_; }
  /// What the last call ran into.
  tl::unexpected<Error> trouble() const;
  /// Whether that was a key that is there already.
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

/// One transaction; taken back unless it is committed.
class Transaction {
 public:
  /// Waits until no one else writes.
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
