// One connection to PostgreSQL: statements with deadlines, and what became of each.
//
// Statements are unnamed and the session keeps no state between transactions, so a pooler that
// hands out another session for every transaction can stand in between. A deadline is kept on this
// side: the server's statement_timeout does not end the wait for a synchronous standby.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/store/store.hpp"
#include "store/postgres_values.hpp"

struct pg_conn;

namespace allot::store {

using Deadline = std::chrono::steady_clock::time_point;

/// Why a statement has no result.
struct PostgresFailure {
  enum class Kind {
    unreachable,  // there was no connection: nothing was sent
    lost,         // no answer, though the statement was sent: it has run, runs or never will
    refused,      // the server refused the statement, which had no effect
  };
  Kind kind;
  std::string message;          // one line
  std::string state = {};       // SQLSTATE of a refusal
  std::string constraint = {};  // that a refused row violates

  /// True if the same statement can succeed on another connection.
  bool is_passing() const;
};

template <typename T>
using PostgresResult = tl::expected<T, PostgresFailure>;

/// A database as people may see it, without password and options. Refuses a location that makes no
/// sense.
Result<std::string> shown_database(const std::string& location);

/// One of the hosts that a location names.
struct PostgresHost {
  std::string host = {}, port = {};  // as the location has it if empty
};
std::vector<PostgresHost> hosts_of(const std::string& location);

/// One thread may use a connection at a time.
class PostgresConnection {
 public:
  /// Connects to the host, or to the first of the location's hosts that fits: one that takes
  /// writes, unless the mode is `read`. The location can have any parameter of libpq.
  static PostgresResult<std::unique_ptr<PostgresConnection>> open(const std::string& location,
                                                                  OpenMode mode,
                                                                  const PostgresHost& host = {});

  /// Runs one statement to its end.
  template <typename... Values>
  PostgresResult<PostgresRows> run(Deadline deadline, const char* sql, const Values&... values) {
    const std::vector<PostgresValue> parameters{values...};
    return run_with(deadline, sql, parameters);
  }
  PostgresResult<PostgresRows> run_with(Deadline deadline, const char* sql,
                                        std::span<const PostgresValue> values);
  /// Calls visit(rows) with one row at a time, for results that should not be in memory twice.
  PostgresResult<PostgresRows> stream(Deadline deadline, const char* sql,
                                      std::span<const PostgresValue> values,
                                      const std::function<void(const PostgresRows&)>& visit);
  /// Runs statements without parameters, separated by semicolons.
  PostgresResult<PostgresRows> script(Deadline deadline, const char* sql);

  /// True if the last statement ended with a warning. The one that matters: "canceling wait for
  /// synchronous replication". The transaction is then committed here, and may be lost with this
  /// server. Texts of warnings depend on the server's language, so any warning counts.
  bool has_warned() const { return warned_; }
  /// False once the connection must not be used for another statement.
  bool is_usable() const;
  /// Ends the connection instead of using it again.
  void give_up() { given_up_ = true; }

 private:
  using Visit = std::function<void(const PostgresRows&)>;
  struct Finish {
    void operator()(pg_conn* connection) const;
  };
  explicit PostgresConnection(pg_conn* connection);

  PostgresResult<PostgresRows> finish(Deadline deadline, bool sent, const Visit& visit);
  bool flush(Deadline deadline);
  bool receive(Deadline deadline);
  PostgresFailure lost();
  PostgresFailure failure_of(const pg_result* result);

  std::unique_ptr<pg_conn, Finish> connection_;
  bool warned_ = false, given_up_ = false, late_ = false;
};

}  // namespace allot::store
