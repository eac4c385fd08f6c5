// Output formats: tables for a terminal, CSV, JSON and JSON lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/text.hpp"
#include "base/json_text.hpp"
#include "cli/command.hpp"
#include "io/row_text.hpp"

namespace allot::cli {

/// Aligned columns: the first to the left, the others to the right. Long values are cut, and
/// control characters are replaced.
class Table {
 public:
  explicit Table(std::vector<std::string> header) { add(std::move(header)); }
  void add(std::vector<std::string> row);
  std::string text() const;

 private:
  static constexpr std::size_t kWidest = 100;

  std::vector<std::vector<std::string>> rows_;
};

/// A bar for a share between `low` (empty) and 1 (full), in block characters.
std::string bar(double share, double low, std::size_t width);

using io::Column;
using io::csv_line;
using io::Kind;

/// Names and values, in the order in which they are shown.
using Fields = std::vector<std::pair<std::string_view, std::string>>;
void append(Fields& fields, const Fields& more);

/// JSON object; the values are in JSON.
std::string json_object(const Fields& fields);
std::string json_array(const std::vector<std::string>& members);

/// Rows with the same names, as CSV with a header and as a JSON array. The first value of a row is
/// a text, the others are numbers or booleans, or empty (in JSON null).
std::string csv_text(const std::vector<Fields>& rows);
std::string json_rows(std::vector<Fields> rows);

enum class Format { table, csv, json };
Result<Format> read_format(const std::string& text);
/// The table, or the rows as CSV, or in a JSON object after the settings.
std::string report_text(Format format, const std::string& table, const std::vector<Fields>& rows,
                        Fields settings);

enum class RowFormat { table, csv, json, jsonl };
Result<RowFormat> read_row_format(const std::string& text);

/// Format and destination of rows, as written.
struct RowFlags {
  std::string format = "table";
  std::optional<std::string> output = {};
};
/// Registers --format and --output.
void add_row_options(Command& command, RowFlags& flags);
/// Reads --format, and checks that --output can be written.
Result<RowFormat> read_rows(const RowFlags& flags);
/// Output that is printed, or written to the file `output`.
Output delivered(std::string text, const std::optional<std::string>& output);

/// A value under the name of its column.
struct Cell {
  std::string name, value;
  Kind kind = Kind::text;
};

/// Rows under named columns. An empty value is a missing one: null in JSON, a dash in tables.
class DataTable {
 public:
  explicit DataTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// At least one row; all have the same columns.
  explicit DataTable(const std::vector<std::vector<Cell>>& rows);
  /// Adds a row with as many values as columns.
  void add(std::vector<std::string> values) { rows_.push_back(std::move(values)); }
  std::string text(RowFormat format) const;

 private:
  std::string table() const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// One row in a format for programs; CSV leaves out Kind::json.
std::string record_text(std::vector<Cell> cells, RowFormat format);

/// Prints a text at once, also into a pipe.
void say(const std::string& text);
/// Lines of at most 100 characters, broken after commas; all but the first are indented.
std::string wrapped(const std::string& text);
/// Text cut to fit a heading.
std::string shortened(const std::string& text);

}  // namespace allot::cli
