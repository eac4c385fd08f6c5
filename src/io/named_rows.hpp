// Rows of a file whose first row names its columns.
//
// Finds the separator (the comma, tab or semicolon that cuts the first row into most fields), then
// each wanted column by the names it goes by among the tools that write such files. It never
// guesses: a column that cannot be found, or of which there are two, is a refusal that lists what
// was seen and what would be accepted.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "io/csv_rows.hpp"

namespace allot::io {

/// Capitals, blanks, '_', '-', a leading '!' and a trailing "id" or "ids" of a name are of no
/// matter. A name that ends in '*' stands for all that begin so.
struct WantedColumn {
  std::string_view meaning;  // as refusals call it: "item"
  /// Names of the second group count if none of the first is there, and so on.
  std::vector<std::vector<std::string_view>> names;
};

const WantedColumn& item_column();
const WantedColumn& worker_column();
const WantedColumn& label_column();
const WantedColumn& truth_column();

/// Places of the columns that go by a name of the first group of which there is one; none if there
/// is no such group.
std::vector<std::size_t> places_of(std::span<const std::string_view> header,
                                   const WantedColumn& wanted);

/// The place of the one column that goes by a name of the wanted one. `where` is what has these
/// columns, as a refusal calls it: "the first row".
Result<std::size_t> find_column(std::uint64_t line, std::span<const std::string_view> header,
                                const WantedColumn& wanted, std::string_view where);

/// The text without its byte-order mark. Refuses what is not UTF-8, with the line.
Result<std::string_view> readable_text(std::string_view text);

/// "the columns 'task', 'item' could all be the item; expected one of them".
tl::unexpected<Error> refuse_rivals(std::uint64_t line, std::span<const std::string_view> header,
                                    std::span<const std::size_t> places,
                                    const WantedColumn& wanted);

class NamedRows {
 public:
  /// The text must outlive the rows; it is UTF-8, a byte-order mark is passed over.
  static Result<NamedRows> open(std::string_view text, const std::vector<WantedColumn>& wanted);

  /// Moves to the next row; false if there is none. Each row has as many fields as the first.
  Result<bool> next();
  /// The field of the n-th wanted column; valid until the next call of next().
  std::string_view field(std::size_t wanted) const { return rows_.fields()[places_[wanted]]; }
  /// All fields of the row, those of the first row before next() is called; valid until then.
  std::span<const std::string_view> fields() const { return rows_.fields(); }
  std::uint64_t line() const { return rows_.line(); }
  /// Where the next row begins.
  std::size_t offset() const { return rows_.offset(); }
  char separator() const { return rows_.separator(); }

 private:
  explicit NamedRows(CsvRows rows) : rows_(std::move(rows)) {}

  CsvRows rows_;
  std::size_t width_ = 0;
  std::vector<std::size_t> places_;
};

}  // namespace allot::io
