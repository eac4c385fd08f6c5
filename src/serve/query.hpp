// A statement on server.db that is bound value by value, run and reset:
//
//   Query(file, "UPDATE token SET revoked = ?2 WHERE id = ?1").with(id).with(now).run()
//
// The text must be a literal or static: it identifies the prepared statement. Bound texts must live
// until the query ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "allot/campaign/event.hpp"
#include "store/sqlite.hpp"

namespace allot::serve {

/// Times are stored as microseconds since 1970.
inline std::int64_t stored(campaign::Time time) { return time.time_since_epoch().count(); }
inline campaign::Time time_of(std::int64_t number) {
  return campaign::Time(std::chrono::microseconds(number));
}

class Query {
 public:
  Query(store::Connection& file, const char* sql) : statement_(file.prepared(sql)) {}
  ~Query() {
    if (statement_) (*statement_)->reset();
  }
  Query(const Query&) = delete;

  Query& with(std::int64_t value);
  Query& with(std::string_view text);
  Query& with_blob(std::string_view bytes);
  Query& with(campaign::Time time) { return with(stored(time)); }
  /// NULL for no time.
  Query& with(const std::optional<campaign::Time>& time);

  Result<void> run();
  /// Calls visit(row) for every row.
  Result<void> each(const std::function<void(const store::Statement&)>& visit);
  /// The number in the only row.
  Result<std::int64_t> count();

 private:
  Result<store::Statement*> statement_;
  int place_ = 0;
};

}  // namespace allot::serve
