#include "allot/model/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "allot/base/check.hpp"
#include "allot/base/text.hpp"

namespace allot::model {
namespace {

/// Sums of squares of larger numbers can overflow; standardised features are never so large.
constexpr double kLargest = 1e100;

/// Differences below this share of a feature's size are rounding, not information.
constexpr double kRounding = 1e-13;

class Column {
 public:
  Column(const Features& features, std::size_t column)
      : values_(features.values), column_(column), stride_(features.names.size()) {
    for (std::size_t i = 0; i < size(); ++i) largest_ = std::max(largest_, std::abs((*this)[i]));
  }

  std::size_t size() const { return values_.size() / stride_; }
  double operator[](std::size_t item) const { return values_[item * stride_ + column_]; }

  bool constant() const {
    double low = (*this)[0], high = low;
    for (std::size_t i = 0; i < size(); ++i) {
      low = std::min(low, (*this)[i]);
      high = std::max(high, (*this)[i]);
    }
    return high / 2 - low / 2 <= kRounding * largest_;
  }

  /// Scales a column to mean 0 and deviation 1, in units of the largest: squares can overflow.
  std::vector<double> standardised() const {
    const auto count = static_cast<double>(size());
    std::vector<double> result(size());
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < size(); ++i) mean += (result[i] = (*this)[i] / largest_);
    mean /= count;
    for (double& x : result) square += (x - mean) * (x - mean);
    const double deviation = std::sqrt(square / count);
    for (double& x : result) x = (x - mean) / deviation;
    return result;
  }

 private:
  const std::vector<double>& values_;
  const std::size_t column_, stride_;
  double largest_ = 0;
};

}  // namespace

std::string Design::note() const {
  std::string text;
  for (const std::string& name : dropped) {
    text += text.empty() ? "left out, the same for every item: " : ", ";
    text += in_quotes(name);
  }
  return text;
}

Result<Design> prepare(const Features& features, const FeatureOptions& options) {
  const std::size_t items = features.item_count, given = features.names.size();
  require(features.values.size() == items * given, "prepare", "size of values",
          static_cast<double>(features.values.size()), "expected items times names");
  require(items > 0, "prepare", "item_count", 0, "expected at least 1");
  for (std::size_t i = 0; i < features.values.size(); ++i) {
    const double size = std::abs(features.values[i]);
    if (std::isfinite(size) && (options.standardise || size <= kLargest)) continue;
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("feature {} of item {} is {}; expected {}",
                    in_quotes(features.names[i % given]), i / given, features.values[i],
                    std::isfinite(size) ? "at most 1e100 in size where it is not standardised"
                                        : "a finite number"));
  }
  Design design{features.item_count, 0, {}, {}, {}, options.intercept};
  std::vector<std::vector<double>> columns;
  if (options.intercept) {
    columns.emplace_back(items, 1.0);
    design.columns.emplace_back("(intercept)");
  }
  for (std::size_t j = 0; j < given; ++j) {
    const Column column(features, j);
    if (column.constant() && (options.standardise || options.intercept)) {
      design.dropped.push_back(features.names[j]);
      continue;
    }
    if (options.standardise) {
      columns.push_back(column.standardised());
    } else {
      columns.emplace_back(items);
      for (std::size_t i = 0; i < items; ++i) columns.back()[i] = column[i];
    }
    design.columns.push_back(features.names[j]);
  }
  if (columns.empty()) {
    return fail(ErrorCode::invalid_argument,
                "no feature differs between items, and there is no intercept");
  }
  design.column_count = static_cast<std::uint32_t>(columns.size());
  design.values.reserve(items * columns.size());
  for (std::size_t i = 0; i < items; ++i) {
    for (const auto& column : columns) design.values.push_back(column[i]);
  }
  return design;
}

ItemRows::ItemRows(const Design& design) {
  const std::size_t items = design.item_count, columns = design.column_count;
  require(items > 0, "ItemRows", "item_count", 0, "expected at least 1");
  require(columns > 0, "ItemRows", "column_count", 0, "expected at least 1");
  require(design.values.size() == items * columns, "ItemRows", "size of values",
          static_cast<double>(design.values.size()), "expected items times columns");
  std::vector<double> values = design.values;
  for (double& x : values) x += 0.0;  // -0 is 0
  std::unordered_map<std::string_view, std::uint32_t> known;
  std::vector<double> different;
  row_of_item_.reserve(items);
  for (std::size_t i = 0; i < items; ++i) {
    const double* const row = &values[i * columns];
    const std::string_view bytes(reinterpret_cast<const char*>(row), columns * sizeof(double));
    const auto [entry, is_new] = known.try_emplace(bytes, static_cast<std::uint32_t>(known.size()));
    if (is_new) different.insert(different.end(), row, row + columns);
    row_of_item_.push_back(entry->second);
  }
  panels_ = math::RowPanels(known.size(), columns, different);
  weights_.resize(panels_.padded_rows());
  for (const std::uint32_t row : row_of_item_) ++weights_[row];
  first_.resize(known.size() + 1);
  for (const std::uint32_t row : row_of_item_) ++first_[row + 1];
  for (std::size_t row = 0; row < known.size(); ++row) first_[row + 1] += first_[row];
  items_.resize(items);
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 0; i < items; ++i) items_[next[row_of_item_[i]]++] = ItemId{i};
}

}  // namespace allot::model
