#include "allot/index/stopping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "allot/index/knowledge_gradient.hpp"
#include "support/beliefs.hpp"

namespace allot::index::stopping_test {
namespace {

using model::Counts;
using model::Prior;

/// V - h of the given states by plain backward induction on h itself, every state with at most
/// `depth` labels.
std::vector<double> plain_gains(const Prior& prior, std::span<const Counts> states, double price,
                                std::uint32_t depth) {
  std::vector<double> value(depth + 2, 0.0), gains(states.size());
  for (std::uint32_t labels = depth + 1; labels-- > 0;) {
    for (std::uint32_t positive = 0; positive <= labels; ++positive) {
      const model::ItemBelief belief{&prior, {positive, labels - positive}};
      const double p = model::chance_positive(belief);
      const double stop = 1 - model::error_probability(belief);
      const double on = -price + p * value[positive + 1] + (1 - p) * value[positive];
      value[positive] = std::max(stop, on);
      const auto asked = std::ranges::find(states, belief.counts);
      if (asked != states.end()) {
        gains[static_cast<std::size_t>(asked - states.begin())] = value[positive] - stop;
      }
    }
  }
  return gains;
}

std::vector<Prior> priors() {
  return {Prior::uniform(),          Prior::beta(4, 1),     Prior::jeffreys(),
          Prior::haldane(),          Prior::beta(1.3, 0.9), Prior::beta(2.5, 6),
          test::symmetric_mixture(), test::skewed_mixture()};
}

const std::vector<Counts> kStates{{0, 0}, {1, 0}, {0, 2}, {3, 1}, {4, 4}, {2, 6}, {9, 7}};

TEST(Stopping, MatchesPlainBackwardInduction) {
  for (const Prior& prior : priors()) {
    StoppingLattice lattice(prior);
    for (const double price : {0.2, 0.06, 0.02}) {
      const auto values = lattice.values(price, kStates);
      const auto plain = plain_gains(prior, kStates, price, 200);
      for (std::size_t i = 0; i < kStates.size(); ++i) {
        EXPECT_NEAR(values[i].gain, plain[i], 1e-11)
            << price << " " << kStates[i].positive << ":" << kStates[i].negative;
        EXPECT_LE(values[i].slack, 1e-10);
      }
    }
  }
}

TEST(Stopping, LiesBetweenItsBoundsAtANearHorizon) {
  for (const Prior& prior : priors()) {
    StoppingLattice lattice(prior);
    double widest = 0;
    for (const double price : {0.004, 0.002, 0.001, 0.0005}) {
      const auto close = lattice.values(price, kStates, 1e-11);
      for (const double tolerance : {10.0, 0.1, 1e-3, 1e-5}) {
        const auto values = lattice.values(price, kStates, tolerance);
        for (std::size_t i = 0; i < kStates.size(); ++i) {
          EXPECT_LE(values[i].gain, close[i].gain + close[i].slack + 1e-13)
              << price << " " << prior.components()[0].a;
          EXPECT_GE(values[i].gain + values[i].slack, close[i].gain - 1e-13)
              << price << " " << prior.components()[0].a << " " << tolerance << " " << i;
          EXPECT_LE(values[i].slack, tolerance);
          widest = std::max(widest, values[i].slack);
        }
      }
    }
    EXPECT_GT(widest, 1e-8);  // the horizons were indeed near
  }
}

TEST(Stopping, IsConvexInThePriceWithItsLabelsAsSlope) {
  StoppingLattice lattice(Prior::uniform());
  for (double price = 0.3; price > 0.002; price *= 0.8) {
    const double step = 1e-4 * price;
    const auto at = [&](double cost) { return lattice.values(cost, kStates); };
    const auto low = at(price - step), high = at(price + step), here = at(price);
    for (std::size_t i = 0; i < kStates.size(); ++i) {
      EXPECT_GE(low[i].gain, here[i].gain + step * here[i].labels - 1e-12);
      EXPECT_GE(high[i].gain, here[i].gain - step * here[i].labels - 1e-12);
      EXPECT_GE(low[i].labels, high[i].labels);
    }
  }
}

TEST(Stopping, GainsNothingFromAnExpensiveLabel) {
  StoppingLattice lattice(Prior::uniform());
  for (const StoppingValue& value : lattice.values(0.25, kStates)) {
    EXPECT_EQ(value.gain, 0);
    EXPECT_EQ(value.labels, 0);
  }
  EXPECT_TRUE(lattice.values(0.1, {}).empty());
  EXPECT_THROW(lattice.values(0, kStates), std::invalid_argument);
}

TEST(Stopping, BandsAreWhereGoingOnPays) {
  for (const Prior& prior : {Prior::uniform(), Prior::beta(4, 1), Prior::beta(0.7, 1.9)}) {
    for (const double price : {0.05, 0.01, 0.003}) {
      StoppingLattice lattice(prior);
      const std::vector<StoppingBand> bands = lattice.bands(price, 1e-7);
      ASSERT_GT(bands.size(), 16U);
      for (std::uint32_t labels = 0; labels <= 12; ++labels) {
        for (std::uint32_t positive = 0; positive <= labels; ++positive) {
          const Counts state{positive, labels - positive};
          const auto value = lattice.values(price, {&state, 1}).front();
          const bool inside = positive >= bands[labels].first && positive <= bands[labels].last;
          EXPECT_EQ(inside, value.gain > 0) << price << " " << positive << " of " << labels;
        }
      }
    }
  }
}

}  // namespace
}  // namespace allot::index::stopping_test
