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

}  // namespace

void PaddedTable::add_rows(std::span<const double> weights, const double* start,
                           double* sums) const {
  add_weighted(cells_.data(), stride_, weights.data(), weights.size(), start, sums);
}

void PaddedTable::largest_and_rest(std::span<const double> weights, double* largest,
                                   double* rest) const {
  find_largest(cells_.data(), stride_, weights.data(), weights.size(), largest, rest);
}

}  // namespace allot::index
