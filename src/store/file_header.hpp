// A look at the first bytes of a SQLite file, before SQLite opens it.
#pragma once

#include <string>

#include "allot/base/result.hpp"

namespace allot::store {

/// Refuses a file that is not a SQLite file, or is shorter than its header says. A missing or empty
/// file passes. With a write-ahead log beside it the header may be out of date, so the length is
/// not checked then.
Result<void> check_file_header(const std::string& path);

}  // namespace allot::store
