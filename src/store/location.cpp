#include "allot/store/location.hpp"

#include "allot/base/text.hpp"
#include "allot/store/postgres_store.hpp"
#include "allot/store/sqlite_store.hpp"
#include "base/errors.hpp"
#include "store/postgres_connection.hpp"

namespace allot::store {

bool is_database(std::string_view location) {
  return location.starts_with("postgresql://") || location.starts_with("postgres://");
}

Result<void> check_location(const std::string& location) {
  constexpr std::string_view kExpected =
      "expected the path of a file, or a database such as postgresql://user@host/name";
  if (location.empty()) return invalid("FILE '' is empty; {}", kExpected);
  const bool is_url = location.starts_with("postgresql:") || location.starts_with("postgres:") ||
                      location.find("://") != std::string::npos;
  if (!is_url || is_database(location)) return {};
  // The rest may hold a password.
  return invalid("FILE '{}...' is the beginning of no database; {}",
                 for_display(location.substr(0, location.find(':') + 1), 40), kExpected);
}

std::string shown_location(const std::string& location) {
  if (!is_database(location)) return location;
  return shown_database(location).value_or("the database");
}

Result<std::unique_ptr<Store>> open_store(const std::string& location, OpenMode mode) {
  TRY(check_location(location));
  if (is_database(location)) return open_postgres(location, {.mode = mode});
  return open_sqlite(location, {.mode = mode});
}

}  // namespace allot::store
