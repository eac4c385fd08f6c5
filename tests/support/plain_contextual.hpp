// The contextual model the plain way, in p dimensions: Newton's method for the mode, a new
// covariance for every update.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/rng.hpp"
#include "allot/model/contextual.hpp"

namespace allot::test {

struct PlainBelief {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

struct PlainLabel {
  Eigen::VectorXd features;
  Label label;
};

inline double plain_logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// log p(w | labels) up to a constant.
inline double plain_log_posterior(const Eigen::VectorXd& w, const PlainBelief& prior,
                                  const Eigen::MatrixXd& precision,
                                  const std::vector<PlainLabel>& labels) {
  const Eigen::VectorXd off = w - prior.mean;
  double sum = -0.5 * off.dot(precision * off);
  for (const PlainLabel& one : labels) {
    const double u = one.features.dot(w) * (one.label == Label::positive ? 1 : -1);
    sum -= u > 0 ? std::log1p(std::exp(-u)) : std::log1p(std::exp(u)) - u;
  }
  return sum;
}

/// The Laplace posterior after all labels at once [CLZ eq:post_mean], Newton with step halving.
inline PlainBelief plain_laplace(const PlainBelief& prior, const std::vector<PlainLabel>& labels) {
  const Eigen::MatrixXd precision = prior.covariance.inverse();
  Eigen::VectorXd w = prior.mean;
  Eigen::MatrixXd hessian;
  for (int step = 0; step < 200; ++step) {
    Eigen::VectorXd gradient = -precision * (w - prior.mean);
    hessian = precision;
    for (const PlainLabel& one : labels) {
      const double s = plain_logistic(one.features.dot(w));
      gradient += ((one.label == Label::positive ? 1 : 0) - s) * one.features;
      hessian += s * (1 - s) * one.features * one.features.transpose();
    }
    const Eigen::VectorXd move = hessian.llt().solve(gradient);
    if (move.norm() <= 1e-14 * (1 + w.norm())) break;
    double length = 1;
    const double here = plain_log_posterior(w, prior, precision, labels);
    while (length > 1e-9 && plain_log_posterior(w + length * move, prior, precision, labels) <
                                here - 1e-10 * (1 + std::abs(here))) {
      length *= 0.5;
    }
    w += length * move;
  }
  return {w, hessian.inverse()};
}

inline PlainBelief plain_prior(std::size_t size, double variance) {
  const auto p = static_cast<Eigen::Index>(size);
  return {Eigen::VectorXd::Zero(p), variance * Eigen::MatrixXd::Identity(p, p)};
}

inline Eigen::VectorXd plain_row(const model::Design& design, std::size_t item) {
  return Eigen::Map<const Eigen::VectorXd>(&design.values[item * design.column_count],
                                           design.column_count);
}

/// What a belief holds, in Eigen's types.
inline PlainBelief plain(const model::Contextual& belief) {
  const auto p = static_cast<Eigen::Index>(belief.weights().size());
  return {Eigen::Map<const Eigen::VectorXd>(belief.weights().data(), p),
          Eigen::Map<const Eigen::MatrixXd>(belief.covariance().data(), p, p)};
}

/// sum over items of h(P) = max(P, 1 - P).
inline double plain_confidence(const model::Design& design, const PlainBelief& belief) {
  double sum = 0;
  for (std::size_t i = 0; i < design.item_count; ++i) {
    const Eigen::VectorXd x = plain_row(design, i);
    const double m = x.dot(belief.mean), s2 = x.dot(belief.covariance * x);
    sum += 1 - 0.5 * std::erfc(std::abs(m) / std::sqrt(2 * s2));
  }
  return sum;
}

/// Rows of standard normal numbers behind an intercept.
inline model::Design random_design(std::uint32_t items, std::uint32_t columns, Rng& rng) {
  model::Design design{items, columns, {}, std::vector<std::string>(columns), {}};
  for (std::uint32_t i = 0; i < items; ++i) {
    for (std::uint32_t j = 0; j < columns; ++j) design.values.push_back(j == 0 ? 1 : normal(rng));
  }
  return design;
}

/// The logit of an item under true weights 1, -1, 1/2, 1, -1, 1/2, ...
inline double true_logit(const model::Design& design, std::size_t item) {
  double u = 0;
  for (std::size_t j = 0; j < design.column_count; ++j) {
    constexpr double kTrue[] = {1, -1, 0.5};
    u += kTrue[j % 3] * design.values[item * design.column_count + j];
  }
  return u;
}

inline Label drawn_label(const model::Design& design, std::size_t item, Rng& rng) {
  return uniform(rng) < plain_logistic(true_logit(design, item)) ? Label::positive
                                                                 : Label::negative;
}

/// Labels of items drawn at random, recorded in the belief.
inline std::vector<PlainLabel> record_random(model::Contextual& belief, const model::Design& design,
                                             int count, Rng& rng) {
  std::vector<PlainLabel> labels;
  for (int i = 0; i < count; ++i) {
    const auto item = static_cast<std::uint32_t>(below(rng, design.item_count));
    labels.push_back({plain_row(design, item), drawn_label(design, item, rng)});
    belief.record(ItemId{item}, labels.back().label);
  }
  return labels;
}

}  // namespace allot::test
