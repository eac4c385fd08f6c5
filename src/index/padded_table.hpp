// A confusion table whose rows are padded with zeros to whole blocks of lanes, so that loops along
// a row become vectors.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace allot::index {

inline constexpr std::size_t kTableLanes = 8;

/// A length rounded up to whole blocks.
inline std::size_t padded(std::size_t count) {
  return (count + kTableLanes - 1) / kTableLanes * kTableLanes;
}

/// The sum of at(0), ..., at(count - 1); count is padded.
template <typename At>
double lane_sum(std::size_t count, At at) {
  std::array<double, kTableLanes> sums{};
  for (std::size_t block = 0; block < count; block += kTableLanes) {
    for (std::size_t i = 0; i < kTableLanes; ++i) sums[i] += at(block + i);
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/// The largest of these numbers and 0.
template <typename At>
double lane_max(std::size_t count, At at) {
  std::array<double, kTableLanes> most{};
  for (std::size_t block = 0; block < count; block += kTableLanes) {
    for (std::size_t i = 0; i < kTableLanes; ++i) most[i] = std::max(most[i], at(block + i));
  }
  return *std::max_element(most.begin(), most.end());
}

/// sum_k a_k b_k, in four sums at once: for bounds, whose last bits do not matter.
inline double quick_product(std::span<const double> a, const double* b) {
  std::array<double, 4> sums{};
  std::size_t k = 0;
  for (; k + 4 <= a.size(); k += 4) {
    for (std::size_t i = 0; i < 4; ++i) sums[i] += a[k + i] * b[k + i];
  }
  for (; k < a.size(); ++k) sums[0] += a[k] * b[k];
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

class PaddedTable {
 public:
  /// `rows` rows of as many cells, all 0.
  explicit PaddedTable(std::size_t rows) : stride_(padded(rows)), cells_(rows * stride_) {}

  double* operator[](std::size_t row) { return &cells_[row * stride_]; }
  const double* operator[](std::size_t row) const { return &cells_[row * stride_]; }
  /// Length of a row with its padding.
  std::size_t stride() const { return stride_; }

  /// sums[column] = start[column] + sum_row weights[row] * cell.
  void add_rows(std::span<const double> weights, const double* start, double* sums) const;
  /// The largest of weights[row] * cell in each column, and the sum of all others.
  void largest_and_rest(std::span<const double> weights, double* largest, double* rest) const;

 private:
  std::size_t stride_;
  std::vector<double> cells_;
};

}  // namespace allot::index
