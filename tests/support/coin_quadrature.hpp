// Posterior moments of a worker's coins by integration.
#pragma once

#include <boost/math/distributions/beta.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/math/beta_match.hpp"

namespace allot::test {

/// Integrals of 1, s, t, s^2, s t, t^2.
struct CoinMoments {
  double mass = 0, s = 0, t = 0, ss = 0, st = 0, tt = 0;

  void add(double weight, double x, double y) {
    mass += weight;
    s += weight * x;
    t += weight * y;
    ss += weight * x * x;
    st += weight * x * y;
    tt += weight * y * y;
  }
  CoinMoments scaled(double by) const {
    return {mass * by, s * by, t * by, ss * by, st * by, tt * by};
  }
  CoinMoments operator+(const CoinMoments& other) const {
    return {mass + other.mass, s + other.s,   t + other.t,
            ss + other.ss,     st + other.st, tt + other.tt};
  }
};

struct Node {
  double at, weight;
};

/// Gauss-Legendre nodes on [0, 1] weighted by a Beta density: with the 20 nodes exact for whole
/// counts whose sum is below 36.
inline std::vector<Node> beta_nodes(const math::BetaShape& shape) {
  using Gauss = boost::math::quadrature::gauss<double, 20>;
  const boost::math::beta_distribution<double> density(shape.a, shape.b);
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < Gauss::abscissa().size(); ++i) {
    for (const double sign : {1.0, -1.0}) {
      const double at = 0.5 * (1 + sign * Gauss::abscissa()[i]);
      nodes.push_back({at, 0.5 * Gauss::weights()[i] * pdf(density, at)});
    }
  }
  return nodes;
}

/// Pr(label | coins) of an item that is positive with probability p.
inline double label_chance(double s, double t, double p, Label label) {
  const double yes = p * s + (1 - p) * (1 - t);
  return label == Label::positive ? yes : 1 - yes;
}

/// Likelihood of a label times density, over two independent coins.
inline CoinMoments integrate_two_coins(const math::BetaShape& sensitivity,
                                       const math::BetaShape& specificity, double p, Label label) {
  CoinMoments sums;
  const std::vector<Node> second = beta_nodes(specificity);
  for (const auto& [s, w] : beta_nodes(sensitivity)) {
    for (const auto& [t, v] : second) sums.add(w * v * label_chance(s, t, p, label), s, t);
  }
  return sums;
}

/// The same over one coin and the soft label of the item.
inline CoinMoments integrate_one_coin(const math::BetaShape& reliability,
                                      const math::BetaShape& soft_label, Label label) {
  CoinMoments sums;
  const std::vector<Node> items = beta_nodes(soft_label);
  for (const auto& [rho, w] : beta_nodes(reliability)) {
    for (const auto& [theta, v] : items)
      sums.add(w * v * label_chance(rho, rho, theta, label), rho, rho);
  }
  return sums;
}

}  // namespace allot::test
