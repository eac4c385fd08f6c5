// Rows of named values from a text that is either CSV (with a header row) or JSON lines (one object
// per line, or the elements of one array).
//
// Every error message names the line. Rows come one at a time; each JSON line may have its own
// names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/json_object.hpp"
#include "io/json_records.hpp"
#include "io/table_reader.hpp"

namespace allot::io {

/// Reads the rows of a text.
class RecordReader {
 public:
  /// Whether the objects may also stand in one JSON array.
  enum class Arrays : std::uint8_t { refused, accepted };

  /// The text must outlive the rows. It must be UTF-8; a byte-order mark is skipped.
  static Result<RecordReader> open(std::string_view text, Arrays arrays = Arrays::refused);

  /// Moves to the next row; false if there is none.
  Result<bool> next();

  std::uint64_t line() const { return line_; }
  /// True if all rows have the names of the first.
  bool is_csv() const { return csv_.has_value(); }
  /// True if the names are those of the previous row. Always true for CSV, whose names are known
  /// before the first row.
  bool names_stay() const { return names_stay_; }
  std::span<const JsonMember> members() const;
  std::vector<std::string_view> names() const;

  /// Position of the wanted column, or of the column `named` by the user.
  Result<std::size_t> place(const std::optional<std::string>& named,
                            const WantedColumn& wanted) const;
  /// Position of the column, if it exists; a column `named` by the user must exist.
  Result<std::optional<std::size_t>> place_if_any(const std::optional<std::string>& named,
                                                  const WantedColumn& wanted) const;
  /// A value as text; empty for null.
  std::string_view value(std::size_t place) const {
    return csv_ ? csv_->fields()[place] : json_value(place);
  }

 private:
  RecordReader() = default;
  Result<bool> next_object();
  std::string_view json_value(std::size_t place) const;

  std::optional<TableReader> csv_;
  std::optional<JsonRecords> json_;
  std::uint64_t header_line_ = 0;  // of CSV
  std::uint64_t line_ = 0;
  bool names_stay_ = true;
  mutable std::vector<JsonMember> members_;
  mutable bool copied_ = true;  // whether members_ has the fields of the CSV row
};

}  // namespace allot::io
