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

/// An empty value is one that is not there: null in JSON, a dash in tables.
class Sheet {
 public:
  explicit Sheet(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many values as columns.
  void add(std::vector<std::string> values) { rows_.push_back(std::move(values)); }
  bool empty() const { return rows_.empty(); }
  std::string text(RowFormat format) const;

 private:
  std::string table() const;
  std::string csv() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

Result<RowFormat> read_row_format(const std::optional<std::string>& text, RowFormat usual);

/// The format, once it is known that the output can be written.
Result<RowFormat> read_rows(const RowFlags& flags, RowFormat usual = RowFormat::table);

/// Printed, or in the file that was asked for.
Output delivered(std::string text, const std::optional<std::string>& output);

}  // namespace allot::cli
