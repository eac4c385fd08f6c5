// The numbers behind a figure: named columns and rows, as they stand in its CSV file.
//
// Figures and verdicts are made from these texts and from nothing else, so whoever has the file can
// draw and judge again. Numbers have twelve digits; an empty text is a number that nobody knows.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::reproduce {

/// Twelve digits; empty if it is no number.
std::string number_text(double value);

class Data {
 public:
  Data() = default;
  explicit Data(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  /// One text a column.
  void add(std::vector<std::string> row);
  /// The rows of another with the same columns; takes them over if there are none here yet.
  void append(const Data& other);

  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t size() const { return rows_.size(); }

  const std::string& text(std::size_t row, std::string_view column) const;
  /// NaN if the text is none.
  double number(std::size_t row, std::string_view column) const;

  /// The rows that have these texts in these columns, in order.
  using Where = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  std::vector<std::size_t> where(Where conditions) const;
  /// The only such row; throws std::logic_error if there is none or several.
  std::size_t only(Where conditions) const;
  /// The different texts of a column, in the order in which they turn up.
  std::vector<std::string> values(std::string_view column) const;

  std::string csv() const;
  static Result<Data> from_csv(std::string_view text);

 private:
  std::size_t column(std::string_view name) const;

  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// The tables of a study by name; the main one has none.
using Tables = std::map<std::string, Data>;

}  // namespace allot::reproduce
