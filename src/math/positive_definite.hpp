// The inverse of a symmetric positive definite matrix, by its Cholesky factor.
#pragma once

#include <span>
#include <vector>

namespace allot::math {

/// `matrix` is given row by row, `size` rows, symmetric to the last bit. Cost: size^3
/// multiply-adds.
std::vector<double> inverse_positive_definite(std::span<const double> matrix, std::size_t size);

}  // namespace allot::math
