#include "allot/store/location.hpp"

#include "allot/store/postgres_store.hpp"
#include "allot/store/sqlite_store.hpp"
#include "store/postgres_connection.hpp"

namespace allot::store {

bool is_database(std::string_view location) {
  return location.starts_with("postgresql://") || location.starts_with("postgres://");
}

std::string shown_location(const std::string& location) {
  if (!is_database(location)) return location;
  return shown_database(location).value_or("the database");
}

Result<std::unique_ptr<Store>> open_store(const std::string& location, OpenMode mode) {
  if (is_database(location)) return open_postgres(location, {.mode = mode});
  return open_sqlite(location, {.mode = mode});
}

}  // namespace allot::store
