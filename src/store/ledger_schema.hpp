// Tables of a campaign file, and the check that a file is one.
#pragma once

#include "store/sqlite.hpp"

namespace allot::store {

/// Looks at the first bytes of a file before SQLite opens it. Refuses a file that is not a SQLite
/// file, or is shorter than its header says. A missing or empty file passes. With a write-ahead log
/// beside it the header may be out of date, so the length is not checked then.
Result<void> check_file_header(const std::string& path);

const Schema& ledger_schema();

/// Hash of a key as the table `key` stores it; SQL knows it as allot_hash(key, salt).
std::int64_t stored_hash(std::string_view key, std::int64_t salt);

/// Formats that a caller accepts besides the current one.
struct AcceptedFormats {
  bool empty_file = false;
  bool older = false;
};
/// Refuses files that are not campaign files, and files of a newer format.
Result<void> check_ledger(Connection& file, AcceptedFormats accepted);

/// Refuses a file of the current format that was copied without its write-ahead log, or lost it.
Result<void> check_log(Connection& file);

/// True for a campaign file of an older format.
bool is_older_ledger(Connection& file);

}  // namespace allot::store
