// Stores by their location: the path of an SQLite file, or a PostgreSQL database.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "allot/store/store.hpp"

namespace allot::store {

/// True for a database, postgresql://... or postgres://...; any other text is the path of a file.
bool is_database(std::string_view location);

/// Refuses an empty text, and one that looks like a URL but is not that of a database.
Result<void> check_location(const std::string& location);

/// The location as people may see it: that of a database without its password and options.
std::string shown_location(const std::string& location);

/// Opens the store at that location.
Result<std::unique_ptr<Store>> open_store(const std::string& location, OpenMode mode);

}  // namespace allot::store
