// Whether the write-ahead log beside a campaign file is the log of that file.
//
// SQLite joins any log to any file. The log of an older copy, left beside a file that was restored,
// would take back what the file has, and the next checkpoint would destroy the file. So the rows of
// the campaigns are read twice, from the file alone and with the log:
//
//  - A ledger never becomes shorter, so a log that ends before its file is another one's. So is one
//    without any campaign of the file.
//  - A file has a mark while records may be in the log alone (ledger_file.cpp). Only the first
//    commit after a rest can precede the mark. If the log adds to a file without one, all pages and
//    the numbers of all records are checked.
//
// Does not see a log of the same campaign that ends later and fits the pages of the file.
#pragma once

#include <string>

#include "allot/base/result.hpp"

namespace allot::store {

/// Refuses a file whose log is not its own, or has no header although records are in it alone.
/// Must be called before another connection of this process opens the file: the last one that
/// closes moves the log into the file. Costs two small reads; in the second case one of the file.
Result<void> check_log_origin(const std::string& path, int timeout_ms);

}  // namespace allot::store
