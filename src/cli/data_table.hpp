// Rows under named columns, printed for the eye or as CSV, JSON or JSON lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/campaign_flags.hpp"
#include "cli/command.hpp"
#include "io/row_text.hpp"

namespace allot::cli {

enum class RowFormat { table, csv, json, jsonl };

using io::Column;
using io::Kind;

/// An empty value is a missing one: null in JSON, a dash in tables.
class DataTable {
 public:
  explicit DataTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// Adds a row with as many values as columns.
  void add(std::vector<std::string> values) { rows_.push_back(std::move(values)); }
  bool empty() const { return rows_.empty(); }
  std::string text(RowFormat format) const;

 private:
  std::string table() const;
  std::string csv() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

Result<RowFormat> read_row_format(const std::string& text);

/// Reads --format, and checks that --output can be written.
Result<RowFormat> read_rows(const RowFlags& flags);

/// Output that is printed, or written to the file `output`.
Output delivered(std::string text, const std::optional<std::string>& output);

}  // namespace allot::cli
