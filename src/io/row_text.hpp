// Rows under named columns as CSV and as JSON objects.
#pragma once

#include <string>
#include <vector>

namespace allot::io {

/// Type of the values of a column.
enum class Kind {
  text,
  exact,  // whole numbers, amounts and truth values: written verbatim in JSON
  real,   // numbers shown with four decimals in tables
  json,   // verbatim JSON; tables leave it out
};

struct Column {
  std::string name;
  Kind kind = Kind::text;
};

/// The line with its line end; fields are quoted where needed.
std::string csv_line(const std::vector<std::string>& fields);
/// The header line.
std::string csv_head(const std::vector<Column>& columns);
/// A JSON object with one value per column; an empty value is null.
std::string json_row(const std::vector<Column>& columns, const std::vector<std::string>& row);

}  // namespace allot::io
