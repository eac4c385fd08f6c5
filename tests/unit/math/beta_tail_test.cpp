#include "allot/math/beta_tail.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "allot/base/rng.hpp"

namespace allot::math::beta_tail_test {
namespace {

TEST(ProbAboveHalf, HasTheValuesOfSmallIntegers) {
  EXPECT_EQ(prob_above_half(1, 1), 0.5);
  EXPECT_DOUBLE_EQ(prob_above_half(2, 1), 0.75);
  EXPECT_DOUBLE_EQ(prob_above_half(1, 2), 0.25);
  EXPECT_DOUBLE_EQ(prob_above_half(3, 1), 0.875);
  EXPECT_DOUBLE_EQ(prob_above_half(3, 2), 11.0 / 16);
}

TEST(ProbAboveHalf, TakesItsLimitsForImproperParameters) {
  EXPECT_EQ(prob_above_half(3, 0), 1);
  EXPECT_EQ(prob_above_half(0, 3), 0);
  EXPECT_EQ(prob_above_half(0, 0), 0.5);
  EXPECT_EQ(error_probability(0, 0), 0.5);
  EXPECT_EQ(error_probability(2.5, 0), 0);
}

TEST(ErrorProbability, KeepsItsDigitsFarInTheTail) {
  EXPECT_DOUBLE_EQ(error_probability(60, 1), std::exp2(-60));
  EXPECT_DOUBLE_EQ(error_probability(1000, 1), std::exp2(-1000));
  EXPECT_DOUBLE_EQ(error_probability(1, 1070), std::exp2(-1070));  // subnormal
  EXPECT_EQ(error_probability(5000, 1), 0);
}

TEST(ErrorProbability, OfABatchHasTheBitsOfSingleCalls) {
  Rng rng(7);
  std::vector<double> a, b;
  for (int i = 0; i < 5003; ++i) {
    const double scale = std::exp(20 * uniform(rng) - 8);
    a.push_back(scale * uniform(rng));
    b.push_back(i % 7 == 0   ? a.back()
                : i % 3 == 0 ? a.back() * (1 + 0.01 * uniform(rng))
                             : scale * uniform(rng));
  }
  a[5] = 0, b[6] = 0, a[7] = b[7] = 0;
  std::vector<double> errors(a.size());
  error_probability(a, b, errors);
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(errors[i], error_probability(a[i], b[i])) << a[i] << " " << b[i];
  }
}

TEST(ErrorProbability, AcceptsAnEmptyBatch) {
  std::vector<double> none;
  EXPECT_NO_THROW(error_probability(none, none, none));
}

TEST(LogKernelRatio, WorksWhereTheKernelUnderflows) {
  EXPECT_NEAR(log_kernel_ratio(3, 4, 5, 2), std::log(kernel_at_half(3, 4) / kernel_at_half(5, 2)),
              1e-15);
  EXPECT_EQ(kernel_at_half(5000, 1), 0);
  EXPECT_NEAR(log_kernel_ratio(5000, 1, 1, 1), std::log(5000) - 4999 * std::log(2), 1e-12);
}

TEST(BetaTail, NamesTheArgumentOutsideItsDomain) {
  const auto message = [](auto call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([] { error_probability(-1, 2); }),
            "error_probability: a is -1; expected 0 to 1e15");
  EXPECT_EQ(message([] { error_probability(1, NAN); }),
            "error_probability: b is nan; expected 0 to 1e15");
  EXPECT_EQ(message([] { prob_above_half(1, 1e16); }),
            "error_probability: b is 1e+16; expected 0 to 1e15");
  EXPECT_EQ(message([] { kernel_at_half(0, 1); }),
            "kernel_at_half: a is 0; expected more than 0, up to 1e15");
  std::vector<double> two(2), three(3);
  EXPECT_EQ(message([&] { error_probability(two, three, two); }),
            "error_probability: size of b is 3; expected the size of a");
}

}  // namespace
}  // namespace allot::math::beta_tail_test
