// Rows of named values, from a text that is CSV (with a row of names) or JSON lines (an object a
// line), whichever it is.
//
// Every refusal names the line. Rows come one at a time; those of JSON lines may each have other
// names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/json_object.hpp"
#include "io/named_rows.hpp"

namespace allot::io {

class RecordRows {
 public:
  /// The text must outlive the rows; it is UTF-8, a byte-order mark is passed over.
  static Result<RecordRows> open(std::string_view text);

  /// Moves to the next row; false if there is none.
  Result<bool> next();

  std::uint64_t line() const { return line_; }
  /// Whether all rows have the names of the first.
  bool is_csv() const { return csv_.has_value(); }
  /// Whether the names are those of the row before. True for CSV, where they are known before the
  /// first row.
  bool names_stay() const { return names_stay_; }
  std::span<const JsonMember> members() const { return members_; }

  /// The place of the column that is wanted, or of the one that was named in its stead.
  Result<std::size_t> place(const std::optional<std::string>& named,
                            const WantedColumn& wanted) const;
  /// Nothing if there is no such column; one that was named must be there.
  Result<std::optional<std::size_t>> place_if_any(const std::optional<std::string>& named,
                                                  const WantedColumn& wanted) const;
  /// A value as text; empty for null.
  std::string_view value(std::size_t place) const;

 private:
  RecordRows() = default;
  std::vector<std::string_view> names() const;
  Result<bool> next_object();

  std::optional<NamedRows> csv_;
  std::string_view rest_;  // of JSON lines
  std::uint64_t line_ = 0;
  bool names_stay_ = true;
  std::vector<JsonMember> members_;
};

}  // namespace allot::io
