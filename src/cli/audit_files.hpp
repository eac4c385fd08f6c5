// Files that audits write.
#pragma once

#include <string>

#include "allot/base/result.hpp"

namespace allot::cli {

/// Refuses to write draws over anything but earlier draws without a truth: an expert's work is
/// expensive.
Result<void> check_draws_file(const std::string& path);

}  // namespace allot::cli
