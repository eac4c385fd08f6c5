#include "allot/math/normal_tail.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "math/gaussian_batch.hpp"

namespace allot::math::normal_tail_test {
namespace {

/// The tail by the standard library, in 64 bits.
long double exact_tail(double z) {
  return 0.5L * std::erfc(static_cast<long double>(z) / sqrtl(2));
}

TEST(NormalTail, HasItsStatedAccuracy) {
  EXPECT_EQ(normal_tail(0), 0.5);
  for (double z = 0; z < 37; z += 0.0037) {
    const auto exact = static_cast<double>(exact_tail(z));
    ASSERT_NEAR(normal_tail(z), exact, std::min(6e-16, 1.2e-15 * (1 + z * z) * exact)) << z;
    ASSERT_NEAR(normal_tail(-z), static_cast<double>(exact_tail(-z)), 6e-16) << z;
  }
}

TEST(NormalTail, NeverRisesAndStaysPositive) {
  for (double z = 0; z < 60; z += 0.05) {
    ASSERT_GE(normal_tail(z), normal_tail(z + 0.05)) << z;
    ASSERT_GT(normal_tail(z), 0) << z;
  }
}

TEST(GaussianBatch, AddsTheGainsOfAllItems) {
  const std::vector<double> mean{0.5, -1, 0, 2, -3, 0.1, 7, -40};
  const std::vector<double> variance{1, 2, 3, 0.5, 1, 0, 1, 2};
  const std::vector<double> g{0.3, -0.2, 1, 0.5, 0, 0, -0.7, 1.2}, weight{1, 2, 1, 0, 3, 1, 1, 1};
  const Logits logits{mean.data(), variance.data(), mean.size()};
  std::vector<double> error(8);
  error_probabilities(logits, error.data());
  const LogitMove move({0.4, 0.2}, 1.5);
  EXPECT_DOUBLE_EQ(move.shrink, 0.2 / 1.3);
  LaneSums sums{};
  add_gains(logits, g.data(), move, error.data(), weight.data(), sums);
  double expected = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    if (variance[i] == 0) continue;  // it cannot move
    const double after = variance[i] - move.shrink * g[i] * g[i];
    expected += weight[i] * (normal_tail(std::abs(mean[i]) / std::sqrt(variance[i])) -
                             normal_tail(std::abs(mean[i] + g[i] * 0.4) / std::sqrt(after)));
  }
  EXPECT_NEAR(total(sums), expected, 1e-15);
}

TEST(GaussianBatch, SkipsLogitsThatDoNotVary) {
  const std::vector<double> nothing(8);
  std::vector<double> error(8);
  error_probabilities({nothing.data(), nothing.data(), 8}, error.data());
  for (const double e : error) EXPECT_EQ(e, 0.5);
}

}  // namespace
}  // namespace allot::math::normal_tail_test
