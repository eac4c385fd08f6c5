#include "math/positive_definite.hpp"

#include <cmath>

#include "base/every_processor.hpp"

namespace allot::math {
namespace {

/// y -= factor x, entry by entry, so that the width of vectors does not change the result.
ALLOT_EVERY_PROCESSOR void take_away(double* __restrict y, const double* __restrict x,
                                     std::size_t count, double factor) {
  for (std::size_t i = 0; i < count; ++i) y[i] -= factor * x[i];
}

}  // namespace

std::vector<double> inverse_positive_definite(std::span<const double> matrix, std::size_t size) {
  // The upper factor U, matrix = U'U, row by row; each row is eliminated from those below it.
  std::vector<double> u(matrix.begin(), matrix.end());
  for (std::size_t i = 0; i < size; ++i) {
    double* const row = &u[i * size];
    const double scale = 1 / std::sqrt(row[i]);
    for (std::size_t j = i; j < size; ++j) row[j] *= scale;
    for (std::size_t k = i + 1; k < size; ++k)
      take_away(&u[k * size + k], row + k, size - k, row[k]);
  }
  // V = inverse of U, upper as well: row i = (unit row i - sum over k > i of u_ik row k) / u_ii.
  std::vector<double> v(size * size, 0.0);
  for (std::size_t i = size; i-- > 0;) {
    double* const row = &v[i * size];
    row[i] = 1;
    for (std::size_t k = i + 1; k < size; ++k) {
      take_away(row + k, &v[k * size + k], size - k, u[i * size + k]);
    }
    for (std::size_t j = i; j < size; ++j) row[j] /= u[i * size + i];
  }
  // The lower half of V V': row i is the sum over k >= i of v_ik times column k of V.
  std::vector<double> inverse(size * size, 0.0);
  for (std::size_t k = 0; k < size; ++k) {
    std::vector<double> column(k + 1);
    for (std::size_t i = 0; i <= k; ++i) column[i] = v[i * size + k];
    for (std::size_t i = 0; i <= k; ++i) {
      take_away(&inverse[i * size], column.data(), i + 1, -column[i]);
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) inverse[j * size + i] = inverse[i * size + j];
  }
  return inverse;
}

}  // namespace allot::math
