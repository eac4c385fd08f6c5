// The loops over lanes are written for the vectoriser; this file is compiled with -O3.
#include "index/padded_table.hpp"

#include "base/every_processor.hpp"

namespace allot::index {
namespace {

ALLOT_EVERY_PROCESSOR
void add_weighted(const double* cells, std::size_t stride, const double* weights, std::size_t rows,
                  const double* start, double* sums) {
  for (std::size_t block = 0; block < stride; block += kTableLanes) {
    std::array<double, kTableLanes> sum;
    for (std::size_t i = 0; i < kTableLanes; ++i) sum[i] = start[block + i];
    for (std::size_t row = 0; row < rows; ++row) {
      const double* const cell = &cells[row * stride + block];
      for (std::size_t i = 0; i < kTableLanes; ++i) sum[i] += weights[row] * cell[i];
    }
    for (std::size_t i = 0; i < kTableLanes; ++i) sums[block + i] = sum[i];
  }
}

ALLOT_EVERY_PROCESSOR
void find_largest(const double* cells, std::size_t stride, const double* weights, std::size_t rows,
                  double* largest, double* rest) {
  for (std::size_t block = 0; block < stride; block += kTableLanes) {
    std::array<double, kTableLanes> most{}, sum{};
    for (std::size_t row = 0; row < rows; ++row) {
      const double* const cell = &cells[row * stride + block];
      for (std::size_t i = 0; i < kTableLanes; ++i) {
        const double here = weights[row] * cell[i];
        sum[i] += std::min(most[i], here);
        most[i] = std::max(most[i], here);
      }
    }
    for (std::size_t i = 0; i < kTableLanes; ++i) {
      largest[block + i] = most[i];
      rest[block + i] = sum[i];
    }
  }
}

ALLOT_EVERY_PROCESSOR
double find_smallest_rest(const double* cells, std::size_t stride, const double* weights,
                          std::size_t rows) {
  std::array<double, kTableLanes> smallest;
  smallest.fill(1);
  for (std::size_t block = 0; block < stride; block += kTableLanes) {
    std::array<double, kTableLanes> most{}, sum{};
    for (std::size_t row = 0; row < rows; ++row) {
      const double* const cell = &cells[row * stride + block];
      for (std::size_t i = 0; i < kTableLanes; ++i) {
        const double here = weights[row] * cell[i];
        sum[i] += here;
        most[i] = std::max(most[i], here);
      }
    }
    // A column of zeros has no share.
    for (std::size_t i = 0; i < kTableLanes; ++i) {
      const double rest = sum[i] > 0 ? (sum[i] - most[i]) / sum[i] : 1;
      smallest[i] = std::min(smallest[i], rest);
    }
  }
  return *std::min_element(smallest.begin(), smallest.end());
}

}  // namespace

void PaddedTable::add_rows(std::span<const double> weights, const double* start,
                           double* sums) const {
  add_weighted(cells_.data(), stride_, weights.data(), weights.size(), start, sums);
}

void PaddedTable::largest_and_rest(std::span<const double> weights, double* largest,
                                   double* rest) const {
  find_largest(cells_.data(), stride_, weights.data(), weights.size(), largest, rest);
}

double PaddedTable::smallest_rest(std::span<const double> weights) const {
  return find_smallest_rest(cells_.data(), stride_, weights.data(), weights.size());
}

}  // namespace allot::index
