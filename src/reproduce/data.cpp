#include "reproduce/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "io/row_text.hpp"
#include "io/csv_reader.hpp"

namespace allot::reproduce {

std::string number_text(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.12g}", value);
}

void Data::add(std::initializer_list<Cell> cells) {
  std::vector<std::string> row;
  for (const Cell& cell : cells) row.insert(row.end(), cell.texts.begin(), cell.texts.end());
  add_texts(std::move(row));
}

void Data::add_texts(std::vector<std::string> row) {
  if (row.size() != columns_.size()) throw std::logic_error("Data::add: not one text a column");
  rows_.push_back(std::move(row));
}

void Data::append(const Data& other) {
  if (columns_.empty()) columns_ = other.columns_;
  for (const auto& row : other.rows_) add_texts(row);
}

std::size_t Data::column(std::string_view name) const {
  const auto found = std::ranges::find(columns_, name);
  if (found == columns_.end()) throw std::logic_error(fmt::format("no column '{}'", name));
  return static_cast<std::size_t>(found - columns_.begin());
}

const std::string& Data::text(std::size_t row, std::string_view name) const {
  return rows_.at(row)[column(name)];
}

double Data::number(std::size_t row, std::string_view name) const {
  return parse_number(text(row, name)).value_or(NAN);
}

Estimate Data::estimate(std::size_t row, std::string_view name) const {
  const std::size_t next = column(name) + 1;
  const bool has_error = next < columns_.size() && columns_[next].ends_with("stderr");
  return {number(row, name), has_error ? number(row, columns_[next]) : NAN};
}

std::vector<std::size_t> Data::where(Where conditions) const {
  std::vector<std::size_t> found;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const bool fits = std::ranges::all_of(
        conditions, [&](const auto& wanted) { return text(row, wanted.first) == wanted.second; });
    if (fits) found.push_back(row);
  }
  return found;
}

std::size_t Data::only(Where conditions) const {
  const auto found = where(conditions);
  if (found.size() == 1) return found.front();
  std::string wanted;
  for (const auto& [name, value] : conditions) wanted += fmt::format(" {}={}", name, value);
  throw std::logic_error(fmt::format("{} rows with{}", found.size(), wanted));
}

std::vector<std::string> Data::values(std::string_view name) const {
  std::vector<std::string> different;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (std::ranges::find(different, text(row, name)) == different.end())
      different.push_back(text(row, name));
  }
  return different;
}

std::string Data::csv() const {
  std::string result = io::csv_line(columns_);
  for (const auto& row : rows_) result += io::csv_line(row);
  return result;
}

Result<Data> Data::from_csv(std::string_view text) {
  io::CsvReader rows(text, ',');
  Data data;
  for (bool heading = true;; heading = false) {
    const auto more = TRY(rows.next());
    if (!more) return data;
    std::vector<std::string> fields(rows.fields().begin(), rows.fields().end());
    if (heading) {
      data.columns_ = std::move(fields);
    } else if (fields.size() == data.columns_.size()) {
      data.rows_.push_back(std::move(fields));
    } else {
      return io::refuse_line(
          rows.line(), fmt::format("{} fields; expected {}", fields.size(), data.columns_.size()));
    }
  }
}

}  // namespace allot::reproduce
