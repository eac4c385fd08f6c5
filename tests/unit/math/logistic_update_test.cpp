#include "allot/math/logistic_update.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace allot::math::logistic_update_test {
namespace {

const std::vector<double> kMeans{-30, -6, -2.5, -1, -0.2, 0, 0.3, 1, 3, 8, 40};
const std::vector<double> kVariances{1e-6, 0.01, 0.3, 1, 4, 25, 1e3, 1e6};

double log_logistic(double u) {
  return u < 0 ? u - std::log1p(std::exp(u)) : -std::log1p(std::exp(-u));
}

/// log(a sigma(u) + b (1 - sigma(u))).
double log_likelihood(const LabelLikelihood& label, double u) {
  if (label.negative == 0) return std::log(label.positive) + log_logistic(u);
  if (label.positive == 0) return std::log(label.negative) + log_logistic(-u);
  return std::log(label.positive * logistic(u) + label.negative * logistic(-u));
}

struct Moments {
  double mass, mean, variance;
};

/// Moments of the exact posterior by the trapezoidal rule, exact to rounding for such integrands.
Moments exact_moments(double m, double s2, const LabelLikelihood& label) {
  const double s = std::sqrt(s2);
  constexpr int kNodes = 20'000;
  double mass = 0, first = 0, second = 0;
  for (int i = -kNodes; i <= kNodes; ++i) {
    const double z = 12.0 * i / kNodes;
    const double weight = std::exp(-0.5 * z * z + log_likelihood(label, m + s * z));
    mass += weight, first += weight * z, second += weight * z * z;
  }
  const double z = first / mass;
  return {mass * 12 / kNodes / std::sqrt(2 * std::numbers::pi), m + s * z,
          s2 * (second / mass - z * z)};
}

TEST(LaplaceUpdate, SolvesItsEquation) {  // t = 1(y=1) - sigma(m + s2 t)
  for (const double m : kMeans) {
    for (const double s2 : kVariances) {
      const auto [t, k] = laplace_update(m, s2, Label::positive);
      ASSERT_GT(t, 0);
      ASSERT_LE(t, 1);
      // The error of t is that of the logit's last bits.
      const double u = m + s2 * t, bits = 4e-16 * (1 + std::abs(m) + s2 * t);
      ASSERT_NEAR(t, logistic(-u), t * (1 + s2) * bits) << m << " " << s2;
      ASSERT_NEAR(k, logistic(u) * logistic(-u), 1e-15 + (1 + s2) * bits * k) << m << " " << s2;
    }
  }
}

TEST(LaplaceUpdate, FindsTheMode) {
  for (const double m : kMeans) {
    for (const double s2 : kVariances) {
      const double u = m + s2 * laplace_update(m, s2, Label::negative).step;
      const auto density = [&](double x) {
        return log_logistic(-x) - 0.5 * (x - m) / s2 * (x - m);
      };
      const double off = 1e-3 * std::sqrt(s2 / (1 + s2));
      EXPECT_GT(density(u), density(u + off)) << m << " " << s2;
      EXPECT_GT(density(u), density(u - off)) << m << " " << s2;
    }
  }
}

TEST(LaplaceUpdate, IsMirroredWithTheLabel) {
  for (const double m : kMeans) {
    for (const double s2 : kVariances) {
      const auto positive = laplace_update(m, s2, Label::positive);
      const auto other = laplace_update(-m, s2, Label::negative);
      EXPECT_EQ(positive.step, -other.step);
      EXPECT_EQ(positive.curvature, other.curvature);
    }
  }
}

TEST(LaplaceUpdate, LiesNearTheExactPosterior) {
  double mean_off = 0, deviation_off = 0;  // in units of the belief's deviation before the label
  for (const double m : {-3.0, -1.0, 0.0, 0.5, 2.0, 5.0}) {
    for (const double s2 : {0.01, 0.1, 0.5, 1.0}) {
      const auto [t, k] = laplace_update(m, s2, Label::positive);
      const Moments exact = exact_moments(m, s2, {1, 0});
      const double s = std::sqrt(s2);
      mean_off = std::max(mean_off, std::abs(m + s2 * t - exact.mean) / s);
      deviation_off = std::max(
          deviation_off, std::abs(std::sqrt(s2 / (1 + k * s2)) - std::sqrt(exact.variance)) / s);
    }
  }
  EXPECT_LT(mean_off, 0.05);
  EXPECT_LT(deviation_off, 0.05);
  RecordProperty("mean_off", std::to_string(mean_off));
  RecordProperty("deviation_off", std::to_string(deviation_off));
}

TEST(LaplaceUpdate, RefusesInvalidBeliefs) {
  EXPECT_THROW(laplace_update(NAN, 1, Label::positive), std::invalid_argument);
  EXPECT_THROW(laplace_update(0, -1, Label::positive), std::invalid_argument);
  EXPECT_THROW(laplace_update(0, 1, LabelLikelihood{0, 0}), std::invalid_argument);
  EXPECT_THROW(laplace_update(0, 1, LabelLikelihood{1.1, 0}), std::invalid_argument);
}

TEST(VariationalUpdate, IsTheLimitOfItsIteration) {
  for (const double m : {-6.0, -1.0, 0.0, 0.3, 3.0}) {
    for (const double s2 : {0.01, 0.3, 1.0, 4.0, 25.0, 1e3}) {
      double xi = std::sqrt(m * m + s2), mean = m, variance = s2;
      for (int i = 0; i < 20'000; ++i) {
        const double lambda = std::tanh(xi / 2) / (4 * xi);
        variance = 1 / (1 / s2 + 2 * lambda);
        mean = variance * (m / s2 - 0.5);
        xi = std::sqrt(variance + mean * mean);
      }
      const auto [t, k] = variational_update(m, s2, Label::negative);
      EXPECT_NEAR(m + s2 * t, mean, 1e-9 * (1 + std::abs(mean))) << m << " " << s2;
      EXPECT_NEAR(s2 / (1 + k * s2), variance, 1e-9 * variance) << m << " " << s2;
    }
  }
}

TEST(VariationalUpdate, DiffersLittleFromLaplaceUnderOrdinaryBeliefs) {
  double mean_off = 0, deviation_off = 0;
  for (const double m : {-4.0, -2.0, -1.0, 0.0, 0.5, 2.0, 4.0}) {
    for (const double s2 : {0.01, 0.1, 0.5, 1.0, 4.0}) {
      const auto a = laplace_update(m, s2, Label::positive);
      const auto b = variational_update(m, s2, Label::positive);
      const double s = std::sqrt(s2);
      mean_off = std::max(mean_off, s * std::abs(a.step - b.step));
      deviation_off = std::max(deviation_off, std::abs(1 / std::sqrt(1 + a.curvature * s2) -
                                                       1 / std::sqrt(1 + b.curvature * s2)));
    }
  }
  EXPECT_LT(mean_off, 0.1);
  EXPECT_LT(deviation_off, 0.15);
  RecordProperty("mean_off", std::to_string(mean_off));
  RecordProperty("deviation_off", std::to_string(deviation_off));
}

TEST(VariationalUpdate, StaysFiniteAtTheExtremes) {
  for (const double m : kMeans) {
    for (const double s2 : {0.0, 1e-12, 1e6, 1e9}) {
      const auto [t, k] = variational_update(m, s2, Label::positive);
      EXPECT_TRUE(std::isfinite(t));
      EXPECT_GT(k, 0);
      EXPECT_LE(k, 0.25);
    }
  }
}

TEST(DoubtfulLabel, OfAPerfectWorkerIsTheLabelItself) {
  for (const double m : kMeans) {
    for (const double s2 : kVariances) {
      const auto sure = laplace_update(m, s2, Label::positive);
      const auto same = laplace_update(m, s2, LabelLikelihood{0.7, 0});
      EXPECT_EQ(sure.step, same.step);
      EXPECT_EQ(sure.curvature, same.curvature);
      // An almost perfect worker's label is close to it, unless the belief strongly disagrees.
      if (m < -20 || s2 > 100) continue;
      const auto nearly = laplace_update(m, s2, LabelLikelihood{1, 1e-15});
      EXPECT_NEAR(nearly.step, sure.step, 1e-4 * sure.step) << m << " " << s2;
      EXPECT_NEAR(nearly.curvature, sure.curvature, 1e-4 * sure.curvature) << m << " " << s2;
    }
  }
}

TEST(DoubtfulLabel, OfASpammerChangesNothing) {
  for (const double m : kMeans) {
    const auto [t, k] = laplace_update(m, 2, LabelLikelihood{0.3, 0.3});
    EXPECT_EQ(t, 0);
    EXPECT_EQ(k, 0);
  }
}

TEST(DoubtfulLabel, OfALiarIsReadReversed) {
  const auto liar = laplace_update(0.4, 2, LabelLikelihood{0.2, 0.9});
  const auto honest = laplace_update(-0.4, 2, LabelLikelihood{0.9, 0.2});
  EXPECT_EQ(liar.step, -honest.step);
  EXPECT_EQ(liar.curvature, honest.curvature);
}

TEST(DoubtfulLabel, IsTakenAtTheHighestMode) {
  int two_modes = 0;
  for (const double a : {0.55, 0.8, 0.95, 0.999}) {
    for (const double b : {0.5, 0.1, 0.01, 1e-6}) {
      for (const double m : {-30.0, -12.0, -8.0, -5.0, -2.0, 0.0, 2.0, 6.0}) {
        for (const double s2 : {0.0, 0.1, 1.0, 5.0, 12.0, 40.0, 300.0}) {
          const LabelLikelihood label{a, b};
          const auto [t, k] = laplace_update(m, s2, label);
          const double u = m + s2 * t;
          if (s2 == 0) {
            EXPECT_NEAR(t, logistic(m + std::log(a / b)) - logistic(m), 1e-15);
            continue;
          }
          const auto density = [&](double x) {
            return log_likelihood(label, x) - 0.5 * (x - m) / s2 * (x - m);
          };
          double best = density(m), last = best, at = m;
          int peaks = 0;
          bool rising = false;
          for (int i = 1; i <= 4000; ++i) {
            const double x = m + s2 * i / 4000;
            const double here = density(x);
            if (here > best) best = here, at = x;
            if (rising && here < last) ++peaks;
            rising = here > last, last = here;
          }
          two_modes += peaks > 1;
          ASSERT_GE(density(u), best - 1e-12) << a << " " << b << " " << m << " " << s2;
          // Where both modes are equally high, either is correct.
          if (peaks < 2) {
            ASSERT_NEAR(u, at, s2 / 2000 + 1e-9) << a << " " << b << " " << m << " " << s2;
          }
          // The slope by log-odds is that of the likelihood, and so is the curvature.
          const double e = 1e-4;
          const double bend = (log_likelihood(label, u + e) - 2 * log_likelihood(label, u) +
                               log_likelihood(label, u - e)) /
                              (e * e);
          ASSERT_NEAR(k, std::max(0.0, -bend), 1e-6) << a << " " << b << " " << m << " " << s2;
        }
      }
    }
  }
  EXPECT_GT(two_modes, 10);
}

TEST(DoubtfulLabel, LiesNearTheExactPosterior) {
  double mean_off = 0;
  for (const double m : {-3.0, -1.0, 0.0, 1.0, 3.0}) {
    for (const double s2 : {0.01, 0.1, 0.5, 1.0}) {
      for (const double rho : {0.6, 0.8, 0.95}) {
        const LabelLikelihood label{rho, 1 - rho};
        const double u = m + s2 * laplace_update(m, s2, label).step;
        mean_off =
            std::max(mean_off, std::abs(u - exact_moments(m, s2, label).mean) / std::sqrt(s2));
      }
    }
  }
  EXPECT_LT(mean_off, 0.1);
  RecordProperty("mean_off", std::to_string(mean_off));
}

TEST(PredictiveLogistic, LiesNearTheIntegral) {
  double off = 0;
  for (const double m : {-5.0, -2.0, -0.5, 0.0, 1.0, 3.0}) {
    for (const double s2 : {0.0, 0.1, 1.0, 4.0, 25.0}) {
      const double exact = s2 == 0 ? logistic(m) : exact_moments(m, s2, {1, 0}).mass;
      off = std::max(off, std::abs(predictive_logistic(m, s2) - exact));
    }
  }
  EXPECT_LT(off, 0.02);
  RecordProperty("off", std::to_string(off));
}

}  // namespace
}  // namespace allot::math::logistic_update_test
