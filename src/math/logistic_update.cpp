#include "allot/math/logistic_update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "allot/base/check.hpp"

namespace allot::math {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Slope of a falling function at least, so that a Newton step never divides by 0.
constexpr double kLeastFall = 1e-300;
/// Below it tanh(xi/2) / (2 xi) is taken from its series, which is exact to the last bit there.
constexpr double kSeriesBelow = 1e-4;
/// Halving stops at a bracket of this relative width.
constexpr double kTurnWidth = 1e-15;

void check(double mean, double variance, std::string_view function) {
  require(std::isfinite(mean), function, "mean", mean, "expected a finite number");
  require(variance >= 0 && variance < kInfinity, function, "variance", variance,
          "expected 0 or more");
}

struct Point {
  double value, slope;
};

/// The root of a function that falls from the left end to the right one. Newton steps; the bracket
/// is halved where a step leaves it or does not shrink, as Newton steps could go round in circles.
template <typename Function>
double falling_root(const Function& function, double left, double right, double start) {
  double x = start, last = right - left;
  for (int step = 0; step < 200; ++step) {
    const Point here = function(x);
    (here.value >= 0 ? left : right) = x;
    double next = x - here.value / here.slope;
    if (!(next >= left && next <= right && std::abs(next - x) <= 0.5 * last)) {
      next = 0.5 * (left + right);
    }
    const double noise = 2e-16 * std::max(1.0, std::abs(next));
    last = std::abs(next - x);
    x = next;
    if (last <= noise || right - left <= noise) break;
  }
  return x;
}

/// The update for a positive label of a perfect worker. s2 sigma(-u) - (u - m) falls; its root lies
/// in [m, m + s2].
LogisticUpdate certain_update(double mean, double variance) {
  const auto balance = [&](double u) {
    const double rest = logistic(-u);
    return Point{variance * rest - (u - mean), -variance * rest * (1 - rest) - 1};
  };
  const double u =
      falling_root(balance, mean, mean + variance, std::clamp(0.0, mean, mean + variance));
  const double step = logistic(-u);
  return {step, step * (1 - step)};
}

/// The logarithm of the likelihood a sigma(u) + b (1 - sigma(u)), a > b > 0, over w = u + h.
class DoubtfulLabel {
 public:
  explicit DoubtfulLabel(double half_log_odds) : h_(half_log_odds), e_(std::exp(-half_log_odds)) {}

  /// sinh h / (cosh h + cosh w), with no exponential above 1.
  double slope(double w) const {
    const double e = std::exp(-std::abs(w));
    return (1 - e_ * e_) * (e / sum(e));
  }

  /// The derivative of the slope: positive left of w = 0.
  double bend(double w) const {
    const double e = std::exp(-std::abs(w));
    const double size = (1 - e_ * e_) * (1 - e * e) * (e_ / sum(e)) * (e / sum(e));
    return w < 0 ? size : -size;
  }

  /// log L up to a constant: softplus(-(w + h)) - softplus(-(w - h)).
  double logarithm(double w) const { return softplus(-(w + h_)) - softplus(h_ - w); }

  /// The place left of 0 at which the slope rises fastest: cosh w = (C + sqrt(C^2 + 8)) / 2.
  double steepest() const {
    if (h_ > 20) return -h_;
    const double c = std::cosh(h_);
    return -std::acosh(0.5 * (c + std::sqrt(c * c + 8)));
  }

 private:
  static double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
  double sum(double e) const { return (1 + e_ * e_) * e + (1 + e * e) * e_; }

  double h_, e_;
};

/// Modes of a doubtful label's posterior over w, where the prior is N(m, s2).
///   balance(w) = s2 slope(w) - (w - m)   is 0 at each;
/// it falls, except between the two places where s2 bend(w) = 1, if they exist.
class DoubtfulModes {
 public:
  DoubtfulModes(const DoubtfulLabel& label, double mean, double variance)
      : label_(label), mean_(mean), variance_(variance) {}

  double highest() const {
    const double end = mean_ + variance_;
    if (mean_ >= 0) return mode_between(mean_, end);
    const double steepest = label_.steepest();
    if (variance_ * label_.bend(steepest) <= 1) return mode_between(mean_, end);
    const double peak = turn(steepest, 0.0, 1);
    if (peak <= mean_) return mode_between(mean_, end);
    double dip = mean_;
    // The bend rises up to the steepest place.
    if (steepest > mean_ && variance_ * label_.bend(mean_) < 1) dip = turn(mean_, steepest, -1);
    if (balance(dip) >= 0) return mode_between(peak, end);
    const double lower = mode_between(mean_, dip);
    if (balance(peak) <= 0) return lower;
    const double upper = mode_between(peak, end);
    return density(upper) > density(lower) ? upper : lower;
  }

 private:
  double balance(double w) const { return variance_ * label_.slope(w) - (w - mean_); }
  double density(double w) const {
    return label_.logarithm(w) - 0.5 * (w - mean_) / variance_ * (w - mean_);
  }
  double mode_between(double left, double right) const {
    const auto point = [&](double w) {
      return Point{balance(w), std::min(variance_ * label_.bend(w) - 1, -kLeastFall)};
    };
    return falling_root(point, left, right, std::clamp(0.0, left, right));
  }
  /// The place where s2 bend(w) = 1, by halving; sign (s2 bend - 1) falls from left to right.
  double turn(double left, double right, double sign) const {
    for (int step = 0; step < 100 && right - left > kTurnWidth * (1 + std::abs(left)); ++step) {
      const double middle = 0.5 * (left + right);
      (sign * (variance_ * label_.bend(middle) - 1) >= 0 ? left : right) = middle;
    }
    return 0.5 * (left + right);
  }

  const DoubtfulLabel& label_;
  const double mean_, variance_;
};

/// The stationary point of the variational bound for a positive label, given xi.
LogisticUpdate bound_update(double mean, double variance, double xi) {
  const double k = xi < kSeriesBelow ? 0.25 - xi * xi / 48 : std::tanh(0.5 * xi) / (2 * xi);
  return {(0.5 - k * mean) / (1 + k * variance), k};
}

LogisticUpdate mirrored(LogisticUpdate update) { return {-update.step, update.curvature}; }

}  // namespace

double logistic(double x) {
  const double e = std::exp(-std::abs(x));
  return (x < 0 ? e : 1.0) / (1 + e);
}

LogisticUpdate laplace_update(double mean, double variance, Label label) {
  check(mean, variance, "laplace_update");
  return label == Label::positive ? certain_update(mean, variance)
                                  : mirrored(certain_update(-mean, variance));
}

LogisticUpdate laplace_update(double mean, double variance, const LabelLikelihood& label) {
  check(mean, variance, "laplace_update");
  const auto [a, b] = label;
  require(a >= 0 && a <= 1, "laplace_update", "likelihood if positive", a, "expected 0 to 1");
  require(b >= 0 && b <= 1, "laplace_update", "likelihood if negative", b, "expected 0 to 1");
  require(a + b > 0, "laplace_update", "sum of likelihoods", a + b, "expected more than 0");
  if (a == b) return {0, 0};
  if (a < b) return mirrored(laplace_update(-mean, variance, LabelLikelihood{b, a}));
  if (b == 0) return certain_update(mean, variance);
  const double half = 0.5 * std::log(a / b);
  const DoubtfulLabel logarithm(half);
  const double w = DoubtfulModes(logarithm, mean + half, variance).highest();
  return {logarithm.slope(w), std::max(0.0, -logarithm.bend(w))};
}

LogisticUpdate variational_update(double mean, double variance, Label label) {
  check(mean, variance, "variational_update");
  if (label == Label::negative) {
    return mirrored(variational_update(-mean, variance, Label::positive));
  }
  // E u^2 - xi^2 is positive at xi = 0 and changes its sign once. Regula falsi, halving the value
  // at the stale end.
  const auto excess = [&](double xi) {
    const LogisticUpdate update = bound_update(mean, variance, xi);
    const double moved = mean + variance * update.step;
    return variance / (1 + update.curvature * variance) + moved * moved - xi * xi;
  };
  double left = 0, at_left = excess(0);
  double right = std::sqrt(variance) + std::abs(mean) + 0.5 * variance, at_right = excess(right);
  int stale = 0;
  for (int step = 0; step < 200 && right - left > 4e-16 * right; ++step) {
    double xi = (left * at_right - right * at_left) / (at_right - at_left);
    // Far from the root the function is nearly a parabola, so every third step halves the bracket.
    if (!(xi > left && xi < right) || step % 3 == 2) xi = 0.5 * (left + right);
    const double here = excess(xi);
    if (here == 0) return bound_update(mean, variance, xi);
    if (here > 0) {
      left = xi, at_left = here;
      if (stale == 1) at_right *= 0.5;
      stale = 1;
    } else {
      right = xi, at_right = here;
      if (stale == -1) at_left *= 0.5;
      stale = -1;
    }
  }
  return bound_update(mean, variance, 0.5 * (left + right));
}

double predictive_logistic(double mean, double variance) {
  check(mean, variance, "predictive_logistic");
  return logistic(mean / std::sqrt(1 + variance * (std::numbers::pi / 8)));
}

}  // namespace allot::math
