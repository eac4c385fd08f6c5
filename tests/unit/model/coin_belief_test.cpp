#include "model/coin_belief.hpp"

#include <gtest/gtest.h>

#include "allot/base/rng.hpp"
#include "support/coin_quadrature.hpp"

namespace allot::model::coin_belief_test {
namespace {

using math::BetaShape;
using test::CoinMoments;

constexpr Label kLabels[] = {Label::positive, Label::negative};

BetaShape whole_numbers(Rng& rng) {
  return {static_cast<double>(1 + below(rng, 8)), static_cast<double>(1 + below(rng, 8))};
}

TEST(CoinBelief, OfOneCoinHasTheMomentsOfTheJointPosterior) {  // [CLZ eq:mom_rho_1, eq:mom_rho_2]
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const BetaShape rho = whole_numbers(rng), theta = whole_numbers(rng);
    for (const Label label : kLabels) {
      CoinBelief belief(Prior::beta(rho.a, rho.b), Coins::one);
      belief.record(theta.mean(), label);
      const CoinMoments sums = test::integrate_one_coin(rho, theta, label);
      const WorkerState state = belief.state();
      EXPECT_NEAR(state.mean.sensitivity, sums.s / sums.mass, 1e-12);
      EXPECT_EQ(state.mean.sensitivity, state.mean.specificity);
      EXPECT_NEAR(state.sensitivity_squared, sums.ss / sums.mass, 1e-12);
      EXPECT_EQ(state.product, state.sensitivity_squared);
      EXPECT_EQ(state.product, state.specificity_squared);
    }
  }
}

TEST(CoinBelief, OfTwoCoinsHasTheMomentsOfEachCoinsPosterior) {
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    const BetaShape s = whole_numbers(rng), t = whole_numbers(rng);
    const double p = uniform(rng);
    for (const Label label : kLabels) {
      CoinBelief belief(s, t, Coins::two);
      belief.record(p, label);
      const CoinMoments sums = test::integrate_two_coins(s, t, p, label);
      const WorkerState state = belief.state();
      EXPECT_NEAR(state.mean.sensitivity, sums.s / sums.mass, 1e-12);
      EXPECT_NEAR(state.mean.specificity, sums.t / sums.mass, 1e-12);
      EXPECT_NEAR(state.sensitivity_squared, sums.ss / sums.mass, 1e-12);
      EXPECT_NEAR(state.specificity_squared, sums.tt / sums.mass, 1e-12);
      // The coins are kept independent: that they moved together is forgotten.
      EXPECT_DOUBLE_EQ(state.product, state.mean.sensitivity * state.mean.specificity);
    }
  }
}

TEST(CoinBelief, OfTypesWeighsThemByHowWellTheyForesawTheLabel) {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const BetaShape theta = whole_numbers(rng);
    const double p = theta.mean();
    std::vector<BetaComponent> types;
    for (int k = 0; k < 3; ++k) {
      const auto [a, b] = whole_numbers(rng);
      types.push_back({0.1 + uniform(rng), a, b});
    }
    for (const Label label : kLabels) {
      for (const Coins coins : {Coins::one, Coins::two}) {
        CoinBelief belief(Prior::mixture(types), coins);
        belief.record(p, label);
        CoinMoments sums;
        for (const auto& [weight, a, b] : types) {
          sums = sums + (coins == Coins::one ? test::integrate_one_coin({a, b}, theta, label)
                                             : test::integrate_two_coins({a, b}, {a, b}, p, label))
                            .scaled(weight);
        }
        const WorkerState state = belief.state();
        EXPECT_NEAR(state.mean.sensitivity, sums.s / sums.mass, 1e-12);
        EXPECT_NEAR(state.mean.specificity, sums.t / sums.mass, 1e-12);
        EXPECT_NEAR(state.sensitivity_squared, sums.ss / sums.mass, 1e-12);
        EXPECT_NEAR(state.specificity_squared, sums.tt / sums.mass, 1e-12);
      }
    }
  }
}

TEST(CoinBelief, StandsStillAtTheFirstLabelOfAnEvenItem) {
  CoinBelief belief(Prior::beta(4, 1), Coins::one);
  const WorkerState before = belief.state();
  belief.record(0.5, Label::positive);
  EXPECT_EQ(belief.state(), before);
}

TEST(CoinBelief, LearnsNothingOfTheCoinThatWasNotTossed) {
  CoinBelief belief(Prior::beta(4, 1), Coins::two);
  const WorkerState before = belief.state();
  belief.record(1, Label::negative);
  EXPECT_DOUBLE_EQ(belief.state().mean.sensitivity, 4.0 / 6);
  EXPECT_EQ(belief.state().mean.specificity, before.mean.specificity);
}

TEST(CoinBelief, TurnsToTheTypeThatFits) {
  CoinBelief belief(Prior::mixture({{0.5, 9, 1}, {0.3, 1, 1}, {0.2, 1, 9}}), Coins::one);
  for (int i = 0; i < 20; ++i) belief.record(0.99, Label::negative);
  EXPECT_LT(belief.state().mean.sensitivity, 0.1);
}

TEST(CoinBelief, InheritsLabelsAsIfTheyWereGivenOneByOne) {
  const std::vector<double> counts{3, 1, 2, 4};  // by true class, negative first
  for (const Coins coins : {Coins::one, Coins::two}) {
    CoinBelief inherits(Prior::mixture({{0.5, 9, 1}, {0.3, 1, 1}, {0.2, 1, 9}}), coins);
    CoinBelief given = inherits;
    inherits.inherit(counts);
    for (std::size_t n = 0; n < counts.size(); ++n) {
      for (int times = 0; times < counts[n]; ++times)
        given.record(n < 2 ? 0 : 1, n % 2 == 0 ? Label::negative : Label::positive);
    }
    EXPECT_NEAR(inherits.state().mean.sensitivity, given.state().mean.sensitivity, 1e-12);
    EXPECT_NEAR(inherits.state().mean.specificity, given.state().mean.specificity, 1e-12);
    EXPECT_NEAR(inherits.state().product, given.state().product, 1e-12);
  }
}

TEST(CoinBelief, HasNumbersAfterALabelThatNoTypeWouldGive) {
  for (const Coins coins : {Coins::one, Coins::two}) {
    for (const Prior& prior :
         {Prior::beta(1e12, 1e-12), Prior::mixture({{0.5, 1e12, 1e-12}, {0.5, 1e11, 1e-12}})}) {
      CoinBelief belief(prior, coins);
      belief.record(1, Label::negative);  // the item is positive, the worker always right
      EXPECT_NEAR(belief.state().mean.sensitivity, 1, 1e-9);
      EXPECT_NEAR(belief.state().mean.specificity, 1, 1e-9);
    }
  }
}

}  // namespace
}  // namespace allot::model::coin_belief_test
