#include "model/worker_grid.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <numeric>

namespace allot::model::worker_grid_test {
namespace {

TEST(WorkerGrid, HasTheMassOfThePriorInEveryCell) {
  const Prior prior = Prior::mixture({{0.7, 4, 1.5}, {0.3, 2, 3}});
  const auto mass = [&](double a, double b, double middle, double width) {
    using boost::math::quadrature::gauss_kronrod;
    const boost::math::beta_distribution<double> density(a, b);
    return gauss_kronrod<double, 61>::integrate([&](double x) { return pdf(density, x); },
                                                middle - width / 2, middle + width / 2, 8, 1e-12);
  };
  for (const Coins coins : {Coins::one, Coins::two}) {
    const WorkerGrid grid(prior, coins);
    const double width = coins == Coins::one ? 1.0 / 40 : 1.0 / 10;
    ASSERT_EQ(grid.size(), coins == Coins::one ? 40U : 100U);
    for (std::size_t k = 0; k < grid.size(); ++k) {
      double truth = 0;
      for (const auto& [weight, a, b] : prior.components()) {
        truth += weight * mass(a, b, grid.sensitivity[k], width) *
                 (coins == Coins::one ? 1 : mass(a, b, grid.specificity[k], width));
      }
      EXPECT_NEAR(grid.weight[k], truth, 1e-9);
    }
  }
}

TEST(WorkerGrid, LeavesNoMassOutHoweverSharpThePrior) {
  for (const Coins coins : {Coins::one, Coins::two}) {
    for (const double a : {1e-3, 1.0, 1e3, 1e9}) {
      for (const double b : {1e-3, 1.0, 1e3, 1e9}) {
        const WorkerGrid grid(Prior::beta(a, b), coins);
        EXPECT_NEAR(std::accumulate(grid.weight.begin(), grid.weight.end(), 0.0), 1, 1e-12);
        EXPECT_GE(std::ranges::min(grid.weight), 0);
      }
    }
  }
}

TEST(WorkerGrid, MirrorsThePriorInBothTails) {
  for (const double a : {30.0, 200.0, 1000.0}) {
    const WorkerGrid right(Prior::beta(7, a), Coins::one), left(Prior::beta(a, 7), Coins::one);
    for (std::size_t k = 0; k < right.size(); ++k) {
      const double one = right.weight[k], other = left.weight[right.size() - 1 - k];
      EXPECT_NEAR(one, other, 1e-9 * one) << a << " " << k;
      if (one > 1e-290) {
        EXPECT_GT(other, 0) << a << " " << k;
      }
    }
  }
}

TEST(WorkerGrid, OfOneCoinHasBothCoinsAlike) {
  const WorkerGrid grid(Prior::beta(4, 1), Coins::one);
  EXPECT_EQ(grid.sensitivity, grid.specificity);
  const WorkerState state = grid.state(grid.weight.data());
  EXPECT_DOUBLE_EQ(state.product, state.sensitivity_squared);
}

TEST(WorkerGrid, HasAboutTheMomentsOfThePrior) {  // to the width of a cell, squared
  for (const Coins coins : {Coins::one, Coins::two}) {
    const WorkerGrid grid(Prior::beta(4, 2), coins);
    const WorkerState state = grid.state(grid.weight.data());
    EXPECT_NEAR(state.mean.sensitivity, 2.0 / 3, 1e-3);
    EXPECT_NEAR(state.mean.specificity, 2.0 / 3, 1e-3);
    EXPECT_NEAR(state.sensitivity_squared, 20.0 / 42, 2e-3);
    EXPECT_NEAR(state.product, coins == Coins::one ? 20.0 / 42 : 4.0 / 9, 2e-3);
  }
}

}  // namespace
}  // namespace allot::model::worker_grid_test
