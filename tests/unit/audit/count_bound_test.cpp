// Bounds of the number of right answers, against sums and quadrature.
#include "audit/count_bound.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <vector>

namespace allot::test::count_bound_test {
namespace {

using audit::StratumCount;

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

/// Pr(k of n drawn answers are right) if `right` of `answers` are.
double drawn(double k, double n, double right, double answers) {
  if (k > right || n - k > answers - right) return 0;
  return std::exp(log_choose(right, k) + log_choose(answers - right, n - k) -
                  log_choose(answers, n));
}

TEST(CountBound, IsTheExactOneForOneStratum) {
  constexpr double kAnswers = 60, kChecks = 20;
  for (const double risk : {0.05, 0.025}) {
    for (double k = 0; k <= kChecks; ++k) {
      double least = k;  // the smallest number of right answers that the exact test does not reject
      for (;; ++least) {
        double tail = 0;
        for (double x = k; x <= kChecks; ++x) tail += drawn(x, kChecks, least, kAnswers);
        if (tail >= risk) break;
      }
      const std::vector<StratumCount> counts{{60, 20, k}};
      EXPECT_NEAR(audit::lower_bound(counts, risk), least / kAnswers, 1e-12) << k;
    }
  }
}

/// Pr(x of M further answers are right) under Beta(a,b).
double beta_binomial(double x, double others, double a, double b) {
  if (a == 0 || b == 0) return x == (a == 0 ? 0 : others) ? 1 : 0;
  const auto log_beta = [](double c, double d) {
    return std::lgamma(c) + std::lgamma(d) - std::lgamma(c + d);
  };
  return std::exp(log_choose(others, x) + log_beta(x + a, others - x + b) - log_beta(a, b));
}

TEST(CountBound, IsTheQuantileOfTheSumOfStrata) {
  for (const double right : {0.0, 9.0, 14.0, 15.0}) {
    const std::vector<StratumCount> counts{{50, 20, 19}, {40, 15, right}, {7, 7, 5}};
    double least = 1000;
    for (const int extra : {0, 1}) {
      std::vector<double> sum(56);
      for (int x = 0; x <= 30; ++x) {
        for (int y = 0; y <= 25; ++y) {
          const double first = beta_binomial(x, 30, 19, extra == 0 ? 2 : 1);
          sum[x + y] += first * beta_binomial(y, 25, right, 15 - right + extra);
        }
      }
      double below = 0, number = 0;
      while ((below += sum[static_cast<std::size_t>(number)]) < 0.05) ++number;
      least = std::min(least, number);
    }
    EXPECT_NEAR(audit::lower_bound(counts, 0.05), (19 + right + 5 + least) / 97, 1e-12) << right;
  }
}

TEST(CountBound, ApproachesTheBetaDistributionOfManyAnswers) {
  const std::vector<StratumCount> one{{1'000'000, 100, 93}};
  const boost::math::beta_distribution<> posterior(93, 8);
  EXPECT_NEAR(audit::lower_bound(one, 0.05), boost::math::quantile(posterior, 0.05), 2e-4);
  const std::vector<StratumCount> many{{5'000'000, 5000, 5000}};
  EXPECT_NEAR(audit::lower_bound(many, 0.05), std::pow(0.05, 1.0 / 5000), 1e-5);
}

/// The distribution function of the weighted sum at the bound, by quadrature.
TEST(CountBound, AgreesWithQuadratureForTwoStrata) {
  const std::vector<StratumCount> counts{{600'000, 60, 57}, {400'000, 40, 31}};
  const double bound = audit::lower_bound(counts, 0.05);
  double largest = 0;
  for (const int extra : {0, 1}) {
    const boost::math::beta_distribution<> first(57, 4 - extra), second(31, 9 + extra);
    const auto integrand = [&](double theta) {
      const double rest = std::clamp((bound - 0.6 * theta) / 0.4, 0.0, 1.0);
      return boost::math::pdf(first, theta) * boost::math::cdf(second, rest);
    };
    using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
    largest = std::max(largest, Rule::integrate(integrand, 0.0, 1.0, 10, 1e-9));
  }
  EXPECT_NEAR(largest, 0.05, 5e-4);
}

TEST(CountBound, HasAnUpperTwin) {
  const std::vector<StratumCount> counts{{50, 20, 18}, {40, 15, 9}},
      mirrored{{50, 20, 2}, {40, 15, 6}};
  EXPECT_DOUBLE_EQ(audit::upper_bound(counts, 0.05), 1 - audit::lower_bound(mirrored, 0.05));
  EXPECT_LT(audit::lower_bound(counts, 0.05), 27.0 / 35);
  EXPECT_GT(audit::upper_bound(counts, 0.05), 27.0 / 35);
}

TEST(CountBound, KnowsWhatIsCheckedCompletely) {
  const std::vector<StratumCount> counts{{50, 50, 45}, {10, 10, 3}};
  EXPECT_DOUBLE_EQ(audit::lower_bound(counts, 0.05), 48.0 / 60);
  EXPECT_DOUBLE_EQ(audit::upper_bound(counts, 0.05), 48.0 / 60);
}

/// Coverage without sampling error: all outcomes of two strata, for many patterns of errors.
double worst_coverage(const std::vector<std::uint64_t>& answers,
                      const std::vector<std::uint64_t>& checks) {
  const auto size = static_cast<double>(answers[0] + answers[1]);
  std::vector<std::vector<double>> bounds(checks[0] + 1, std::vector<double>(checks[1] + 1));
  for (std::size_t i = 0; i <= checks[0]; ++i) {
    for (std::size_t j = 0; j <= checks[1]; ++j) {
      const std::vector<StratumCount> counts{{answers[0], checks[0], double(i)},
                                             {answers[1], checks[1], double(j)}};
      bounds[i][j] = audit::lower_bound(counts, 0.05) * size;
    }
  }
  double worst = 1;
  for (double right = 0; right <= double(answers[0]); right += 4) {
    for (double also = 0; also <= double(answers[1]); also += 4) {
      double holds = 0;
      for (std::size_t i = 0; i <= checks[0]; ++i) {
        const double chance = drawn(double(i), double(checks[0]), right, double(answers[0]));
        for (std::size_t j = 0; j <= checks[1] && chance > 1e-9; ++j) {
          if (bounds[i][j] > right + also + 1e-6) continue;
          holds += chance * drawn(double(j), double(checks[1]), also, double(answers[1]));
        }
      }
      worst = std::min(worst, holds);
    }
  }
  return worst;
}

TEST(CountBound, HoldsInEveryPatternOfErrors) {
  EXPECT_GE(worst_coverage({100, 60}, {25, 20}), 0.94);
  EXPECT_GE(worst_coverage({120, 40}, {30, 20}), 0.94);
  EXPECT_GE(worst_coverage({80, 80}, {15, 15}), 0.94);
}

}  // namespace
}  // namespace allot::test::count_bound_test
