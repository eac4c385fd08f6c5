// Whole files in and out.
//
// A file is read into memory at once, decompressed if it starts as gzip does. It is written beside
// its place and then moved there, so that a reader sees the old text or the new one and a full disk
// leaves no half of a file behind. The path "-" is standard input or output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::io {

/// More than this is refused: a few kilobytes of gzip can hold any number of zeros.
inline constexpr std::uint64_t kLargestFile = std::uint64_t{4} << 30;

/// The text of a file; of all members one after the other if it is gzip. A file that is missing,
/// unreadable, damaged, cut short or larger than `most` bytes is a refusal that names it.
Result<std::string> read_text_file(const std::string& path, std::uint64_t most = kLargestFile);

/// Whether a text could be written there now, so that nobody waits an hour for a refusal. Leaves
/// nothing behind. Refuses an SQLite database: campaigns are kept in such files.
Result<void> check_writable(const std::string& path);

/// What cannot be written is a refusal (ErrorCode::write_failure) that names path and reason; the
/// file is then what it was before. A replaced file keeps its permissions. A link is followed; a
/// device or a pipe is written to as it is.
Result<void> write_text_file(const std::string& path, std::string_view text);

}  // namespace allot::io
