// The file server.db, whose tables vault, webhook store and accuracy store share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "allot/campaign/event.hpp"
#include "store/sqlite.hpp"

namespace allot::serve {

/// Brings the file up to date. Refuses a file that is not a server's or has a newer format.
Result<void> prepare_server_file(store::Connection& file);

/// Times are stored as microseconds since 1970.
inline campaign::Time time_of(const store::Statement& row, int column) {
  return campaign::Time(std::chrono::microseconds(row.number(column)));
}
/// Nothing for NULL.
inline std::optional<campaign::Time> time_if(const store::Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(time_of(row, column));
}

/// Bytes that are bound as a blob.
struct Blob {
  std::string_view bytes;
};

/// A statement that is bound, run and reset:
///
///   Query(file, "UPDATE token SET revoked = ?2 WHERE id = ?1", id, now).run()
///
/// The text must be a literal or static: it identifies the prepared statement. Bound texts must
/// live until the query ends.
class Query {
 public:
  /// Values are numbers, texts, blobs and times; no time is NULL.
  template <typename... Values>
  Query(store::Connection& file, const char* sql, const Values&... values)
      : statement_(file.prepared(sql)) {
    int place = 0;
    if (statement_) (bind(++place, values), ...);
  }
  ~Query() {
    if (statement_) (*statement_)->reset();
  }
  Query(const Query&) = delete;

  Result<void> run();
  /// Calls visit(row) for every row.
  Result<void> each(const std::function<void(const store::Statement&)>& visit);
  /// The number in the only row.
  Result<std::int64_t> count();
  /// of(row) for every row.
  template <typename Row>
  Result<std::vector<Row>> all(Row (*of)(const store::Statement&)) {
    std::vector<Row> rows;
    return each([&](const store::Statement& row) { rows.push_back(of(row)); }).map([&] {
      return std::move(rows);
    });
  }

 private:
  template <typename Value>
  void bind(int place, const Value& value) {
    store::Statement& statement = **statement_;
    if constexpr (std::is_same_v<Value, Blob>) {
      statement.bind_blob(place, value.bytes);
    } else if constexpr (std::is_same_v<Value, campaign::Time>) {
      statement.bind(place, value.time_since_epoch().count());
    } else if constexpr (std::is_same_v<Value, std::optional<campaign::Time>>) {
      if (value) bind(place, *value);  // a parameter that is not bound is NULL
    } else if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
      statement.bind(place, static_cast<std::int64_t>(value));
    } else {
      statement.bind(place, std::string_view(value));
    }
  }

  Result<store::Statement*> statement_;
};

}  // namespace allot::serve
