#include <gtest/gtest.h>

#include <cmath>

#include "allot/base/rng.hpp"
#include "policy/pair_index_chooser.hpp"

namespace allot::policy::gain_per_price_test {
namespace {

TEST(GainPerPrice, FallsWithThePriceAndIsTheIndexAtPriceOne) {
  EXPECT_EQ(gain_per_price(0.12, 1), 0.12);
  EXPECT_EQ(gain_per_price(-0.12, 1), -0.12);
  EXPECT_EQ(gain_per_price(0.12, 4), 0.03);
  EXPECT_EQ(gain_per_price(-0.12, 4), -0.48) << "the dearer loss is the worse";
}

TEST(GainPerPrice, HasALeastIndexForEveryThreshold) {
  constexpr double kMost = std::numeric_limits<double>::infinity();
  Rng rng(1);
  for (int n = 0; n < 20'000; ++n) {
    const double size = std::pow(10, -330 + 340 * uniform(rng));  // subnormal and 0 as well
    const double threshold = below(rng, 2) == 0 ? size : -size;
    const double price = below(rng, 4) == 0 ? 1 : 1 + std::pow(10, 18 * uniform(rng) - 9);
    const double least = least_index(threshold, price);
    ASSERT_GE(gain_per_price(least, price), threshold) << threshold << " " << price;
    ASSERT_LT(gain_per_price(std::nextafter(least, -kMost), price), threshold);
  }
}

}  // namespace
}  // namespace allot::policy::gain_per_price_test
