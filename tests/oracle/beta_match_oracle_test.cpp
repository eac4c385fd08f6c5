// Moment matching by two other roads: the paper's closed forms, whose differences cancel, at 60
// digits; and integrals of likelihood times density.
#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include "allot/base/ids.hpp"
#include "allot/base/rng.hpp"
#include "allot/math/beta_match.hpp"
#include "support/wide_number.hpp"

namespace allot::test::beta_match_oracle_test {
namespace {

using math::BetaShape;

struct WideShape {
  Wide a, b;
};

/// [CLZ eq:a_worker, eq:b_worker]
WideShape from_moments(const Wide& mean, const Wide& square) {
  const Wide counts = (mean - square) / (square - mean * mean);
  return {mean * counts, (1 - mean) * counts};
}

/// The appendix's E~_1 and E~_-1 of theta and theta^2, word for word.
WideShape by_the_paper(double a_, double b_, double c_, double d_, Label label) {
  const Wide a = a_, b = b_, c = c_, d = d_;
  if (label == Label::positive) {
    return from_moments(
        a * ((a + 1) * c + b * d) / ((a + b + 1) * (a * c + b * d)),
        a * (a + 1) * ((a + 2) * c + b * d) / ((a + b + 1) * (a + b + 2) * (a * c + b * d)));
  }
  return from_moments(
      a * (b * c + (a + 1) * d) / ((a + b + 1) * (b * c + a * d)),
      a * (a + 1) * (b * c + (a + 2) * d) / ((a + b + 1) * (a + b + 2) * (b * c + a * d)));
}

double log_uniform(Rng& rng, double low, double high) {
  return low * std::exp(uniform(rng) * std::log(high / low));
}

double largest_error(const BetaShape& shape, const WideShape& truth) {
  return std::max(relative_error(shape.a, truth.a), relative_error(shape.b, truth.b));
}

TEST(BetaMatchOracle, AgreesWithTheClosedFormsToTheLastBits) {
  Rng rng(1);
  double worst = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double a = log_uniform(rng, 1e-3, 1e6), b = log_uniform(rng, 1e-3, 1e6);
    const double c = log_uniform(rng, 1e-3, 1e6), d = log_uniform(rng, 1e-3, 1e6);
    // The likelihood depends on c and d by their ratio only.
    worst = std::max({worst,
                      largest_error(math::matched_after({a, b}, c, d),
                                    by_the_paper(a, b, c, d, Label::positive)),
                      largest_error(math::matched_after({a, b}, d, c),
                                    by_the_paper(a, b, c, d, Label::negative))});
  }
  EXPECT_LT(worst, 1e-15);  // 6.4e-16 when written
}

TEST(BetaMatchOracle, AgreesAtExtremes) {
  double worst = 0;
  const std::vector<double> counts{1e-3, 0.01, 0.5, 1, 2, 1e3, 1e6};
  const std::vector<double> likelihoods{1e-100, 1e-9, 0.5 - 1e-9, 0.5, 0.5 + 1e-9, 1 - 1e-9, 1};
  for (const double a : counts) {
    for (const double b : counts) {
      for (const double u : likelihoods) {
        for (const double v : likelihoods) {
          worst = std::max(worst, largest_error(math::matched_after({a, b}, u, v),
                                                by_the_paper(a, b, u, v, Label::positive)));
        }
      }
    }
  }
  EXPECT_LT(worst, 1e-15);
}

/// Mean and variance of likelihood times Beta(a,b), integrated over the log-odds of theta in units
/// of their standard deviation: no end is singular there.
BetaShape by_quadrature(const BetaShape& shape, double u, double v) {
  using boost::math::digamma;
  using boost::math::trigamma;
  const auto [a, b] = shape;
  const double centre = digamma(a) - digamma(b), scale = std::sqrt(trigamma(a) + trigamma(b));
  const double peak = a * std::log(a / (a + b)) + b * std::log(b / (a + b));
  const auto integral = [&](auto&& f) {
    const auto integrand = [&](double z) {
      const double x = centre + scale * z;
      const double yes = 1 / (1 + std::exp(-x)), no = 1 / (1 + std::exp(x));
      const double log_yes = x > 0 ? -std::log1p(std::exp(-x)) : x - std::log1p(std::exp(x));
      const double density = std::exp(a * log_yes + b * (log_yes - x) - peak);
      return (u * yes + v * no) * density * f(yes, no);
    };
    using boost::math::quadrature::gauss_kronrod;
    const std::array cuts{-40.0, -10.0, -3.0, 0.0, 3.0, 10.0, 40.0};
    double sum = 0;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      sum += gauss_kronrod<double, 61>::integrate(integrand, cuts[i], cuts[i + 1], 12, 1e-13);
    }
    return sum;
  };
  const double total = integral([](double, double) { return 1.0; });
  const double mean = integral([](double yes, double) { return yes; }) / total;
  const double not_mean = integral([](double, double no) { return no; }) / total;
  const double variance = integral([&](double yes, double no) {
                            const double off = mean < not_mean ? yes - mean : not_mean - no;
                            return off * off;
                          }) /
                          total;
  const double sum = mean * not_mean / variance - 1;
  return {mean * sum, not_mean * sum};
}

TEST(BetaMatchOracle, AgreesWithIntegralsOfLikelihoodTimesDensity) {
  Rng rng(2);
  double worst = 0;
  for (int i = 0; i < 400; ++i) {
    const BetaShape shape{log_uniform(rng, 0.05, 1e4), log_uniform(rng, 0.05, 1e4)};
    const double u = uniform(rng), v = i % 4 == 0 ? log_uniform(rng, 1e-6, 1) : uniform(rng);
    const BetaShape matched = math::matched_after(shape, u, v), other = by_quadrature(shape, u, v);
    worst = std::max({worst, std::abs(other.a / matched.a - 1), std::abs(other.b / matched.b - 1)});
    ASSERT_LT(worst, 1e-10) << shape.a << " " << shape.b << " " << u << " " << v;
  }
}

}  // namespace
}  // namespace allot::test::beta_match_oracle_test
