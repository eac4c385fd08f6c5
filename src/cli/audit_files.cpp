#include "cli/audit_files.hpp"

#include <filesystem>

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
