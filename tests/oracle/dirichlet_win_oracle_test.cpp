// The numbers of math/dirichlet_win against exact sums for whole parameters and against Boost's
// adaptive quadrature of Boost's gamma functions for others.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <map>

#include "allot/base/rng.hpp"
#include "allot/math/dirichlet_win.hpp"
#include "support/wide_number.hpp"

namespace allot::test::dirichlet_win_oracle_test {
namespace {

using math::win_outlook;
using math::WinOutlook;
using Parameters = std::vector<double>;

/// sum_j exp(-j x) times a polynomial: the form of products of gamma curves of whole parameters.
using Terms = std::map<unsigned, std::vector<Wide>>;

Terms product(const Terms& first, const Terms& second) {
  Terms result;
  for (const auto& [i, left] : first) {
    for (const auto& [j, right] : second) {
      std::vector<Wide>& sum = result[i + j];
      sum.resize(std::max(sum.size(), left.size() + right.size() - 1));
      for (std::size_t n = 0; n < left.size(); ++n) {
        for (std::size_t m = 0; m < right.size(); ++m) sum[n + m] += left[n] * right[m];
      }
    }
  }
  return result;
}

Wide factorial(std::size_t n) {
  Wide result = 1;
  for (std::size_t k = 2; k <= n; ++k) result *= k;
  return result;
}

/// F of Gamma(a): 1 - exp(-x) sum_(k < a) x^k / k!.
Terms below_terms(double a) {
  std::vector<Wide> tail;
  for (std::size_t k = 0; k < static_cast<std::size_t>(a); ++k) tail.push_back(-1 / factorial(k));
  return {{0, {1}}, {1, tail}};
}

Wide win_by_counting(const Parameters& alpha, std::size_t c) {
  const auto power = static_cast<std::size_t>(alpha[c]) - 1;
  std::vector<Wide> density(power + 1);
  density[power] = 1 / factorial(power);
  Terms terms{{1, density}};
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    if (k != c) terms = product(terms, below_terms(alpha[k]));
  }
  Wide sum = 0;
  for (const auto& [j, polynomial] : terms) {
    for (std::size_t n = 0; n < polynomial.size(); ++n) {
      sum += polynomial[n] * factorial(n) / pow(Wide(j), static_cast<unsigned>(n) + 1);
    }
  }
  return sum;
}

Parameters after(Parameters alpha, std::size_t label) {
  ++alpha[label];
  return alpha;
}

TEST(WinOutlookOracle, IsTheExactSumForWholeParameters) {
  Rng rng(3);
  for (int i = 0; i < 60; ++i) {
    Parameters alpha(3 + below(rng, 4));
    for (double& a : alpha) a = 1 + static_cast<double>(below(rng, i % 2 == 0 ? 3 : 14));
    const WinOutlook outlook = win_outlook(alpha);
    const std::size_t best = outlook.best;
    const Wide now = win_by_counting(alpha, best);
    ASSERT_LT(relative_error(outlook.error, 1 - now), 1e-13);
    for (std::size_t c = 0; c < alpha.size(); ++c) {
      ASSERT_LT(relative_error(outlook.win[c], win_by_counting(alpha, c)), 1e-13);
      const Wide then = win_by_counting(after(alpha, c), best);
      ASSERT_LT(relative_error(c == best ? outlook.rise : outlook.fall[c], abs(then - now)), 1e-12);
      const Wide own = win_by_counting(after(alpha, c), c);
      if (c != best && alpha[c] == alpha[best]) {
        ASSERT_LT(relative_error(outlook.overshoot[c], own - then), 1e-12);
      } else {
        ASSERT_EQ(outlook.overshoot[c], 0);
      }
    }
  }
}

TEST(WinOutlookOracle, IsTheExactSumForOneClassAgainstManyOfParameterOne) {
  // Gamma(a) is below the largest of m exponential variables with chance
  //   e(a) = sum_(j = 1..m) (-1)^(j+1) binomial(m, j) (1+j)^-a,   for any real a.
  for (const std::size_t m : {2U, 5U, 20U, 49U}) {
    for (const double a : {1.001, 1.5, 3.0, 10.7, 33.3, 100.0, 250.5, 900.0}) {
      Parameters alpha(m + 1, 1);
      alpha[m / 2] = a;
      Wide error = 0, next = 0, binomial = 1;
      for (std::size_t j = 1; j <= m; ++j) {
        binomial *= Wide(m - j + 1) / j;
        const Wide term = (j % 2 == 1 ? binomial : -binomial) * pow(Wide(1 + j), -Wide(a));
        error += term;
        next += term / (1 + j);
      }
      const WinOutlook outlook = win_outlook(alpha);
      ASSERT_LT(relative_error(outlook.error, error), 1e-12) << m << " " << a;
      ASSERT_LT(relative_error(outlook.rise, error - next), 1e-12) << m << " " << a;
      ASSERT_LT(relative_error(outlook.win[m], error / m), 1e-12) << m << " " << a;
    }
  }
}

/// I_c by adaptive quadrature in log x, piece by piece; Real needs a wide exponent for tiny alpha.
template <typename Real>
Real win_by_quadrature(const Parameters& alpha, std::size_t c, double tolerance) {
  using boost::math::lgamma;
  Real total = 0, start = -50;
  for (const double a : alpha) {
    total += a;
    start += lgamma(Real(a) + 1);
  }
  const double largest = *std::max_element(alpha.begin(), alpha.end());
  // F_a <= x^a / Gamma(a+1) bounds the left end.
  const Real low = start / total, high = log(Real(largest + 14 * std::sqrt(largest) + 60));
  const auto integrand = [&](const Real& t) -> Real {
    const Real x = exp(t);
    Real value = x * boost::math::gamma_p_derivative(Real(alpha[c]), x);
    for (std::size_t k = 0; k < alpha.size() && value != 0; ++k) {
      if (k != c) value *= boost::math::gamma_p(Real(alpha[k]), x);
    }
    return value;
  };
  Real sum = 0;
  const int pieces = 12;
  for (int i = 0; i < pieces; ++i) {
    sum += boost::math::quadrature::gauss_kronrod<Real, 31>::integrate(
        integrand, low + (high - low) * i / pieces, low + (high - low) * (i + 1) / pieces, 9,
        tolerance);
  }
  return sum;
}

void expect_quadrature(const Parameters& alpha, double tolerance) {
  const WinOutlook outlook = win_outlook(alpha);
  double sum = 0;
  for (std::size_t c = 0; c < alpha.size(); ++c) {
    EXPECT_NEAR(outlook.win[c], win_by_quadrature<double>(alpha, c, 1e-9), tolerance);
    sum += outlook.win[c];
  }
  EXPECT_NEAR(sum, 1, 1e-14);
}

TEST(WinOutlookOracle, AgreesWithAdaptiveQuadratureForRealParameters) {
  Rng rng(5);
  for (int i = 0; i < 18; ++i) {
    Parameters alpha(3 + below(rng, 5));
    const double level = std::pow(10, 5 * uniform(rng));
    for (double& a : alpha) {
      a = i % 3 == 0   ? 0.2 + 20 * uniform(rng)
          : i % 3 == 1 ? std::pow(10, -1 + 4 * uniform(rng))
                       : level + (uniform(rng) - 0.5) * 8 * std::sqrt(level) + 4;
    }
    expect_quadrature(alpha, 1e-11);
  }
}

TEST(WinOutlookOracle, AgreesWithAdaptiveQuadratureForManyClasses) {
  Rng rng(6);
  Parameters alpha(50);
  for (double& a : alpha) a = 0.5 + 3 * uniform(rng);
  const WinOutlook outlook = win_outlook(alpha);
  for (const std::size_t c : {std::size_t{0}, std::size_t{17}, outlook.best}) {
    EXPECT_NEAR(outlook.win[c], win_by_quadrature<double>(alpha, c, 1e-9), 1e-12);
  }
}

TEST(WinOutlookOracle, AgreesWithAdaptiveQuadratureForExtremeParameters) {
  expect_quadrature({1e6, 1e6 + 500, 1e6 - 1000, 1e-3}, 1e-10);
  expect_quadrature({1e4, 1e4 - 0.5, 3, 0.1}, 1e-11);
  // log x goes down to -40000: a wide exponent is needed.
  const Parameters tiny{1e-3, 2e-3, 5e-4};
  const WinOutlook outlook = win_outlook(tiny);
  for (std::size_t c = 0; c < tiny.size(); ++c) {
    const Wide wide = win_by_quadrature<Wide>(tiny, c, 1e-9);
    EXPECT_NEAR(outlook.win[c], static_cast<double>(wide), 1e-12);
  }
}

}  // namespace
}  // namespace allot::test::dirichlet_win_oracle_test
