// Output formats: tables for a terminal, CSV and JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/text.hpp"
#include "io/csv_line.hpp"
#include "io/json_object.hpp"

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

using io::csv_line;

/// Names and values, in the order in which they are shown.
using Fields = std::vector<std::pair<std::string_view, std::string>>;
void append(Fields& fields, const Fields& more);

/// JSON object; the values are in JSON.
std::string json_object(const Fields& fields);
std::string json_array(const std::vector<std::string>& members);
using io::json_string;

/// Rows with the same names, as CSV with a header and as a JSON array. The first value of a row is
/// a text, the others are numbers or booleans, or empty (in JSON null).
std::string csv_text(const std::vector<Fields>& rows);
std::string json_rows(std::vector<Fields> rows);

/// "'no' or 'yes'", "one of 'a', 'b', 'c'": what an error expects.
std::string choice_text(const std::vector<std::string>& names);

/// "1 item", "2 items".
std::string count_text(std::uint64_t count, std::string_view word);

/// Lines of at most 100 characters, broken after commas; all but the first are indented.
std::string wrapped(const std::string& text);

/// Text cut to fit a heading.
std::string shortened(const std::string& text);

}  // namespace allot::cli
