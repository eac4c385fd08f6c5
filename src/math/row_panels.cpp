#include "allot/math/row_panels.hpp"

#include <array>
#include <cstring>

#include "allot/base/check.hpp"
#include "base/every_processor.hpp"

namespace allot::math {
namespace {

/// A column of a panel. Processors with narrower vectors process it in parts.
using Column [[gnu::vector_size(8 * RowPanels::kPanel)]] = double;

ALLOT_EVERY_PROCESSOR void multiply_panels(const double* panel, std::size_t columns,
                                           std::size_t count, const double* vectors, double* out,
                                           std::size_t stride) {
  for (std::size_t p = 0; p < count; ++p, panel += RowPanels::kPanel * columns) {
    Column a{}, b{}, c{}, d{};
    const double* v = vectors;
    for (std::size_t j = 0; j < columns; ++j, v += RowPanels::kVectors) {
      Column x;
      std::memcpy(&x, panel + RowPanels::kPanel * j, sizeof x);
      a += x * v[0];
      b += x * v[1];
      c += x * v[2];
      d += x * v[3];
    }
    double* const to = out + RowPanels::kPanel * p;
    std::memcpy(to, &a, sizeof a);
    std::memcpy(to + stride, &b, sizeof b);
    std::memcpy(to + 2 * stride, &c, sizeof c);
    std::memcpy(to + 3 * stride, &d, sizeof d);
  }
}

}  // namespace

RowPanels::RowPanels(std::size_t rows, std::size_t columns, std::span<const double> values)
    : rows_(rows), columns_(columns), values_(padded_rows() * columns) {
  require(values.size() == rows * columns, "RowPanels", "size of values",
          static_cast<double>(values.size()), "expected rows times columns");
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      values_[(i / kPanel * columns + j) * kPanel + i % kPanel] = values[i * columns + j];
    }
  }
}

std::vector<double> RowPanels::row(std::size_t row) const {
  std::vector<double> result(columns_);
  for (std::size_t j = 0; j < columns_; ++j) result[j] = at(row, j);
  return result;
}

std::vector<double> RowPanels::in_turn(std::span<const std::uint32_t> rows) const {
  std::vector<double> result(kVectors * columns_);
  for (std::size_t v = 0; v < rows.size(); ++v) {
    for (std::size_t j = 0; j < columns_; ++j) result[kVectors * j + v] = at(rows[v], j);
  }
  return result;
}

void RowPanels::multiply(std::size_t first, std::size_t count, std::span<const double> vectors,
                         double* out, std::size_t stride) const {
  multiply_panels(values_.data() + first * kPanel * columns_, columns_, count, vectors.data(), out,
                  stride);
}

std::vector<double> RowPanels::multiply(std::span<const double> vector) const {
  std::vector<double> in_turn(kVectors * columns_);
  for (std::size_t j = 0; j < columns_; ++j) in_turn[kVectors * j] = vector[j];
  std::vector<double> result(padded_rows());
  std::array<double, kPanel * kVectors> part;
  for (std::size_t p = 0; p < panels(); ++p) {
    multiply(p, 1, in_turn, part.data(), kPanel);
    std::memcpy(result.data() + p * kPanel, part.data(), kPanel * sizeof(double));
  }
  return result;
}

}  // namespace allot::math
