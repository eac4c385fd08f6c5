// The strength of features, learned from the labels.
//
// Workers are taken as a fit without features leaves them, so that the labels of item i have a
// likelihood L_i(c) for every class c. Regressions (model/multiclass_regression.hpp) of different
// weight variances v are then compared by their evidence,
//   E(v) = integral of prod_i (sum_c Pr(c | x_i, w) L_i(c)) Pr(pseudo-items | w) N(w; 0, v) dw,
// with that of the shares of classes alone. No probability that comes from features enters, so
// features cannot confirm themselves. Features that say nothing about the classes reach an evidence
// ratio of t with a chance of at most 1/t.
//
// E(v) is computed by Laplace's method. The classes share one matrix of curvature, that of a mean
// class:
//   M = C / (C - 1) sum_i (q(Pr_i) - q(Pr_i given the labels)) x_i x_i' + 1/v,
//   q(p) = mean over the classes of p_c (1 - p_c).
// For two classes it is exact. For more, the determinant is on the large side, and the evidence on
// the low side.
//
// Cost, n labelled items, p columns: O(n p^2 + p^3) where features are of no use, a few times that
// where they are.
#pragma once

#include <optional>

#include "model/multiclass_regression.hpp"

namespace allot::model {

/// Shares of classes, and the number of pseudo-items, more than 0, that hold them.
struct HeldShares {
  std::vector<double> shares;
  double pseudo_items;
};

/// The evidence of weight variances.
class FeatureEvidence {
 public:
  /// Likelihoods of labels are in logarithms, item by item and class by class, for all items.
  FeatureEvidence(const Design& design, const HeldShares& prior,
                  const std::vector<std::uint32_t>& labelled,
                  const std::vector<double>& log_likelihoods);

  /// The likelihood of all labels near some weights: a quadratic function of them.
  struct Expansion {
    Eigen::MatrixXd weights;  // column by class
    double log_likelihood;
    Rows fitted, wanted;      // probabilities of the labelled items, without and with their labels
    Eigen::RowVectorXd held;  // of the pseudo-items
    Eigen::MatrixXd slope;    // of the logarithm of the likelihood
    Eigen::MatrixXd information;  // of the labels about the weights of a mean class
  };

  /// Around the shares alone, where a climb can start.
  const Expansion& shares() const { return shares_; }
  /// Around the most probable weights. Climbs to them from those of `start`.
  Expansion climb(const Expansion& start, double variance) const;

  /// log E of the shares alone.
  double without_features() const { return without_features_; }
  /// log E(v) by an expansion: good if the most probable weights are near. O(p^3).
  double log_evidence(const Expansion& at, double variance) const;

 private:
  using Factor = Eigen::LLT<Eigen::MatrixXd>;

  Expansion point(Eigen::MatrixXd weights) const;
  void fit_shares();
  Eigen::VectorXd precision(double variance) const;
  Eigen::MatrixXd information(const Expansion& at, double least) const;
  Factor factor(const Expansion& at, Eigen::MatrixXd information,
                const Eigen::VectorXd& precision) const;

  Eigen::Index classes_;
  double class_factor_;  // C / (C - 1)
  bool intercept_;
  Eigen::RowVectorXd prior_shares_;
  double pseudo_items_;          // 0 without an intercept
  Rows rows_, log_likelihoods_;  // of the labelled items
  Expansion shares_;
  double without_features_ = 0;
};

/// A regression of the strength that the labels favour, at its most probable weights; none if they
/// favour the shares alone. Features must be e^3 times as likely as the shares; those too large to
/// compute with are not.
std::optional<MulticlassRegression> learned_regression(const Design& design,
                                                       const HeldShares& prior,
                                                       const std::vector<std::uint32_t>& labelled,
                                                       const std::vector<double>& log_likelihoods);

}  // namespace allot::model
