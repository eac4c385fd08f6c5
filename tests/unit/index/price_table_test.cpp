#include "allot/index/price_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

#include "allot/index/gittins.hpp"
#include "allot/index/stopping.hpp"
#include "support/beliefs.hpp"

namespace allot::index::price_table_test {
namespace {

using model::Counts;
using model::Prior;

TEST(PriceTable, HasThePriceOfEachState) {
  const Index index = label_price();
  for (const Prior& prior : {Prior::uniform(), Prior::beta(4, 1), Prior::beta(1.3, 0.9),
                             Prior::haldane(), test::skewed_mixture()}) {
    constexpr double kLowest = 0.004;
    const auto table = label_price_table(prior, 30, 1e-9, kLowest);
    for (std::uint32_t labels = 0; labels <= 30; ++labels) {
      for (std::uint32_t positive = 0; positive <= labels; ++positive) {
        const double swept = table[labels * (labels + 1) / 2 + positive];
        const model::ItemBelief belief{&prior, {positive, labels - positive}};
        if (swept == 0) {
          if (index.bound(belief) > kLowest) {
            EXPECT_LE(index(belief), kLowest + 2e-9) << positive << " of " << labels;
          }
        } else {
          EXPECT_GE(swept, kLowest - 2e-9);
          EXPECT_NEAR(swept, index(belief), 2e-9) << positive << " of " << labels;
        }
      }
    }
  }
}

TEST(PriceTable, DoesNotDependOnItsDepth) {
  const auto small = label_price_table(Prior::uniform(), 40);
  const auto large = label_price_table(Prior::uniform(), 300);
  for (std::size_t i = 0; i < small.size(); ++i) EXPECT_NEAR(small[i], large[i], 2e-9) << i;
  EXPECT_THROW(label_price_table(Prior::uniform(), 3, 1e-9, 0), std::invalid_argument);
  EXPECT_THROW(label_price_table(Prior::uniform(), 3, 0), std::invalid_argument);
}

/// The price by bisection, with separate sweeps that look as far ahead as the tolerance needs.
TEST(PriceTable, IsRightWherePricesAreLow) {
  for (const Prior& prior : {Prior::uniform(), Prior::beta(3, 1)}) {
    const auto table = label_price_table(prior, 40);
    StoppingLattice lattice(prior);
    for (const Counts state : {Counts{6, 0}, {9, 1}, {16, 4}, {8, 30}, {25, 9}}) {
      const std::size_t labels = state.total();
      const double swept = table[labels * (labels + 1) / 2 + state.positive];
      ASSERT_GT(swept, 1e-5) << state.positive;
      const auto pays = [&](double price) {
        return lattice.values(price, std::array{state}, 1e-8)[0].labels > 0;
      };
      EXPECT_TRUE(pays(swept - 2e-9)) << state.positive << " " << state.negative << " " << swept;
      EXPECT_FALSE(pays(swept + 2e-9)) << state.positive << " " << state.negative << " " << swept;
    }
  }
}

/// The scale of prices: going on for as many labels again costs n prices and can gain an error.
TEST(PriceTable, GoesDownToWhereErrorsAreNegligible) {
  const auto table = label_price_table(Prior::uniform(), 60);
  for (std::uint32_t labels = 1; labels <= 60; ++labels) {
    for (std::uint32_t positive = 0; positive <= labels; ++positive) {
      const std::size_t row = labels * (labels + 1) / 2;
      const Prior uniform = Prior::uniform();
      const double error = model::error_probability({&uniform, {positive, labels - positive}});
      EXPECT_LE(table[row + positive], error) << positive << " of " << labels;
      EXPECT_EQ(table[row + positive], table[row + labels - positive]);
      if (error > 1e-4) {
        EXPECT_GT(table[row + positive], 1e-9) << positive << " of " << labels;
      }
      if (2 * positive > labels) {
        EXPECT_LE(table[row + positive], table[row + positive - 1]) << positive << " of " << labels;
      }
    }
  }
}

}  // namespace
}  // namespace allot::index::price_table_test
