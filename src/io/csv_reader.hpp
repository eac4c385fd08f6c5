// Rows of separated values (RFC 4180), one at a time.
//
// A field in double quotes may hold separators, line ends and doubled quotes and is taken verbatim;
// any other field loses the blanks around it. A line ends with LF, CR LF or CR; blank lines are
// skipped. Fields are views of the text, so a row costs one pass over its bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"

namespace allot::io {

/// The error "line 7: WHY".
tl::unexpected<Error> refuse_line(std::uint64_t line, std::string_view why);
/// The same with a formatted text.
template <typename Arg, typename... Args>
tl::unexpected<Error> refuse_line(std::uint64_t line, fmt::format_string<Arg, Args...> why,
                                  Arg&& arg, Args&&... args) {
  return refuse_line(line, fmt::format(why, std::forward<Arg>(arg), std::forward<Args>(args)...));
}
/// The error with its line number raised by `lines`.
Error shift_line(Error error, std::uint64_t lines);

/// Number of line ends: LF, CR LF or CR.
std::uint64_t line_ends(std::string_view text);

/// Reads the rows of a text.
class CsvReader {
 public:
  /// The text must outlive this object.
  CsvReader(std::string_view text, char separator) : text_(text), separator_(separator) {}
  /// A copy's fields would be views of this object's texts.
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;
  CsvReader(CsvReader&&) = default;
  CsvReader& operator=(CsvReader&&) = default;

  /// Moves to the next row; false if there is none. A refusal names the line.
  Result<bool> next();

  /// Fields of the row; valid until the next call of next().
  std::span<const std::string_view> fields() const { return fields_; }
  /// Line in which the row begins, from 1.
  std::uint64_t line() const { return line_; }
  /// Position at which the next row begins.
  std::size_t offset() const { return at_; }
  char separator() const { return separator_; }

 private:
  bool at_end() const { return at_ == text_.size(); }
  /// True for a space, or for a tab that is not the separator.
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && separator_ != '\t'); }
  Result<void> take_field();
  void take_plain();
  Result<void> take_quoted();
  bool take_separator();
  void take_line_end();

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 0;
  std::uint64_t lines_begun_ = 1;
  std::vector<std::string_view> fields_;
  std::deque<std::string> undoubled_;  // fields of the row that had doubled quotes
};

}  // namespace allot::io
