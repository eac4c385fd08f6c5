#include "model/feature_strength.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace allot::model {
namespace {

/// Variances of the sum of all features times their weights, weakest first.
constexpr std::array kStrengths{0.25, 1.0, 4.0, 16.0, 64.0};
/// Logarithm of the evidence ratio that features must reach.
constexpr double kLogOdds = 3;
/// Expansions are trusted that say this much less: that around the shares about all strengths, and
/// one around the best weights about the next strength. Strong features can have more evidence than
/// they say.
constexpr double kLogMargin = 3;

/// Shares have arrived where a round moves none by this much.
constexpr double kStill = 1e-6;
/// Rounds to the best shares, steps to the best weights, and halvings of a step.
constexpr int kShareRounds = 30, kMostSteps = 20, kMostHalvings = 6;
/// Climbing ends where a step promises less than this.
constexpr double kLeastGain = 1e-3;

double log_determinant(const Eigen::LLT<Eigen::MatrixXd>& factor) {
  return 2 * factor.matrixLLT().diagonal().array().log().sum();
}

}  // namespace

FeatureEvidence::FeatureEvidence(const Design& design, const HeldShares& prior,
                                 const std::vector<std::uint32_t>& labelled,
                                 const std::vector<double>& log_likelihoods)
    : classes_(static_cast<Eigen::Index>(prior.shares.size())),
      class_factor_(static_cast<double>(classes_) / static_cast<double>(classes_ - 1)),
      intercept_(design.intercept),
      prior_shares_(Eigen::Map<const Eigen::RowVectorXd>(prior.shares.data(), classes_)),
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

FeatureEvidence::Expansion FeatureEvidence::point(Eigen::MatrixXd weights) const {
  const Eigen::RowVectorXd log_shares = prior_shares_.array().log();
  const Rows logits = times_weights(rows_, weights).rowwise() + log_shares;
  Expansion at{std::move(weights), 0, logits, logits + log_likelihoods_, log_shares, {}, {}};
  at.log_likelihood = to_softmax(at.wanted) - to_softmax(at.fitted);
  if (intercept_) at.held += at.weights.row(0);
  to_softmax(at.held);
  at.log_likelihood += pseudo_items_ * (prior_shares_.array() * at.held.array().log()).sum();
  at.slope = weighted_sums(rows_, at.wanted - at.fitted);
  if (intercept_) at.slope.row(0) += pseudo_items_ * (prior_shares_ - at.held);
  return at;
}

/// Finds the shares that the labels favour.
void FeatureEvidence::fit_shares() {
  Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(rows_.cols(), classes_);
  if (intercept_) {
    const double items = pseudo_items_ + static_cast<double>(rows_.rows());
    Eigen::RowVectorXd shares = prior_shares_;
    double moved = 1;
    for (int i = 0; i < kShareRounds && moved > kStill; ++i) {
      Rows wanted = log_likelihoods_.rowwise() + shares.array().log().matrix();
      to_softmax(wanted);
      const Eigen::RowVectorXd before = shares;
      shares = (pseudo_items_ * prior_shares_ + wanted.colwise().sum()) / items;
      moved = (shares - before).cwiseAbs().maxCoeff();
    }
    weights.row(0) = shares.array().log() - prior_shares_.array().log();
    weights.row(0).array() -= weights.row(0).mean();
  }
  shares_ = point(std::move(weights));
  shares_.information = information(shares_, -1);
  without_features_ = shares_.log_likelihood;
  if (!intercept_) return;
  double known = shares_.information(0, 0);
  if (known <= 0) known = information(shares_, 0)(0, 0);
  without_features_ -= 0.5 * static_cast<double>(classes_ - 1) * std::log(known);
}

Eigen::VectorXd FeatureEvidence::precision(double variance) const {
  Eigen::VectorXd result = Eigen::VectorXd::Constant(rows_.cols(), 1 / variance);
  if (intercept_) result[0] = 0;
  return result;
}

/// Information in the labels. No item counts less than `least`.
Eigen::MatrixXd FeatureEvidence::information(const Expansion& at, double least) const {
  const Eigen::VectorXd known =
      class_factor_ * (doubt(at.fitted) - doubt(at.wanted)).max(least).matrix();
  Eigen::MatrixXd result = weighted_squares(rows_, known);
  if (intercept_) result(0, 0) += class_factor_ * pseudo_items_ * doubt(at.held)[0];
  return result;
}

/// Factors M. Labels can make an item more doubtful than before. Where such items outweigh the
/// others, they are left out.
FeatureEvidence::Factor FeatureEvidence::factor(const Expansion& at, Eigen::MatrixXd information,
                                                const Eigen::VectorXd& precision) const {
  information.diagonal() += precision;
  Factor result(information);
  if (result.info() == Eigen::Success) return result;
  Eigen::MatrixXd positive = this->information(at, 0);
  positive.diagonal() += precision;
  return Factor(positive);
}

/// Logarithm of the integral of the quadratic function, times the prior of the weights.
double FeatureEvidence::log_evidence(const Expansion& at, double variance) const {
  const Eigen::VectorXd prior = precision(variance);
  const Factor curvature = factor(at, at.information, prior);
  const Eigen::MatrixXd uphill = at.slope - prior.asDiagonal() * at.weights;
  const Eigen::Index first = intercept_ ? 1 : 0;
  const double log_precision = prior.tail(prior.size() - first).array().log().sum();
  return at.log_likelihood -
         0.5 * (prior.asDiagonal() * at.weights).cwiseProduct(at.weights).sum() +
         0.5 * uphill.cwiseProduct(curvature.solve(uphill)).sum() -
         0.5 * static_cast<double>(classes_ - 1) * (log_determinant(curvature) - log_precision);
}

/// Newton's method. The curvature is computed again where a step falls short of its promise.
FeatureEvidence::Expansion FeatureEvidence::climb(const Expansion& start, double variance) const {
  const Eigen::VectorXd prior = precision(variance);
  const auto height = [&](const Expansion& at) {
    return at.log_likelihood -
           0.5 * (prior.asDiagonal() * at.weights).cwiseProduct(at.weights).sum();
  };
  Expansion best = start;
  Factor curvature = factor(start, start.information, prior);
  for (int i = 0; i < kMostSteps; ++i) {
    const Eigen::MatrixXd uphill = best.slope - prior.asDiagonal() * best.weights;
    Eigen::MatrixXd step = curvature.solve(uphill);
    const double promised = 0.5 * uphill.cwiseProduct(step).sum();
    if (!(promised > kLeastGain)) break;
    Expansion next = point(best.weights + step);
    for (int n = 0; n < kMostHalvings && height(next) < height(best); ++n) {
      step *= 0.5;
      next = point(best.weights + step);
    }
    const double gained = height(next) - height(best);
    if (!(gained > 0)) break;
    best = std::move(next);
    if (std::abs(gained - promised) > 0.5 * promised) {
      curvature = factor(best, information(best, -1), prior);
    }
  }
  best.information = information(best, -1);
  return best;
}

std::optional<MulticlassRegression> learned_regression(const Design& design,
                                                       const HeldShares& prior,
                                                       const std::vector<std::uint32_t>& labelled,
                                                       const std::vector<double>& log_likelihoods) {
  if (labelled.empty()) return {};
  const FeatureEvidence evidence(design, prior, labelled, log_likelihoods);
  const auto variance = [&](std::size_t n) { return kStrengths[n] / design.feature_count(); };
  const double enough = evidence.without_features() + kLogOdds;
  std::size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < kStrengths.size(); ++n) {
    const double found = evidence.log_evidence(evidence.shares(), variance(n));
    if (found <= most) continue;
    most = found;
    best = n;
  }
  if (!(most >= enough - kLogMargin)) return {};
  auto chosen = evidence.climb(evidence.shares(), variance(best));
  most = evidence.log_evidence(chosen, variance(best));
  for (std::size_t n = best + 1; n < kStrengths.size(); ++n) {
    if (!(evidence.log_evidence(chosen, variance(n)) > most - kLogMargin)) break;
    auto next = evidence.climb(chosen, variance(n));
    const double found = evidence.log_evidence(next, variance(n));
    if (!(found > most)) break;
    chosen = std::move(next);
    most = found;
    best = n;
  }
  if (!(most >= enough)) return {};
  std::optional<MulticlassRegression> result;
  // The intercept is free now: features that tell classes apart also tell how many there are.
  result.emplace(design, RegressionPrior{prior.shares, variance(best)}, labelled);
  result->start_from(std::move(chosen.weights));
  return result;
}

}  // namespace allot::model
