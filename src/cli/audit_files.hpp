// Options and files that the commands of audits share.
#pragma once

#include <string>

#include "allot/base/result.hpp"

namespace allot::cli {

/// Reads --confidence.
Result<double> read_audit_confidence(const std::string& text);
/// Reads --until.
Result<double> read_audit_target(const std::string& text);

/// Refuses to write draws over anything but earlier draws without a truth: an expert's work is
/// expensive.
Result<void> check_draws_file(const std::string& path);

}  // namespace allot::cli
