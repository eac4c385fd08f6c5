// The write-ahead log of a SQLite file, read before SQLite does.
//
// After a kill SQLite reads its log up to the first frame with a wrong checksum, and drops the rest
// without a word. That is right for a commit that was cut off, and wrong for a log that was damaged
// or cut later: acknowledged records would be gone. Two things tell these apart:
//
//  - The index beside the log ("-shm") counts the frames of finished commits. SQLite changes the
//    count after it has synced the commit, so no crash leaves a count that is too high.
//  - Without an index: every commit is synced before the next one begins. So a bad frame with a
//    commit behind it, and a frame behind that commit, was good once.
//
// The second sign misses damage to the last commit. Neither sees a log that was cut between two
// frames and has no index, as an interrupted copy leaves it.
#pragma once

#include <string>

#include "allot/base/result.hpp"

namespace allot::store {

/// Whether the log of the file has at least one page.
bool has_log_pages(const std::string& path);
/// Whether the log of the file begins as a log does.
bool has_log_header(const std::string& path);

/// Refuses the file if its log has lost frames of finished commits. Other processes may write
/// meanwhile. Only for files whose commits are synced. Reads the log once.
Result<void> check_log_frames(const std::string& path);

}  // namespace allot::store
