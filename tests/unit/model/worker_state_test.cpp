#include "allot/model/worker_state.hpp"

#include <gtest/gtest.h>

#include "allot/base/rng.hpp"
#include "support/coin_quadrature.hpp"

namespace allot::model::worker_state_test {
namespace {

using math::BetaShape;
using test::CoinMoments;

constexpr Label kLabels[] = {Label::positive, Label::negative};

WorkerState state_of(const CoinMoments& sums) {
  const CoinMoments m = sums.scaled(1 / sums.mass);
  return {{m.s, m.t}, m.ss, m.st, m.tt};
}

/// Before any label: both labels together.
WorkerState prior_state(const BetaShape& s, const BetaShape& t) {
  return state_of(test::integrate_two_coins(s, t, 0.5, Label::positive) +
                  test::integrate_two_coins(s, t, 0.5, Label::negative));
}

BetaShape whole_numbers(Rng& rng) {
  return {static_cast<double>(1 + below(rng, 8)), static_cast<double>(1 + below(rng, 8))};
}

TEST(WorkerMeanAfter, IsTheIntegralOverBothCoins) {
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const BetaShape s = whole_numbers(rng), t = whole_numbers(rng);
    const double p = i % 10 == 0 ? 0 : i % 10 == 1 ? 1 : uniform(rng);
    const WorkerState before = prior_state(s, t);
    EXPECT_NEAR(before.mean.sensitivity, s.mean(), 1e-13);
    for (const Label label : kLabels) {
      const WorkerState truth = state_of(test::integrate_two_coins(s, t, p, label));
      const Channel mean = mean_after(before, p, label);
      EXPECT_NEAR(mean.sensitivity, truth.mean.sensitivity, 1e-12);
      EXPECT_NEAR(mean.specificity, truth.mean.specificity, 1e-12);
    }
  }
}

TEST(WorkerMeanAfter, IsTheIntegralOverOneCoinAndTheSoftLabel) {
  Rng rng(2);
  for (int i = 0; i < 200; ++i) {
    const BetaShape rho = whole_numbers(rng), theta = whole_numbers(rng);
    const WorkerState before = state_of(test::integrate_one_coin(rho, theta, Label::positive) +
                                        test::integrate_one_coin(rho, theta, Label::negative));
    for (const Label label : kLabels) {
      const WorkerState truth = state_of(test::integrate_one_coin(rho, theta, label));
      const Channel mean = mean_after(before, theta.mean(), label);
      EXPECT_NEAR(mean.sensitivity, truth.mean.sensitivity, 1e-12);
      EXPECT_NEAR(mean.specificity, truth.mean.specificity, 1e-12);
    }
  }
}

TEST(WorkerMeanAfter, IsOnAverageTheMeanBefore) {
  Rng rng(3);
  const WorkerState worker = prior_state({3, 1}, {2, 2});
  for (int i = 0; i < 1000; ++i) {
    const double p = uniform(rng);
    const auto [s, t] = worker.mean;
    const double chance = p * s + (1 - p) * (1 - t);
    const Channel yes = mean_after(worker, p, Label::positive),
                  no = mean_after(worker, p, Label::negative);
    EXPECT_NEAR(chance * yes.sensitivity + (1 - chance) * no.sensitivity, s, 1e-14);
    EXPECT_NEAR(chance * yes.specificity + (1 - chance) * no.specificity, t, 1e-14);
  }
}

TEST(WorkerMeanAfter, OfCertainCoinsDoesNotMove) {
  const WorkerState certain{{0.8, 0.6}, 0.64, 0.48, 0.36};
  for (const Label label : kLabels) {
    EXPECT_NEAR(mean_after(certain, 0.3, label).sensitivity, 0.8, 1e-15);
    EXPECT_NEAR(mean_after(certain, 0.3, label).specificity, 0.6, 1e-15);
  }
}

}  // namespace
}  // namespace allot::model::worker_state_test
