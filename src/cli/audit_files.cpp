#include "cli/audit_files.hpp"

#include <filesystem>

#include "allot/audit/verdict.hpp"
#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/options.hpp"
#include "io/table_reader.hpp"

namespace allot::cli {
namespace {

/// Whether the file has the columns of draws, and no truth in any row.
bool is_blank_draws(const std::string& path) {
  const auto text = io::read_text_file(path);
  if (!text) return false;
  auto rows = io::TableReader::open(*text, {io::item_column(), io::truth_column()});
  if (!rows) return false;
  auto next = rows->next();
  for (; next && *next; next = rows->next()) {
    if (!rows->field(1).empty()) return false;
  }
  return next.has_value();
}

}  // namespace

Result<double> read_audit_confidence(const std::string& text) {
  return read_number("--confidence", text, audit::kLeastConfidence, audit::kMostConfidence,
                     "a number above 0.5 and below 1, such as 0.95");
}

Result<double> read_audit_target(const std::string& text) {
  return read_number("--until", text, 1e-6, 0.999999, "an accuracy between 0 and 1, such as 0.95");
}

Result<void> check_draws_file(const std::string& path) {
  std::error_code unknown;
  const bool exists = std::filesystem::is_regular_file(path, unknown);
  if (exists && std::filesystem::file_size(path, unknown) > 0 && !is_blank_draws(path)) {
    return invalid(
        "--draws {} would overwrite verdicts or another file; expected a new file, or draws "
        "without a truth",
        in_quotes(path));
  }
  return check_writable("--draws", path);
}

}  // namespace allot::cli
