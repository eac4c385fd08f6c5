// Regression of the classes of items on their features.
//
// A softmax of linear functions, Pr(c | x) ~ share_c exp(w_c' x), is fitted to the class
// probabilities of the labelled items. Weights have independent normal priors. The intercept has a
// wide one, or a flat one beside pseudo-items of the given shares. The fit climbs to the most
// probable weights with the fixed bound of the curvature, 1/2 X'X [Bohning92], factored once per
// refit. Predictions integrate over the weights by the paper's probit approximation. All classes
// share one covariance, by Laplace's method at their mean curvature [CLZ sec:contextual].
//
// The weight variance is given here; model/feature_strength.hpp learns it.
//
// Cost, K items, n labelled, p columns: the start O(n p^2 + p^3), a step O(n p C), predictions
// O(K p (p + C) + p^3).
#pragma once

#include <Eigen/Cholesky>
#include <optional>
#include <vector>

#include "allot/model/features.hpp"
#include "model/softmax_rows.hpp"

namespace allot::model {

/// Beliefs about the classes of items before the regression.
struct RegressionPrior {
  std::vector<double> shares;  // of the classes
  /// Prior variance of each weight but the intercept.
  double weight_variance;
};

class MulticlassRegression {
 public:
  /// Starts from weights of 0, where classes have the given shares. The design and the list of
  /// labelled items must outlive this object.
  MulticlassRegression(const Design& design, const RegressionPrior& prior,
                       const std::vector<std::uint32_t>& labelled);

  /// Starts from these weights, column by class, which are near the best. Their covariance is then
  /// computed in the first climb and every fourth after it.
  void start_from(Eigen::MatrixXd weights);

  /// Makes some steps towards the best weights for these probabilities, item by item and class by
  /// class.
  void climb(const std::vector<double>& probabilities, int steps);

  /// Logarithms of the probabilities of classes, for all items: item by item, class by class.
  std::vector<double> log_predictions() const;

 private:
  Rows fitted() const;
  Eigen::ArrayXd shrinkage() const;

  Eigen::Map<const Rows> design_;
  Eigen::Index classes_;
  Eigen::RowVectorXd log_shares_;
  const std::vector<std::uint32_t>* labelled_;
  Rows labelled_rows_;
  Eigen::VectorXd precision_;  // of the prior, by column
  Eigen::LLT<Eigen::MatrixXd> bound_;
  Eigen::MatrixXd weights_;                  // column by class
  Rows wanted_;                              // probabilities of the labelled items' classes
  std::optional<int> warm_climbs_;           // so far, after start_from
  std::optional<Eigen::ArrayXd> shrinkage_;  // of logits, by item, if it is kept
};

}  // namespace allot::model
