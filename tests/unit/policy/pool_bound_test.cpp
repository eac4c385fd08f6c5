#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "allot/index/coin_price.hpp"
#include "allot/policy/bound.hpp"

namespace allot::policy::pool_bound_test {
namespace {

/// Best of all ways to buy at most `labels` more labels, each for `lambda` times its price, by
/// going through all of them; `p` is the probability of positive.
double enumerated(double p, const std::vector<LabelOffer>& offers, double lambda, int labels) {
  double best = std::max(p, 1 - p);
  if (labels == 0) return best;
  for (const auto& [q, price, count] : offers) {
    const double yes = p * q + (1 - p) * (1 - q);
    const double on = -lambda * price + yes * enumerated(p * q / yes, offers, lambda, labels - 1) +
                      (1 - yes) * enumerated(p * (1 - q) / (1 - yes), offers, lambda, labels - 1);
    best = std::max(best, on);
  }
  return best;
}

TEST(PoolValue, OfOneWorkerIsThatOfTheSequentialTest) {
  for (const double q : {0.55, 0.7, 0.9, 0.99}) {
    for (const double p : {0.5, 0.3, 0.85}) {
      for (const double price : {0.05, 0.01, 0.001}) {
        const double odds = std::log(p / (1 - p));
        const double exact = std::max(p, 1 - p) + index::coin_stopping(odds, q, price).gain;
        const double value = pool_value(p, {{q, 1}}, price);
        EXPECT_GE(value, exact - 1e-9) << q << " " << p << " " << price;
        EXPECT_LE(value, exact + 1e-3) << q << " " << p << " " << price;
      }
    }
  }
}

TEST(PoolValue, IsNotBelowAnyWayToSpend) {
  const std::vector<LabelOffer> offers{{0.65, 0.2}, {0.8, 1}, {0.95, 4}};
  for (const double p : {0.5, 0.2, 0.9}) {
    for (const double lambda : {0.2, 0.05, 0.02}) {
      const double best = enumerated(p, offers, lambda, 6);
      const double value = pool_value(p, offers, lambda);
      EXPECT_GE(value, best - 1e-9) << p << " " << lambda;
      EXPECT_LE(value, best + 0.02) << p << " " << lambda;
    }
  }
}

TEST(PoolValue, CountsTheLabelsThereAre) {
  // Two cheap labels, then a dear one: all ways to spend, by hand.
  const std::vector<LabelOffer> offers{{0.7, 0.1, 2}, {0.9, 1, 1}};
  for (const double lambda : {0.3, 0.05, 0.001}) {
    const auto best = [&](auto&& self, double p, int cheap, int dear) -> double {
      double value = std::max(p, 1 - p);
      const auto ask = [&](double q, double price, int less_cheap, int less_dear) {
        const double yes = p * q + (1 - p) * (1 - q);
        value = std::max(
            value, yes * self(self, p * q / yes, less_cheap, less_dear) +
                       (1 - yes) * self(self, p * (1 - q) / (1 - yes), less_cheap, less_dear) -
                       lambda * price);
      };
      if (cheap > 0) ask(0.7, 0.1, cheap - 1, dear);
      if (dear > 0) ask(0.9, 1, cheap, dear - 1);
      return value;
    };
    for (const double p : {0.5, 0.35, 0.9}) {
      const double exact = best(best, p, 2, 1);
      EXPECT_GE(pool_value(p, offers, lambda), exact - 1e-12) << p << " " << lambda;
      EXPECT_LE(pool_value(p, offers, lambda), exact + 1e-3) << p << " " << lambda;
      EXPECT_LE(pool_value(p, offers, lambda), pool_value(p, {{0.7, 0.1}, {0.9, 1}}, lambda));
    }
  }
}

TEST(PoolValue, ReadsWrongLabelsTheOtherWayRound) {
  EXPECT_NEAR(pool_value(0.4, {{0.2, 1}}, 0.01), pool_value(0.6, {{0.8, 1}}, 0.01), 1e-12);
  EXPECT_NEAR(pool_value(0.7, {{0.5, 1}}, 0.01), 0.7, 2e-3);
}

TEST(PoolBound, OfOneTypeIsTheBoundOfAlikeWorkers) {
  const std::array<double, 1> even{0.0};
  BudgetCurve curve = coin_budget_curve(even, 0.8);
  PoolBound pool(0.5, {{{0.8, 0.05}}});
  for (const double labels : {0.5, 1.0, 3.0, 6.0, 12.0}) {
    const double exact = curve.accuracy_for_budget(labels).accuracy;
    EXPECT_GE(pool.accuracy_for_budget(0.05 * labels).accuracy, exact - 1e-6) << labels;
    EXPECT_LE(pool.accuracy_for_budget(0.05 * labels).accuracy, exact + 0.01) << labels;
  }
  EXPECT_LE(pool.budget_for_accuracy(0.95), 0.05 * curve.budget_for_accuracy(0.95) + 1e-9);
  EXPECT_GE(pool.budget_for_accuracy(0.95), 0.04 * curve.budget_for_accuracy(0.95));
}

TEST(PoolBound, RisesWithTheBudgetAndWithBetterWorkers) {
  const std::vector<LabelOffer> workers{{0.7, 0.01}, {0.9, 0.2}};
  PoolBound bound(0.5, {workers}), better(0.5, {{{0.7, 0.01}, {0.95, 0.2}}});
  double last = 0;
  for (const double money : {0.0, 0.01, 0.05, 0.1, 0.5, 2.0}) {
    const double now = bound.accuracy_for_budget(money).accuracy;
    EXPECT_GE(now, last);
    EXPECT_GE(better.accuracy_for_budget(money).accuracy, now - 1e-9);
    last = now;
  }
  EXPECT_TRUE(std::isinf(bound.budget_for_accuracy(1)));
  EXPECT_EQ(bound.budget_for_accuracy(0.5), 0);
}

}  // namespace
}  // namespace allot::policy::pool_bound_test
