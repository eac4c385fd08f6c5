// Rows of a file whose first row names its columns.
//
// Finds the separator (the comma, tab or semicolon that cuts the first row into most fields), then
// each wanted column by the names that common tools use for it. It never guesses: if a column is
// missing or ambiguous, the error lists the columns seen and the accepted names.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "io/csv_reader.hpp"

namespace allot::io {

/// A column to find. Capitals, blanks, '_', '-', a leading '!' and a trailing "id" or "ids" of a
/// name are ignored. A name that ends in '*' stands for all names with that beginning.
struct WantedColumn {
  std::string_view meaning;  // the word in error messages: "item"
  /// Names of the second group count if no column has a name of the first, and so on.
  std::vector<std::vector<std::string_view>> names;
  /// The option that names the column, for error messages; empty if there is none.
  std::string_view option = {};
};

/// The usual names of the column of items.
const WantedColumn& item_column();
/// The usual names of the column of workers.
const WantedColumn& worker_column();
/// The usual names of the column of labels.
const WantedColumn& label_column();
/// The usual names of the column of truths.
const WantedColumn& truth_column();

/// The usual names of the column of a reviewer's reasons.
const WantedColumn& reason_column();

/// The wanted column with the option that names it.
WantedColumn with_option(WantedColumn wanted, std::string_view option);

/// Positions of the columns that match the first group of names with any match; empty if no group
/// has one.
std::vector<std::size_t> places_of(std::span<const std::string_view> header,
                                   const WantedColumn& wanted);

/// Position of the one column that matches the wanted one. `where` names the row in error messages:
/// "the first row".
Result<std::size_t> find_column(std::uint64_t line, std::span<const std::string_view> header,
                                const WantedColumn& wanted, std::string_view where);

/// The text without byte-order marks at its beginning: programs that join files leave several. Refuses text that is not UTF-8, naming the line, and known
/// binary formats.
Result<std::string_view> readable_text(std::string_view text);

/// The error "the columns 'task', 'item' could all be the item; expected one of them".
tl::unexpected<Error> refuse_rivals(std::uint64_t line, std::span<const std::string_view> header,
                                    std::span<const std::size_t> places,
                                    const WantedColumn& wanted);

/// Reads a feature of an item, up to 1e100 in size: larger numbers are not measurements, and below
/// it sums of squares stay finite. An error calls it "column 'NAME'",
/// where `what` is the word.
Result<double> read_feature(std::uint64_t line, std::string_view what, std::string_view name,
                            std::string_view item, std::string_view field);

/// Reads the wanted columns of the rows of a text.
class TableReader {
 public:
  /// The text must outlive the rows. It must be UTF-8; a byte-order mark is skipped.
  static Result<TableReader> open(std::string_view text, const std::vector<WantedColumn>& wanted);

  /// Whether the first row of a text that comes in pieces ends before the last byte, whichever
  /// separator it has: the separator is not known before.
  static bool has_whole_head(std::string_view text);

  /// Moves to the next row; false if there is none. Each row must have as many fields as the first.
  Result<bool> next();
  /// The field of the n-th wanted column; valid until the next call of next().
  std::string_view field(std::size_t wanted) const { return rows_.fields()[places_[wanted]]; }
  /// All fields of the row; before the first call of next(), those of the first row.
  std::span<const std::string_view> fields() const { return rows_.fields(); }
  std::uint64_t line() const { return rows_.line(); }
  /// Position at which the next row begins.
  std::size_t offset() const { return rows_.offset(); }
  char separator() const { return rows_.separator(); }

 private:
  explicit TableReader(CsvReader rows) : rows_(std::move(rows)) {}

  CsvReader rows_;
  std::size_t width_ = 0;
  std::vector<std::size_t> places_;
};

}  // namespace allot::io
