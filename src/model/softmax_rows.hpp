// Rows of class probabilities, as regressions on features compute with them.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace allot::model {

/// One row per item, one column per class or feature.
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Eigen sums in blocks that it fits to the caches of the processor. Fixed sizes give the same
/// blocks, and so the same numbers, everywhere.
void fix_eigen_blocks();

/// Turns every row into probabilities. Returns the sum of the logarithms of the rows' sums.
template <typename Matrix>
double to_softmax(Matrix& logits) {
  double result = 0;
  for (Eigen::Index i = 0; i < logits.rows(); ++i) {
    auto row = logits.row(i).array();
    const double most = row.maxCoeff();
    row = (row - most).exp();
    const double sum = row.sum();
    row /= sum;
    result += most + std::log(sum);
  }
  return result;
}

/// Variance of a class's indicator in every row, averaged over the classes.
template <typename Matrix>
auto doubt(const Matrix& of) {
  return (of.array() * (1 - of.array())).rowwise().mean().eval();
}

}  // namespace allot::model
