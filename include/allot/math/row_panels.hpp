// A matrix of many rows, kept so that products with vectors run over eight rows at a time.
//
// Rows stand in panels of eight, a panel column by column; the last one is filled up with zeros. A
// product adds up a row's terms in the order of the columns, one after the other: the same numbers
// on every processor, and in whatever company a row or a vector is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace allot::math {

class RowPanels {
 public:
  static constexpr std::size_t kPanel = 8;    // rows
  static constexpr std::size_t kVectors = 4;  // vectors in one pass

  RowPanels() = default;
  /// From values row by row.
  RowPanels(std::size_t rows, std::size_t columns, std::span<const double> values);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t panels() const { return (rows_ + kPanel - 1) / kPanel; }
  /// Rows with those that fill the last panel.
  std::size_t padded_rows() const { return panels() * kPanel; }
  double at(std::size_t row, std::size_t column) const {
    return values_[(row / kPanel * columns_ + column) * kPanel + row % kPanel];
  }
  std::vector<double> row(std::size_t row) const;
  /// Up to four rows as vectors in turn, see below; zeros for those that are missing.
  std::vector<double> in_turn(std::span<const std::uint32_t> rows) const;

  /// Products of `count` panels with four vectors, given in turn (all first entries, all second
  /// ones, ...). Entry r of product v goes to out[v * stride + r]; r counts from the first panel.
  /// Cost: about 0.06 ns a term with wide vectors.
  void multiply(std::size_t first, std::size_t count, std::span<const double> vectors, double* out,
                std::size_t stride) const;

  /// All rows times one vector, padding included.
  std::vector<double> multiply(std::span<const double> vector) const;

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<double> values_;
};

}  // namespace allot::math
