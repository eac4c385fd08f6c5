// Rows under named columns as CSV and as JSON objects.
#pragma once

#include <string>
#include <vector>

namespace allot::io {

/// What the values of a column are.
enum class Kind {
  text,
  exact,  // whole numbers, amounts and truth values: JSON as they stand
  real,   // numbers of which a table shows four decimals
  json,   // anything that is JSON already; a table leaves it out
};

struct Column {
  std::string name;
  Kind kind = Kind::text;
};

/// The line of names.
std::string csv_head(const std::vector<Column>& columns);
/// An object of as many values as columns; an empty value is null.
std::string json_row(const std::vector<Column>& columns, const std::vector<std::string>& row);

}  // namespace allot::io
