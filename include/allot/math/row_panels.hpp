// A matrix of many rows, stored so that products with vectors run over eight rows at a time.
//
// Rows are grouped into panels of eight, and a panel is stored column by column. Zeros fill up the
// last panel. A product adds up a row's terms in the order of the columns. So the result has the
// same bits on every processor, and does not depend on the other rows or vectors in the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace allot::math {

/// A matrix in panels of eight rows.
class RowPanels {
 public:
  static constexpr std::size_t kPanel = 8;    ///< rows per panel
  static constexpr std::size_t kVectors = 4;  ///< vectors per pass

  /// An empty matrix.
  RowPanels() = default;
  /// Copies the matrix from values given row by row.
  RowPanels(std::size_t rows, std::size_t columns, std::span<const double> values);

  /// Number of rows.
  std::size_t rows() const { return rows_; }
  /// Number of columns.
  std::size_t columns() const { return columns_; }
  /// Number of panels.
  std::size_t panels() const { return (rows_ + kPanel - 1) / kPanel; }
  /// Number of rows including the zeros that fill the last panel.
  std::size_t padded_rows() const { return panels() * kPanel; }
  /// The entry at this row and column.
  double at(std::size_t row, std::size_t column) const {
    return values_[(row / kPanel * columns_ + column) * kPanel + row % kPanel];
  }
  /// A copy of one row.
  std::vector<double> row(std::size_t row) const;
  /// Up to four rows interleaved as `multiply` expects them; zeros for missing rows.
  std::vector<double> in_turn(std::span<const std::uint32_t> rows) const;

  /// Products of `count` panels with four interleaved vectors (all first entries, all second
  /// entries, ...). Entry r of product v goes to out[v * stride + r]; r counts from the first
  /// panel. Cost: about 0.06 ns per term with wide vectors.
  void multiply(std::size_t first, std::size_t count, std::span<const double> vectors, double* out,
                std::size_t stride) const;

  /// All rows times one vector, padding included.
  std::vector<double> multiply(std::span<const double> vector) const;

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<double> values_;
};

}  // namespace allot::math
