// Files that a command writes: whole, or not at all.
#pragma once

#include <string>

#include "allot/base/result.hpp"

namespace allot::cli {

/// Whether a file could be made there now, so that nobody waits an hour for a refusal.
Result<void> check_writable(const std::string& path);

/// Writes a file beside `path` and puts it in its place when it is complete; what stood there
/// before stays until then. A device or pipe is written to directly.
Result<void> write_file(const std::string& path, const std::string& text);

}  // namespace allot::cli
