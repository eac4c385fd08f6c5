#include "model/multiclass_regression.hpp"

#include <numbers>

namespace allot::model {
namespace {

/// Prior variance of an intercept: a class can be as rare as one in a hundred before any label.
constexpr double kInterceptVariance = 10;
/// Climbs from good weights for which one covariance serves.
constexpr int kClimbsPerCovariance = 4;

}  // namespace

void fix_eigen_blocks() {
  static const bool fixed = [] {
    Eigen::setCpuCacheSizes(32 << 10, 256 << 10, 2 << 20);
    return true;
  }();
  static_cast<void>(fixed);
}

MulticlassRegression::MulticlassRegression(const Design& design, const RegressionPrior& prior,
                                           const std::vector<std::uint32_t>& labelled)
    : design_(design.values.data(), design.item_count, design.column_count),
      classes_(static_cast<Eigen::Index>(prior.shares.size())),
      log_shares_(
          Eigen::Map<const Eigen::RowVectorXd>(prior.shares.data(), classes_).array().log()),
      labelled_(&labelled),
      labelled_rows_(static_cast<Eigen::Index>(labelled.size()), design.column_count),
      precision_(Eigen::VectorXd::Constant(design.column_count, 1 / prior.weight_variance)),
      weights_(Eigen::MatrixXd::Zero(design.column_count, classes_)),
      wanted_(
          Rows::Constant(labelled_rows_.rows(), classes_, 1.0 / static_cast<double>(classes_))) {
  fix_eigen_blocks();
  if (design.intercept) precision_[0] = 1 / kInterceptVariance;
  for (std::size_t n = 0; n < labelled.size(); ++n) {
    labelled_rows_.row(static_cast<Eigen::Index>(n)) = design_.row(labelled[n]);
  }
  Eigen::MatrixXd curvature =
      weighted_squares(labelled_rows_, Eigen::VectorXd::Constant(labelled_rows_.rows(), 0.5));
  curvature.diagonal() += precision_;
  bound_.compute(curvature);
}

void MulticlassRegression::start_from(Eigen::MatrixXd weights) {
  weights_ = std::move(weights);
  warm_climbs_ = 0;
}

Rows MulticlassRegression::fitted() const {
  Rows shares = times_weights(labelled_rows_, weights_).rowwise() + log_shares_;
  to_softmax(shares);
  return shares;
}

void MulticlassRegression::climb(const std::vector<double>& probabilities, int steps) {
  for (std::size_t n = 0; n < labelled_->size(); ++n) {
    wanted_.row(static_cast<Eigen::Index>(n)) = Eigen::Map<const Eigen::RowVectorXd>(
        &probabilities[std::size_t{(*labelled_)[n]} * static_cast<std::size_t>(classes_)],
        classes_);
  }
  for (int i = 0; i < steps; ++i) {
    Eigen::MatrixXd slope =
        weighted_sums(labelled_rows_, wanted_ - fitted()) - precision_.asDiagonal() * weights_;
    weights_ += bound_.solve(slope);
  }
  if (warm_climbs_ && (*warm_climbs_)++ % kClimbsPerCovariance == 0) shrinkage_ = shrinkage();
}

/// The probit approximation divides a logit of variance s2 by sqrt(1 + pi s2 / 8).
Eigen::ArrayXd MulticlassRegression::shrinkage() const {
  const Eigen::VectorXd known = (doubt(fitted()) - doubt(wanted_)).max(0);
  Eigen::MatrixXd curvature = weighted_squares(labelled_rows_, known);
  curvature.diagonal() += precision_;
  const Eigen::LLT<Eigen::MatrixXd> factor(curvature);
  const Eigen::MatrixXd spread = factor.matrixL().solve(design_.transpose());
  const Eigen::ArrayXd variance = spread.colwise().squaredNorm().transpose();
  return (1 + std::numbers::pi / 8 * variance).sqrt();
}

std::vector<double> MulticlassRegression::log_predictions() const {
  Rows logits = times_weights(design_, weights_);
  logits.colwise() -= logits.rowwise().mean().eval();
  logits.array().colwise() /= shrinkage_ ? *shrinkage_ : shrinkage();
  logits.rowwise() += log_shares_;
  logits.colwise() -= logits.rowwise().maxCoeff().eval();
  std::vector<double> result(static_cast<std::size_t>(logits.size()));
  Eigen::Map<Rows>(result.data(), logits.rows(), classes_) =
      logits.array().colwise() - logits.array().exp().rowwise().sum().log();
  return result;
}

}  // namespace allot::model
