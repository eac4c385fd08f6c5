// Reading and writing whole files.
//
// A file is read into memory at once, and decompressed if it is gzip. It is written to a temporary
// file in the same folder and then moved into place. So a reader sees the old text or the new one,
// and a full disk leaves no partial file. The path "-" is standard input or output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::io {

/// Largest text to read. Larger ones are refused: a few kilobytes of gzip can expand without limit.
inline constexpr std::uint64_t kLargestFile = std::uint64_t{4} << 30;

/// The text of a file; for gzip, the texts of all members joined. Refuses a file that is missing,
/// unreadable, damaged, truncated or larger than `most` bytes; the message names it.
Result<std::string> read_text_file(const std::string& path, std::uint64_t most = kLargestFile);

/// Checks that a text could be written there now, so that a long computation does not fail at its
/// end. Leaves nothing behind. Refuses an SQLite database, because campaigns are kept in such
/// files.
Result<void> check_writable(const std::string& path);

/// Writes the text. A failure is ErrorCode::write_failure with path and reason; the old file then
/// stays as it was. A replaced file keeps its permissions. Links are followed; devices and pipes
/// are written in place.
Result<void> write_text_file(const std::string& path, std::string_view text);

}  // namespace allot::io
