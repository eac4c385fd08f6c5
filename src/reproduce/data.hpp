// The numbers behind a figure: named columns and rows, as in its CSV file.
//
// Figures and verdicts are computed from these texts alone, so anyone with the file can draw and
// judge again. Numbers have twelve digits; an empty text is an unknown number.
#pragma once

#include <concepts>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/result.hpp"
#include "reproduce/claim.hpp"

namespace allot::reproduce {

/// The number with twelve digits; empty if it is NaN.
std::string number_text(double value);

/// Content for a row: a text, a number, or an estimate, which fills a second cell with its error.
struct Cell {
  Cell(const char* text) : texts{text} {}
  Cell(std::string text) : texts{std::move(text)} {}
  Cell(double number) : texts{number_text(number)} {}
  Cell(std::integral auto whole) : texts{std::to_string(whole)} {}
  Cell(const Estimate& found) : texts{number_text(found.mean), number_text(found.error)} {}

  std::vector<std::string> texts;
};

class Data {
 public:
  Data() = default;
  explicit Data(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  /// Adds a row with one text per column.
  void add(std::initializer_list<Cell> cells);
  void add_texts(std::vector<std::string> row);
  /// Appends the rows of another table with the same columns, or takes over its columns if this one
  /// is empty.
  void append(const Data& other);

  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t size() const { return rows_.size(); }

  const std::string& text(std::size_t row, std::string_view column) const;
  /// The number in a cell; NaN if the text is not a number.
  double number(std::size_t row, std::string_view column) const;
  /// The number, with the standard error if the next column has one.
  Estimate estimate(std::size_t row, std::string_view column) const;

  /// The rows that have these texts in these columns, in order; all rows without conditions.
  using Where = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  std::vector<std::size_t> where(Where conditions) const;
  /// The only such row; throws std::logic_error if there is none or several.
  std::size_t only(Where conditions) const;
  /// The distinct texts of a column, in order of appearance.
  std::vector<std::string> values(std::string_view column) const;

  std::string csv() const;
  static Result<Data> from_csv(std::string_view text);

 private:
  std::size_t column(std::string_view name) const;

  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// The tables of a study by name; the main one has an empty name.
using Tables = std::map<std::string, Data>;

}  // namespace allot::reproduce
