#include "allot/math/dirichlet_win.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "allot/math/beta_tail.hpp"

namespace allot::math::dirichlet_win_test {
namespace {

using Parameters = std::vector<double>;

/// Many classes of parameter 1 and one of 2.
Parameters one_label(std::size_t classes) {
  Parameters alpha(classes, 1);
  alpha.back() = 2;
  return alpha;
}

TEST(WinOutlook, IsEvenWithoutLabels) {
  for (const std::size_t classes : {2U, 3U, 10U, 50U}) {
    for (const double a : {1e-8, 1e-3, 0.5, 1.0, 7.0, 1e4}) {
      const WinOutlook outlook = win_outlook(Parameters(classes, a));
      const double share = 1.0 / static_cast<double>(classes);
      for (const double win : outlook.win) EXPECT_EQ(win, share);
      EXPECT_NEAR(outlook.error, 1 - share, 1e-15);
      EXPECT_EQ(outlook.best, 0U);
    }
  }
}

TEST(WinOutlook, AfterTheFirstLabelIsTheHarmonicMean) {
  // The integral of x exp(-x) (1 - exp(-x))^(C-1) is (1 + 1/2 + ... + 1/C) / C.
  for (const std::size_t classes : {2U, 3U, 10U, 50U, 200U}) {
    double harmonic = 0;
    const auto count = static_cast<double>(classes);
    for (std::size_t c = 1; c <= classes; ++c) harmonic += 1 / static_cast<double>(c);
    const WinOutlook outlook = win_outlook(one_label(classes));
    EXPECT_EQ(outlook.best, classes - 1);
    EXPECT_NEAR(outlook.win.back(), harmonic / count, 1e-14);
    EXPECT_NEAR(win_outlook(Parameters(classes, 1)).rise, (harmonic - 1) / count, 1e-14);
  }
}

TEST(WinOutlook, KeepsItsDigitsWhereTheErrorIsTiny) {
  // Two exponential variables against Gamma(a): either is larger with 2^-a, both with 3^-a.
  for (const double a : {10.0, 60.5, 400.0, 950.0}) {
    const WinOutlook outlook = win_outlook(Parameters{1, a, 1});
    const double two = std::exp2(-a), three = std::pow(3, -a);
    EXPECT_NEAR(outlook.error / (2 * two - three), 1, 1e-11) << a;
    EXPECT_NEAR(outlook.win[0] / (two - three / 2), 1, 1e-11) << a;
    EXPECT_NEAR(outlook.rise / (two - 2 * three / 3), 1, 1e-11) << a;
  }
}

TEST(WinOutlook, OfTwoClassesMatchesTheBetaDistribution) {
  for (const double a : {1e-6, 0.3, 1.0, 2.5, 40.0, 1e5}) {
    for (const double b : {1e-6, 0.4, 1.0, 3.0, 41.0}) {
      const WinOutlook outlook = win_outlook(Parameters{b, a});
      EXPECT_EQ(outlook.win[1], prob_above_half(a, b));
      EXPECT_EQ(outlook.win[0], prob_above_half(b, a));
      EXPECT_EQ(outlook.error, error_probability(a, b));
      EXPECT_EQ(outlook.rise, kernel_at_half(a, b) / std::max(a, b));
    }
  }
}

TEST(WinOutlook, OfTinyParametersIsTheirShare) {
  // One share has all the mass, theta_c with chance alpha_c / sum.
  const WinOutlook outlook = win_outlook(Parameters{1e-8, 3e-8, 2e-8, 4e-8});
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_NEAR(outlook.win[c], Parameters({0.1, 0.3, 0.2, 0.4})[c], 1e-6);
  }
  EXPECT_NEAR(outlook.fall[0], 0.4, 1e-6);  // a label decides everything
}

TEST(WinOutlook, OfHugeParametersMatchesTheNormalDistribution) {
  // Three classes alike and one that is sure to lose.
  const double n = 1e9;
  const WinOutlook outlook = win_outlook(Parameters{n, n, n, 1});
  EXPECT_NEAR(outlook.win[0], 1.0 / 3, 1e-15);
  EXPECT_EQ(outlook.win[3], 0);
  // X is normal with variance n: K is the chance 1/2 of the third times the integral of the squared
  // density, 1 / sqrt(4 pi n), times x = n; two of them over alpha make the rise.
  EXPECT_NEAR(outlook.rise * std::sqrt(n), 1 / std::sqrt(4 * std::numbers::pi), 1e-5);
}

TEST(WinOutlook, AgreesWithSampling) {
  // Each frequency within 4.5 standard errors: 64 of them, so a right program fails once in 2000
  // seeds.
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  for (const Parameters& alpha :
       {Parameters{0.02, 0.05, 0.01, 0.05}, Parameters{0.5, 3.2, 2.9, 1, 1, 1},
        Parameters{300, 290.5, 310, 1e-3}, Parameters(one_label(50))}) {
    const int samples = 60'000;
    std::vector<int> wins(alpha.size());
    for (int i = 0; i < samples; ++i) {
      std::size_t best = 0;
      double largest = -INFINITY;
      for (std::size_t c = 0; c < alpha.size(); ++c) {
        // Gamma(a) = Gamma(a+1) U^(1/a), in logarithms for small a.
        std::gamma_distribution<double> gamma(alpha[c] + 1);
        const double value = std::log(gamma(random)) + std::log(unit(random)) / alpha[c];
        if (value > largest) largest = value, best = c;
      }
      ++wins[best];
    }
    const WinOutlook outlook = win_outlook(alpha);
    for (std::size_t c = 0; c < alpha.size(); ++c) {
      const double p = outlook.win[c];
      EXPECT_NEAR(wins[c] / double(samples), p, 4.5 * std::sqrt(p * (1 - p) / samples) + 1e-9);
    }
  }
}

TEST(WinOutlook, RefusesInvalidParameters) {
  EXPECT_THROW(win_outlook(Parameters{1}), std::invalid_argument);
  for (const double wrong : {0.0, -1.0, 1e11, double(NAN), double(INFINITY)}) {
    EXPECT_THROW(win_outlook(Parameters{1, wrong, 1}), std::invalid_argument);
  }
}

}  // namespace
}  // namespace allot::math::dirichlet_win_test
