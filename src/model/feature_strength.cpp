#include "model/feature_strength.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace allot::model {
namespace {

using Factor = Eigen::LLT<Eigen::MatrixXd>;

/// Variances of the sum of all features times their weights, weakest first.
constexpr std::array kStrengths{0.25, 1.0, 4.0, 16.0, 64.0};
/// Logarithm of the evidence ratio that features must reach.
constexpr double kLogOdds = 3;
/// The expansion around the shares is trusted if it is this much below. Strong features can have
/// more evidence than it says.
constexpr double kLogMargin = 3;

/// Rounds to the best shares, steps to the best weights, and halvings of a step.
constexpr int kShareRounds = 30, kMostSteps = 20, kMostHalvings = 6;
/// Climbing ends where a step promises less than this.
constexpr double kLeastGain = 1e-3;

double log_determinant(const Factor& factor) {
  return 2 * factor.matrixLLT().diagonal().array().log().sum();
}

}  // namespace

FeatureEvidence::FeatureEvidence(const Design& design, const HeldShares& prior,
                                 const std::vector<std::uint32_t>& labelled,
                                 const std::vector<double>& log_likelihoods)
    : classes_(static_cast<Eigen::Index>(prior.shares.size())),
      class_factor_(static_cast<double>(classes_) / static_cast<double>(classes_ - 1)),
      intercept_(design.intercept),
      shares_(Eigen::Map<const Eigen::RowVectorXd>(prior.shares.data(), classes_)),
      pseudo_items_(design.intercept ? prior.pseudo_items : 0),
      rows_(static_cast<Eigen::Index>(labelled.size()), design.column_count),
      log_likelihoods_(rows_.rows(), classes_) {
  fix_eigen_blocks();
  for (std::size_t n = 0; n < labelled.size(); ++n) {
    const auto row = static_cast<Eigen::Index>(n);
    const std::size_t item = labelled[n];
    rows_.row(row) = Eigen::Map<const Eigen::RowVectorXd>(
        &design.values[item * design.column_count], design.column_count);
    log_likelihoods_.row(row) = Eigen::Map<const Eigen::RowVectorXd>(
        &log_likelihoods[item * prior.shares.size()], classes_);
  }
  fit_shares();
}

FeatureEvidence::Point FeatureEvidence::point(Eigen::MatrixXd weights) const {
  const Eigen::RowVectorXd log_shares = shares_.array().log();
  const Rows logits = (rows_ * weights).rowwise() + log_shares;
  Point result{std::move(weights), logits, logits + log_likelihoods_, log_shares, 0};
  result.log_likelihood = to_softmax(result.wanted) - to_softmax(result.fitted);
  if (intercept_) result.held += result.weights.row(0);
  to_softmax(result.held);
  result.log_likelihood += pseudo_items_ * (shares_.array() * result.held.array().log()).sum();
  return result;
}

/// Finds the shares that the labels favour.
void FeatureEvidence::fit_shares() {
  shares_weights_ = Eigen::MatrixXd::Zero(rows_.cols(), classes_);
  if (intercept_) {
    const double items = pseudo_items_ + static_cast<double>(rows_.rows());
    Eigen::RowVectorXd shares = shares_;
    for (int i = 0; i < kShareRounds; ++i) {
      Rows wanted = log_likelihoods_.rowwise() + shares.array().log().matrix();
      to_softmax(wanted);
      shares = (pseudo_items_ * shares_ + wanted.colwise().sum()) / items;
    }
    shares_weights_.row(0) = shares.array().log() - shares_.array().log();
    shares_weights_.row(0).array() -= shares_weights_.row(0).mean();
  }
  const Point at = point(shares_weights_);
  without_features_ = at.log_likelihood;
  shares_information_ = information(at, -1);
  if (!intercept_) return;
  double known = shares_information_(0, 0);
  if (known <= 0) known = information(at, 0)(0, 0);
  without_features_ -= 0.5 * static_cast<double>(classes_ - 1) * std::log(known);
}

Eigen::VectorXd FeatureEvidence::precision(double variance) const {
  Eigen::VectorXd result = Eigen::VectorXd::Constant(rows_.cols(), 1 / variance);
  if (intercept_) result[0] = 0;
  return result;
}

/// Information in the labels about the weights of a mean class. No item counts less than `least`.
Eigen::MatrixXd FeatureEvidence::information(const Point& at, double least) const {
  const Eigen::VectorXd known =
      class_factor_ * (doubt(at.fitted) - doubt(at.wanted)).max(least).matrix();
  const Rows weighted = known.asDiagonal() * rows_;
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(rows_.cols(), rows_.cols());
  result.triangularView<Eigen::Lower>() = rows_.transpose() * weighted;
  if (intercept_) result(0, 0) += class_factor_ * pseudo_items_ * doubt(at.held)[0];
  return result;
}

/// Factors M. Labels can make an item more doubtful than before. Where such items outweigh the
/// others, they are left out.
Factor FeatureEvidence::factor(const Point& at, Eigen::MatrixXd information,
                               const Eigen::VectorXd& precision) const {
  information.diagonal() += precision;
  Factor result(information);
  if (result.info() == Eigen::Success) return result;
  Eigen::MatrixXd positive = this->information(at, 0);
  positive.diagonal() += precision;
  return Factor(positive);
}

Eigen::MatrixXd FeatureEvidence::slope(const Point& at, const Eigen::VectorXd& precision) const {
  Eigen::MatrixXd result =
      rows_.transpose() * (at.wanted - at.fitted) - precision.asDiagonal() * at.weights;
  if (intercept_) result.row(0) += pseudo_items_ * (shares_ - at.held);
  return result;
}

/// Logarithm of the integral of the quadratic function with these derivatives.
double FeatureEvidence::expand(const Point& at, const Factor& curvature,
                               const Eigen::VectorXd& precision) const {
  const Eigen::MatrixXd uphill = slope(at, precision);
  const Eigen::Index first = intercept_ ? 1 : 0;
  const double log_precision = precision.tail(precision.size() - first).array().log().sum();
  return at.log_likelihood -
         0.5 * (precision.asDiagonal() * at.weights).cwiseProduct(at.weights).sum() +
         0.5 * uphill.cwiseProduct(curvature.solve(uphill)).sum() -
         0.5 * static_cast<double>(classes_ - 1) * (log_determinant(curvature) - log_precision);
}

double FeatureEvidence::near_shares(double variance) const {
  const Point at = point(shares_weights_);
  const Eigen::VectorXd prior = precision(variance);
  return expand(at, factor(at, shares_information_, prior), prior);
}

/// Newton's method. The curvature is computed again where a step falls short of its promise.
FeatureEvidence::Point FeatureEvidence::climb(Point from, Factor curvature,
                                              const Eigen::VectorXd& precision) const {
  const auto height = [&](const Point& at) {
    return at.log_likelihood -
           0.5 * (precision.asDiagonal() * at.weights).cwiseProduct(at.weights).sum();
  };
  for (int i = 0; i < kMostSteps; ++i) {
    const Eigen::MatrixXd uphill = slope(from, precision);
    Eigen::MatrixXd step = curvature.solve(uphill);
    const double promised = 0.5 * uphill.cwiseProduct(step).sum();
    if (!(promised > kLeastGain)) break;
    Point next = point(from.weights + step);
    for (int n = 0; n < kMostHalvings && height(next) < height(from); ++n) {
      step *= 0.5;
      next = point(from.weights + step);
    }
    const double gained = height(next) - height(from);
    if (!(gained > 0)) break;
    from = std::move(next);
    if (std::abs(gained - promised) > 0.5 * promised) {
      curvature = factor(from, information(from, -1), precision);
    }
  }
  return from;
}

FeatureEvidence::Expansion FeatureEvidence::at(double variance,
                                               const Eigen::MatrixXd& start) const {
  const Eigen::VectorXd prior = precision(variance);
  const Point from = point(start);
  const Point best = climb(from, factor(from, shares_information_, prior), prior);
  return {expand(best, factor(best, information(best, -1), prior), prior), best.weights};
}

std::optional<MulticlassRegression> learned_regression(const Design& design,
                                                       const HeldShares& prior,
                                                       const std::vector<std::uint32_t>& labelled,
                                                       const std::vector<double>& log_likelihoods) {
  if (labelled.empty()) return {};
  const FeatureEvidence evidence(design, prior, labelled, log_likelihoods);
  const double features = design.feature_count();
  const double enough = evidence.without_features() + kLogOdds;
  std::size_t best = 0;
  double near = -std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < kStrengths.size(); ++n) {
    const double found = evidence.near_shares(kStrengths[n] / features);
    if (found <= near) continue;
    near = found;
    best = n;
  }
  if (!(near >= enough - kLogMargin)) return {};
  auto chosen = evidence.at(kStrengths[best] / features, evidence.shares_weights());
  while (best + 1 < kStrengths.size()) {
    auto next = evidence.at(kStrengths[best + 1] / features, chosen.weights);
    if (!(next.log_evidence > chosen.log_evidence)) break;
    chosen = std::move(next);
    ++best;
  }
  if (!(chosen.log_evidence >= enough)) return {};
  const double variance = kStrengths[best] / features;
  std::optional<MulticlassRegression> result;
  // The intercept is free now: features that tell classes apart also tell how many there are.
  result.emplace(design, RegressionPrior{prior.shares, variance}, labelled);
  result->start_from(std::move(chosen.weights));
  return result;
}

}  // namespace allot::model
