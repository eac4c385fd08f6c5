// Learned priors by methods that the library does not use: gamma functions of 60 digits, exact
// sums, a search of the whole plane, priors planted in simulated labels.
#include <gtest/gtest.h>

#include <boost/math/special_functions/binomial.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "allot/base/rng.hpp"
#include "allot/model/prior_fit.hpp"
#include "allot/model/soft_labels.hpp"
#include "support/beliefs.hpp"
#include "support/wide_number.hpp"

namespace allot::model::prior_fit_oracle_test {
namespace {

using test::Wide;
using Groups = std::vector<CountGroup>;

Wide log_beta(const Wide& a, const Wide& b) {
  return boost::math::lgamma(a) + boost::math::lgamma(b) - boost::math::lgamma(Wide(a + b));
}

/// log of B(a + n+, b + n-) / B(a, b) over all items.
Wide wide_marginal(const Groups& groups, const Wide& a, const Wide& b) {
  Wide sum = 0;
  for (const auto& [counts, items] : groups)
    sum += items * (log_beta(a + counts.positive, b + counts.negative) - log_beta(a, b));
  return sum;
}

const std::vector<Groups>& cases() {
  static const std::vector<Groups> all{
      {{{1, 0}, 1}},
      {{{0, 4}, 1}},
      {{{3, 1}, 20}, {{7, 0}, 5}, {{2, 5}, 9}, {{0, 1}, 3}},
      {{{5, 0}, 40}, {{4, 1}, 12}, {{2, 3}, 2}},
      {{{30, 30}, 50}, {{28, 32}, 50}},
      {{{100, 0}, 30}, {{0, 100}, 20}},
      {{{1, 0}, 700}, {{0, 1}, 300}, {{40, 90}, 5}},
      {{{1000, 400}, 7}, {{800, 610}, 4}, {{0, 2}, 1}},
  };
  return all;
}

TEST(PriorFitOracle, MarginalLikelihoodAgreesWithSixtyDigits) {
  for (const Counts counts : {Counts{1, 0},
                              {0, 5},
                              {3, 4},
                              {40, 2},
                              {400, 333},
                              {1'000'000, 17},
                              {2'000'000'000, 2'000'000'000}}) {
    for (const auto& [a, b] : std::vector<math::BetaShape>{
             {1, 1}, {0.01, 0.04}, {4, 1}, {0.5, 31.7}, {250, 250}, {0.0001, 499}}) {
      const Wide truth = wide_marginal({{counts, 1}}, a, b);
      const double value = log_marginal(Groups{{counts, 1}}, Prior::beta(a, b));
      const double n = counts.total() + a + b;
      EXPECT_NEAR(value, static_cast<double>(truth), 1e-14 * (1 + n * std::log(1 + n)))
          << counts.positive << " " << counts.negative << " under " << a << " " << b;
    }
  }
}

TEST(PriorFitOracle, ChancesOfAllCountsSumToOne) {
  for (const Prior& prior : {Prior::beta(0.3, 2), Prior::beta(20, 1.5), test::symmetric_mixture(),
                             test::skewed_mixture()}) {
    for (const std::uint32_t labels : {1U, 6U, 40U}) {
      double sum = 0;
      for (std::uint32_t n = 0; n <= labels; ++n) {
        sum += boost::math::binomial_coefficient<double>(labels, n) *
               std::exp(log_marginal(Groups{{{n, labels - n}, 1}}, prior));
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

/// The objective by log strength v and logit u, computed without the library.
double objective(const Groups& groups, double u, double v, const HyperPrior& hyper) {
  const long double s = std::exp(static_cast<long double>(v)), m = 1 / (1 + std::exp(-u)),
                    a = s * m, b = s * (1 - m);
  long double sum = hyper.mean_items * (std::log(m) + std::log(1 - m)) -
                    std::pow((v - std::log(2.0)) / hyper.log_strength_spread, 2) / 2;
  for (const auto& [counts, items] : groups) {
    const long double p = counts.positive, n = counts.negative;
    sum += static_cast<long double>(items) *
           (std::lgamma(a + p) + std::lgamma(b + n) - std::lgamma(s + p + n) - std::lgamma(a) -
            std::lgamma(b) + std::lgamma(s));
  }
  return static_cast<double>(sum);
}

TEST(PriorFitOracle, NoPlaceInThePlaneIsBetter) {
  for (const HyperPrior& hyper : {HyperPrior{}, HyperPrior{0.1, 3, 1}}) {
    for (const Groups& groups : cases()) {
      const auto [a, b] = fit_beta(groups, hyper);
      const double u = std::log(a / b), v = std::log(a + b);
      const double best = objective(groups, u, v, hyper);
      const double low = std::log(0.05), high = std::log(500);
      for (double x = -12; x <= 12; x += 0.125) {
        for (double y = low; y <= high; y += 0.125)
          ASSERT_LE(objective(groups, x, y, hyper), best + 1e-8) << x << " " << y;
      }
      for (double step = 0.1; step > 1e-4; step /= 3) {
        for (const double x : {-step, 0.0, step}) {
          for (const double y : {-step, 0.0, step}) {
            if (v + y > high || v + y < low) continue;
            EXPECT_LE(objective(groups, u + x, v + y, hyper), best + 1e-9) << x << " " << y;
          }
        }
      }
    }
  }
}

/// Slopes by u and v from 60 digits: 0 at the fit, unless it lies at a bound.
TEST(PriorFitOracle, IsLevelAtTheFit) {
  for (const HyperPrior& hyper : {HyperPrior{}, HyperPrior{0.1, 3, 1}}) {
    for (const Groups& groups : cases()) {
      const auto [a, b] = fit_beta(groups, hyper);
      const auto wide_objective = [&](const Wide& u, const Wide& v) -> Wide {
        const Wide s = exp(v), m = 1 / (1 + exp(-u));
        const Wide off = (v - log(Wide(2))) / hyper.log_strength_spread;
        return wide_marginal(groups, s * m, s * (1 - m)) +
               hyper.mean_items * (log(m) + log(1 - m)) - off * off / 2;
      };
      const Wide u = log(Wide(a) / b), v = log(Wide(a) + b), h = 1e-15;
      double labels = 1;
      for (const auto& [counts, items] : groups)
        labels += counts.total() * static_cast<double>(items);
      const auto slope = [&](const Wide& du, const Wide& dv) {
        return static_cast<double>(
            (wide_objective(u + du, v + dv) - wide_objective(u - du, v - dv)) / (2 * h));
      };
      EXPECT_NEAR(slope(h, 0), 0, 1e-10 * labels);
      if (a + b > 0.051 && a + b < 499) {
        EXPECT_NEAR(slope(0, h), 0, 1e-10 * labels);
      } else {
        EXPECT_GT(slope(0, h) * std::log(a + b), 0) << "it points beyond the bound";
      }
    }
  }
}

Groups simulated(const Prior& prior, std::uint32_t items, std::uint32_t labels) {
  Beliefs beliefs(items, Prior::uniform());
  for (std::uint32_t i = 0; i < items; ++i) {
    Rng rng(3, Rng::Purpose::general, labels, i);
    const double theta = draw(prior, rng);
    for (std::uint32_t n = 0; n < labels; ++n)
      beliefs.record(ItemId{i}, uniform(rng) < theta ? Label::positive : Label::negative);
  }
  return count_groups(beliefs);
}

// 100,000 items of 2, 5 and 12 labels each. The estimate lies within five standard errors of the
// truth, by the curvature of the likelihood; a right program fails once in 50,000 seeds.
TEST(PriorFitOracle, FindsPlantedBetas) {
  for (const auto& [a, b] :
       std::vector<math::BetaShape>{{1, 1}, {4, 1}, {1, 9}, {0.5, 0.5}, {10, 10}, {0.2, 3}}) {
    for (const std::uint32_t labels : {2U, 5U, 12U}) {
      const Groups groups = simulated(Prior::beta(a, b), 100'000, labels);
      const auto fitted = fit_beta(groups, {1e-3, 100, 1});
      const auto height = [&](double u, double v) {
        const double s = std::exp(v);
        return log_marginal(groups, Prior::beta(s / (1 + std::exp(-u)), s / (1 + std::exp(u))));
      };
      const double u = std::log(a / b), v = std::log(a + b), h = 0.01;
      const double here = height(u, v);
      const double uu = (2 * here - height(u + h, v) - height(u - h, v)) / (h * h);
      const double vv = (2 * here - height(u, v + h) - height(u, v - h)) / (h * h);
      const double uv = (height(u + h, v - h) + height(u - h, v + h) - height(u + h, v + h) -
                         height(u - h, v - h)) /
                        (4 * h * h);
      const double det = uu * vv - uv * uv;
      EXPECT_NEAR(std::log(fitted.a / fitted.b), u, 5 * std::sqrt(vv / det)) << a << " " << b;
      EXPECT_NEAR(std::log(fitted.a + fitted.b), v, 5 * std::sqrt(uu / det)) << a << " " << b;
    }
  }
}

// The weights: where the likelihood is concave and level, it is largest.
TEST(PriorFitOracle, WeightsOfTheMixtureAreLevel) {
  for (const HyperPrior& hyper : {HyperPrior{}, HyperPrior{1, 1, 0.05}}) {
    for (const Groups& groups : cases()) {
      const auto components = fit_mixture(groups, hyper);
      double all = 3 * hyper.component_items;
      std::vector<double> pull(3, 0.0);
      for (const auto& [counts, items] : groups) {
        std::vector<Wide> of;
        Wide sum = 0;
        for (const auto& [weight, a, b] : components) {
          of.push_back(exp(wide_marginal({{counts, 1}}, a, b)));
          sum += weight * of.back();
        }
        for (std::size_t m = 0; m < 3; ++m) pull[m] += static_cast<double>(items * of[m] / sum);
        all += static_cast<double>(items);
      }
      for (std::size_t m = 0; m < 3; ++m) {
        EXPECT_NEAR((pull[m] + hyper.component_items / components[m].weight) / all, 1, 1e-6);
      }
    }
  }
}

// 100,000 items with 8 labels; the weights had standard errors of at most .008 over twenty seeds,
// so a right program is .04 off in one seed of 100,000.
TEST(PriorFitOracle, FindsPlantedWeights) {
  for (const std::vector<double>& weights :
       {std::vector<double>{.6, .1, .3}, {.05, .9, .05}, {.3, .4, .3}}) {
    const Prior prior =
        Prior::mixture({{weights[0], 5, 1}, {weights[1], 1, 1}, {weights[2], 1, 5}});
    const auto fitted = fit_mixture(simulated(prior, 100'000, 8));
    for (std::size_t m = 0; m < 3; ++m) EXPECT_NEAR(fitted[m].weight, weights[m], 0.04) << m;
  }
}

}  // namespace
}  // namespace allot::model::prior_fit_oracle_test
