// The numbers of math/beta_tail against exact fractions and against Boost's functions at 60 digits.
#include <gtest/gtest.h>

#include <cmath>

#include "allot/base/rng.hpp"
#include "allot/math/beta_tail.hpp"
#include "support/wide_number.hpp"

namespace allot::test::beta_tail_oracle_test {
namespace {

constexpr double kTolerance = 1e-14;

TEST(ErrorProbabilityOracle, IsTheExactBinomialSumForIntegers) {
  for (unsigned a = 1; a <= 70; ++a) {
    for (unsigned b = 1; b <= a; ++b) {
      const Wide error = upper_tail_by_counting(b, a);
      ASSERT_LT(relative_error(math::error_probability(a, b), error), kTolerance) << a << " " << b;
      ASSERT_EQ(math::error_probability(b, a), math::error_probability(a, b));
    }
  }
  Rng rng(3);
  for (int i = 0; i < 300; ++i) {
    const auto a = static_cast<unsigned>(1 + below(rng, 1500)),
               b = static_cast<unsigned>(1 + below(rng, a));
    const Wide error = upper_tail_by_counting(b, a);
    if (error < 1e-300) continue;
    ASSERT_LT(relative_error(math::error_probability(a, b), error), kTolerance) << a << " " << b;
  }
}

/// Parameters of every size and balance; about a quarter are close to each other on the relevant
/// scale.
std::pair<double, double> random_state(Rng& rng, int kind) {
  const auto power = [&](double low, double high) {
    return std::pow(10, low + (high - low) * uniform(rng));
  };
  switch (kind % 4) {
    case 0:
      return {1 + 59 * uniform(rng), 1 + 59 * uniform(rng)};
    case 1:
      return {power(-8, 0.5), power(-8, 0.5)};
    case 2:
      return {power(-3, 3), power(-3, 3)};
    default:
      const double a = power(0, 6);
      return {a, std::max(0.01, a + (uniform(rng) - 0.5) * 60 * std::sqrt(a))};
  }
}

TEST(ErrorProbabilityOracle, AgreesWithSixtyDigitsForRealParameters) {
  Rng rng(5);
  for (int i = 0; i < 2000; ++i) {
    const auto [a, b] = random_state(rng, i);
    const Wide error = lower_tail(std::max(a, b), std::min(a, b));
    if (error < 1e-300) continue;
    ASSERT_LT(relative_error(math::error_probability(a, b), error), kTolerance) << a << " " << b;
    ASSERT_LT(relative_error(math::kernel_at_half(a, b), kernel(a, b)), kTolerance)
        << a << " " << b;
  }
}

TEST(ErrorProbabilityOracle, AgreesWithTheNormalLimitForHugeParameters) {
  // For a = n + d, b = n the tail is Phi(-sqrt(2 D)) up to O(z^3/sqrt(n)); here n = 1e12.
  const double n = 1e12;
  for (const double z : {0.01, 0.5, 2.0, 5.0}) {
    const double d = z * std::sqrt(2 * n);
    const double expected = 0.5 * std::erfc(z / std::sqrt(2.0));
    EXPECT_NEAR(math::error_probability(n + d, n) / expected, 1, 1e-4) << z;
  }
}

}  // namespace
}  // namespace allot::test::beta_tail_oracle_test
