#include "allot/base/rng.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace allot::rng_test {
namespace {

TEST(Rng, GivesTheSameValuesForTheSameName) {
  Rng first(5, Rng::Purpose::label, 3, 9), second(5, Rng::Purpose::label, 3, 9);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(first(), second());
}

TEST(Rng, AnyValueCanBeReadWithoutMoving) {
  const Rng stream(11, Rng::Purpose::tie, 2);
  Rng moving = stream;
  for (std::uint64_t i = 0; i < 50; ++i) ASSERT_EQ(stream.at(i), moving());
}

TEST(Rng, StreamsOfDifferentNamesDiffer) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (const auto purpose :
         {Rng::Purpose::general, Rng::Purpose::soft_label, Rng::Purpose::label}) {
      for (std::uint64_t run = 0; run < 3; ++run) {
        for (std::uint32_t member = 0; member < 3; ++member)
          first.insert(Rng(seed, purpose, run, member)());
      }
    }
  }
  EXPECT_EQ(first.size(), 81U);
}

TEST(Below, IsUniform) {  // 60,000 draws, chi-square with 5 degrees of freedom: above 25 once in
                          // 7,000 seeds
  Rng rng(1);
  std::array<double, 6> seen{};
  for (int i = 0; i < 60000; ++i) ++seen[below(rng, 6)];
  double chi_square = 0;
  for (const double count : seen) chi_square += (count - 10000) * (count - 10000) / 10000;
  EXPECT_LT(chi_square, 25);
}

TEST(Below, OneIsAlwaysZero) {
  Rng rng(1);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(below(rng, 1), 0U);
}

struct Moments {
  double mean = 0, variance = 0;
};

template <typename Draw>
Moments moments(Draw draw, int count) {
  std::vector<double> values;
  Moments result;
  for (int i = 0; i < count; ++i) values.push_back(draw());
  for (const double value : values) result.mean += value / count;
  for (const double value : values)
    result.variance += (value - result.mean) * (value - result.mean) / count;
  return result;
}

TEST(Normal, HasMeanZeroAndVarianceOne) {  // within four standard errors
  Rng rng(2);
  const Moments found = moments([&] { return normal(rng); }, 100000);
  EXPECT_NEAR(found.mean, 0, 4 * std::sqrt(1.0 / 100000));
  EXPECT_NEAR(found.variance, 1, 4 * std::sqrt(2.0 / 100000));
}

TEST(Beta, HasItsMeanAndVariance) {  // within four standard errors; that of the variance is
                                     // at most 1/(4 sqrt n)
  for (const auto& [a, b] :
       {std::pair{1.0, 1.0}, {0.5, 0.5}, {4.0, 1.0}, {2.0, 2.0}, {0.05, 0.1}, {30.0, 12.5}}) {
    Rng rng(3);
    const Moments found = moments([&, a = a, b = b] { return beta(rng, a, b); }, 100000);
    const double mean = a / (a + b), variance = mean * (1 - mean) / (a + b + 1);
    EXPECT_NEAR(found.mean, mean, 4 * std::sqrt(variance / 100000)) << a << " " << b;
    EXPECT_NEAR(found.variance, variance, 4 * std::sqrt(variance / 4 / 100000)) << a << " " << b;
  }
}

TEST(Beta, StaysInTheUnitIntervalForTinyParameters) {
  Rng rng(4);
  int ones = 0;
  for (int i = 0; i < 2000; ++i) {
    const double theta = beta(rng, 1e-4, 1e-4);
    ASSERT_TRUE(theta >= 0 && theta <= 1);
    ones += theta > 0.5;
  }
  EXPECT_NEAR(ones, 1000, 4 * std::sqrt(500.0));
  EXPECT_TRUE(beta(rng, 1e-310, 1e-310) >= 0);
}

}  // namespace
}  // namespace allot::rng_test
