// How the numbers are computed. Everything is a sum over nodes of products over classes, in log x;
// the density there is g = x f.
//
// A curve. With D_a(x) = x^a exp(-x) / Gamma(a+1), g_a = a D_a and
//   F_a = D_a (1 + x/(a+1) (1 + x/(a+2) (1 + ...))),    F_a = F_(a+1) + D_a,    D_a = D_(a+1)
//   (a+1)/x,
// all terms are positive. The series gives the curve of the largest parameter. Steps down give the
// curves of parameters that differ from it by whole numbers, as under a symmetric prior.
//
// The nodes come in blocks, walked from the middle to either side until a block adds nothing. All
// integrands are log-concave in log x, so nothing lies beyond.
//
// The loops over lanes are written for the vectoriser; this file is compiled with -O3.
#include "allot/math/dirichlet_win.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "allot/base/check.hpp"
#include "allot/math/beta_tail.hpp"
#include "base/every_processor.hpp"
#include "math/lane_exp.hpp"

namespace allot::math {
namespace {

constexpr double kSmallest = 1e-8, kLargest = 1e10;
/// A class overtakes another only by more than this: parameters from decimal priors carry rounding.
constexpr double kMarginNoise = 1e-12;
/// A block that adds less than this share of the total ends the walk over blocks.
constexpr double kNegligible = 1e-17;
/// Where x is smaller, the step down from the next parameter would divide by almost nothing.
constexpr double kStepDownFrom = 1e-30;
constexpr std::size_t kLanes = 8;

/// A block of nodes, or one value per node.
struct alignas(64) Lanes {
  std::array<double, kLanes> at;

  double& operator[](std::size_t i) { return at[i]; }
  double operator[](std::size_t i) const { return at[i]; }
};

Lanes filled(double value) {
  Lanes lanes;
  lanes.at.fill(value);
  return lanes;
}

Lanes operator*(const Lanes& left, const Lanes& right) {
  Lanes product;
  for (std::size_t i = 0; i < kLanes; ++i) product[i] = left[i] * right[i];
  return product;
}

/// The sum of all lanes, added in a fixed order.
double sum(const Lanes& lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

Lanes power(const Lanes& base, std::uint32_t exponent) {
  Lanes result = filled(1), square = base;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * square;
    square = square * square;
  }
  return result;
}

struct Nodes {
  Lanes log_x, x, weight;
};

/// Classes with the same parameter.
struct Group {
  double alpha;
  std::uint32_t classes;
};

/// Density in log x and distribution function of one group.
struct Curve {
  Lanes density, below;
};

/// log Gamma(a) - ((a - 1/2) log a - a + log(2 pi)/2) for a >= kStirling.
constexpr double kStirling = 10;
double stirling_remainder(double a) {
  const double r = 1 / a;
  constexpr std::array<double, 7> kSeries{1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                          1.0 / 1188, -691.0 / 360360, 1.0 / 156};
  return r * polynomial(kSeries, r * r);
}

Lanes density(double a, const Nodes& nodes) {
  Lanes g;
  if (a < kStirling) {
    const double log_gamma = boost::math::lgamma(a);
    for (std::size_t i = 0; i < kLanes; ++i) {
      g[i] = std::exp(a * nodes.log_x[i] - nodes.x[i] - log_gamma);
    }
  } else {
    const double factor =
        std::sqrt(a * (0.5 * std::numbers::inv_pi)) * std::exp(-stirling_remainder(a));
    for (std::size_t i = 0; i < kLanes; ++i) {
      const double off = (nodes.x[i] - a) / a;
      g[i] = factor * std::exp(a * (std::log1p(off) - off));
    }
  }
  return g;
}

/// Terms of the series of F_a that are enough for a relative error of 1e-17 at all points up to x.
int series_length(double a, double x) {
  constexpr double kLogError = 39;
  if (x < 0.25 * (a + 1)) return 1 + static_cast<int>(kLogError / std::log((a + 1) / x));
  // The terms grow until n = x - a and then fall as exp(k - (y + k) log(1 + k/y)), k steps from
  // there. If they never grow, they fall from y = a.
  const double y = std::max(a, x);
  double k = kLogError + std::sqrt(kLogError * (kLogError + 2 * y));
  for (int i = 0; i < 3; ++i) {
    const double slope = std::log1p(k / y);
    k -= ((y + k) * slope - k - kLogError) / slope;
  }
  return 1 + static_cast<int>(std::max(0.0, x - a) + k);
}

/// The first `length` terms of 1 + x/(a+1) (1 + x/(a+2) (1 + ...)).
ALLOT_EVERY_PROCESSOR void fill_series(double a, int length, const Lanes& x, Lanes& series) {
  series = filled(1);
  for (int n = length; n > 0; --n) {
    const double inverse = 1 / (a + n);
    for (std::size_t i = 0; i < kLanes; ++i) series[i] = 1 + x[i] * inverse * series[i];
  }
}

/// Steps down by whole numbers from F_(a+steps), D_(a+steps) to F_a, D_a.
ALLOT_EVERY_PROCESSOR void step_down(double a, int steps, const Lanes& x, Lanes& below,
                                     Lanes& share) {
  Lanes inverse;
  for (std::size_t i = 0; i < kLanes; ++i) inverse[i] = 1 / x[i];
  for (int n = steps; n > 0; --n) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      share[i] *= (a + n) * inverse[i];
      below[i] += share[i];
    }
  }
}

/// A curve from its series.
Curve first_curve(double a, const Nodes& nodes) {
  Curve curve{density(a, nodes), filled(1)};
  // Pr(X > x) < g / (x - a), so far enough above a the distribution function is 1.
  std::size_t open = kLanes;
  while (open > 0 && curve.density[open - 1] < 1e-18 * (nodes.x[open - 1] - a)) --open;
  if (open == 0) return curve;
  Lanes series;
  fill_series(a, series_length(a, nodes.x[open - 1]), nodes.x, series);
  for (std::size_t i = 0; i < open; ++i) {
    curve.below[i] = std::min(1.0, curve.density[i] / a * series[i]);
  }
  return curve;
}

/// The number of whole steps from a down to b; 0 if there are none or too many.
int whole_steps(double a, double b) {
  constexpr double kMost = 100;
  const double steps = std::round(a - b);
  return steps <= kMost && std::abs(a - b - steps) <= 1e-14 * a ? static_cast<int>(steps) : 0;
}

/// The sums that the blocks add up.
class Sums {
 public:
  explicit Sums(std::span<const Group> groups)
      : groups_(groups),
        curves_(groups.size()),
        before_(groups.size()),
        of_groups_(groups.size()) {}

  /// The sums of one group. The first group has only the kernel, between two of its classes.
  struct OfGroup {
    double win = 0;        // I of one of its classes
    double kernel = 0;     // K of one of its classes and one class of the first group
    double overshoot = 0;  // overshoot of one of its classes
  };

  /// Adds a block of nodes. False if the block added nothing.
  bool add(const Nodes& nodes) {
    fill_curves(nodes);
    const Curve& top = curves_.front();
    const std::uint32_t tops = groups_.front().classes;
    // Products over all other groups: those before from the left, those after on the way back.
    before_[0] = nodes.weight * power(top.below, tops - 1);
    for (std::size_t d = 1; d + 1 < groups_.size(); ++d) {
      before_[d] = before_[d - 1] * power(curves_[d].below, groups_[d].classes);
    }
    Lanes after = filled(1);
    bool grew = false;
    for (std::size_t d = groups_.size(); d-- > 1;) {
      const Lanes alone = power(curves_[d].below, groups_[d].classes - 1);
      const Lanes rest = before_[d - 1] * after * alone;
      const Lanes rest_and_density = rest * curves_[d].density;
      grew |= grow(of_groups_[d].win, sum(rest_and_density * top.below));
      grew |= grow(of_groups_[d].kernel, sum(rest_and_density * top.density));
      if (overtakes(d)) grew |= grow(of_groups_[d].overshoot, sum(rest * overshoot(d, nodes)));
      after = after * alone * curves_[d].below;
    }
    if (tops > 1) {
      const Lanes rest = nodes.weight * power(top.below, tops - 2) * after;
      grew |= grow(of_groups_[0].kernel, sum(rest * top.density * top.density));
    }
    return grew;
  }

  std::span<const OfGroup> of_groups() const { return of_groups_; }

 private:
  /// True if a label lifts a class of the group above the first.
  bool overtakes(std::size_t d) const {
    return groups_[d].alpha + 1 - groups_.front().alpha > kMarginNoise;
  }

  /// g_(d+1) F_0 - g_0 F_(d+1), where d+1 stands for the parameter after a label. It is not
  /// negative, because F_(d+1) / F_0 rises.
  Lanes overshoot(std::size_t d, const Nodes& nodes) const {
    const Curve &top = curves_.front(), &own = curves_[d];
    Lanes result;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const double share = own.density[i] / groups_[d].alpha;
      result[i] = std::max(
          0.0, share * nodes.x[i] * top.below[i] - top.density[i] * (own.below[i] - share));
    }
    return result;
  }

  void fill_curves(const Nodes& nodes) {
    curves_[0] = first_curve(groups_[0].alpha, nodes);
    for (std::size_t d = 1; d < groups_.size(); ++d) {
      const double a = groups_[d].alpha, last = groups_[d - 1].alpha;
      const int steps = nodes.x[0] > kStepDownFrom ? whole_steps(last, a) : 0;
      if (steps == 0) {
        curves_[d] = first_curve(a, nodes);
        continue;
      }
      Lanes share = curves_[d - 1].density * filled(1 / last);
      curves_[d].below = curves_[d - 1].below;
      step_down(a, steps, nodes.x, curves_[d].below, share);
      for (std::size_t i = 0; i < kLanes; ++i) {
        curves_[d].density[i] = a * share[i];
        curves_[d].below[i] = std::min(1.0, curves_[d].below[i]);
      }
    }
  }

  static bool grow(double& total, double part) {
    total += part;
    return part > kNegligible * total;
  }

  std::span<const Group> groups_;
  std::vector<Curve> curves_;
  std::vector<Lanes> before_;
  std::vector<OfGroup> of_groups_;
};

/// The point near which the product of the two largest densities and all distribution functions is
/// largest. There the differences alpha - x of the parameters above it sum to 0.
double middle(std::span<const Group> groups) {
  double total = 0, classes = 0;
  for (const auto& [alpha, count] : groups) {
    const bool first = classes == 0;
    if (classes >= 2 && alpha <= total / classes) break;
    const double counted = first || alpha > total / classes ? count : 1.0;
    total += counted * alpha;
    classes += counted;
  }
  return total / classes;
}

class Grid {
 public:
  /// Densities about x are 1/sqrt(x) wide in log x, and the largest of many is narrower still. With
  /// the factor 0.35 the error is below rounding, found by trial; it is 1e-9 at 0.5.
  Grid(double middle, double classes)
      : middle_(place_of(std::log(middle))),
        step_(0.35 / std::sqrt(1 + middle + 3 * std::sqrt(middle)) /
              (1 + 0.25 * std::log(classes))) {}

  /// Block 0 begins at the middle, block -1 ends before it.
  Nodes block(int number) const {
    Nodes nodes;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const double u =
          middle_ + step_ * (number * static_cast<double>(kLanes) + static_cast<double>(i));
      const double bend = std::exp(-u);
      nodes.log_x[i] = u - bend;
      nodes.x[i] = std::exp(nodes.log_x[i]);
      nodes.weight[i] = step_ * (1 + bend);
    }
    return nodes;
  }

 private:
  /// u with u - exp(-u) = log_x, by Newton's method from below.
  static double place_of(double log_x) {
    double u = log_x > 0 ? log_x : -std::log1p(-log_x);
    for (int i = 0; i < 8; ++i) {
      const double bend = std::exp(-u);
      u -= (u - bend - log_x) / (1 + bend);
    }
    return u;
  }

  double middle_, step_;
};

std::vector<Sums::OfGroup> integrate(std::span<const Group> groups, std::size_t classes) {
  Sums sums(groups);
  const Grid grid(middle(groups), static_cast<double>(classes));
  for (int block = 0; sums.add(grid.block(block)); ++block) continue;
  for (int block = -1; sums.add(grid.block(block)); --block) continue;
  return {sums.of_groups().begin(), sums.of_groups().end()};
}

/// The sums of two classes, the one with the larger parameter first.
std::vector<Sums::OfGroup> closed_form(double a, double b) {
  const double tail = error_probability(a, b), kernel = kernel_at_half(a, b);
  const double overshoot = b + 1 - a > kMarginNoise ? 2 * (kernel / b - (0.5 - tail)) : 0.0;
  return {{}, {tail, kernel, std::max(0.0, overshoot)}};
}

std::vector<Sums::OfGroup> sums_of(std::span<const Group> groups, std::size_t classes) {
  if (classes > 2) return integrate(groups, classes);
  const double a = groups.front().alpha;
  if (groups.size() == 2) return closed_form(a, groups.back().alpha);
  return {{0, kernel_at_half(a, a), 0}};
}

}  // namespace

WinOutlook win_outlook(std::span<const double> alpha) {
  constexpr std::string_view kName = "win_outlook";
  const std::size_t classes = alpha.size();
  require(classes >= 2, kName, "number of classes", static_cast<double>(classes),
          "expected at least 2");
  for (const double a : alpha) {
    require(a >= kSmallest && a <= kLargest, kName, "alpha", a, "expected 1e-8 to 1e10");
  }
  std::vector<std::size_t> order(classes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t c) { return alpha[c]; });

  std::vector<Group> groups;
  std::vector<std::size_t> group_of(classes);
  for (const std::size_t c : order) {
    if (groups.empty() || groups.back().alpha != alpha[c]) groups.push_back({alpha[c], 0});
    ++groups.back().classes;
    group_of[c] = groups.size() - 1;
  }
  auto sums = sums_of(groups, classes);

  // The classes of the first group share the remaining probability equally.
  const double top = groups.front().alpha, tops = groups.front().classes;
  double others = 0, kernels = (tops - 1) * sums.front().kernel;
  for (std::size_t d = groups.size(); d-- > 1;) {
    others += groups[d].classes * sums[d].win;
    kernels += groups[d].classes * sums[d].kernel;
  }
  sums.front().win = (1 - others) / tops;
  WinOutlook result{order.front(), std::vector<double>(classes), others,
                    kernels / top, std::vector<double>(classes), std::vector<double>(classes)};
  result.error += (tops - 1) * sums.front().win;
  sums.front().overshoot = result.rise + sums.front().kernel / top;
  for (std::size_t c = 0; c < classes; ++c) {
    const Sums::OfGroup& own = sums[group_of[c]];
    result.win[c] = own.win;
    if (c == result.best) continue;
    result.fall[c] = own.kernel / alpha[c];
    result.overshoot[c] = own.overshoot;
  }
  return result;
}

}  // namespace allot::math
