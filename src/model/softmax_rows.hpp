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

/// A row's sum is at most the number of classes, so products up to here stay finite.
inline constexpr double kLargeProduct = 1e200;

/// Turns every row into probabilities. Returns the sum of the logarithms of the rows' sums.
template <typename Matrix>
double to_softmax(Matrix& logits) {
  double result = 0, product = 1;  // many sums share a logarithm
  for (Eigen::Index i = 0; i < logits.rows(); ++i) {
    const double most = logits.row(i).maxCoeff();
    logits.row(i).array() -= most;
    result += most;
  }
  logits.array() = logits.array().exp();
  for (Eigen::Index i = 0; i < logits.rows(); ++i) {
    const double sum = logits.row(i).sum();
    logits.row(i) /= sum;
    product *= sum;
    if (product < kLargeProduct) continue;
    result += std::log(product);
    product = 1;
  }
  return result + std::log(product);
}

/// Variance of a class's indicator in every row, averaged over the classes.
template <typename Matrix>
auto doubt(const Matrix& of) {
  return (of.array() * (1 - of.array())).rowwise().mean().eval();
}

// Products of rows of features. They go class by class: for the product of two matrices Eigen first
// copies the rows, which takes longer than the product itself where classes are few.

/// The rows times weights, column by class.
template <typename Features>
Rows times_weights(const Features& rows, const Eigen::MatrixXd& weights) {
  Rows result(rows.rows(), weights.cols());
  for (Eigen::Index k = 0; k < weights.cols(); ++k) result.col(k) = rows * weights.col(k);
  return result;
}

/// The sum of all rows, each times a number per class: column by class.
inline Eigen::MatrixXd weighted_sums(const Rows& rows, const Rows& numbers) {
  Eigen::MatrixXd result(rows.cols(), numbers.cols());
  for (Eigen::Index k = 0; k < numbers.cols(); ++k)
    result.col(k) = rows.transpose() * numbers.col(k);
  return result;
}

/// The sum of x x' over all rows x, each times a number; the lower half.
inline Eigen::MatrixXd weighted_squares(const Rows& rows, const Eigen::VectorXd& numbers) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(rows.cols(), rows.cols());
  if (rows.rows() == 0) return result;  // Eigen would take a reference to nothing
  const Rows weighted = numbers.asDiagonal() * rows;
  result.triangularView<Eigen::Lower>() = rows.transpose() * weighted;
  return result;
}

}  // namespace allot::model
