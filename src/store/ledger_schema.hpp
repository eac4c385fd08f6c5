// Tables of a campaign file, and the check that a file is one.
#pragma once

#include "store/schema.hpp"

namespace allot::store {

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

/// True for a campaign file of an older format.
bool is_older_ledger(Connection& file);

}  // namespace allot::store
