#include "allot/policy/bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "allot/policy/exact.hpp"
#include "support/beliefs.hpp"

namespace allot::policy::bound_test {
namespace {

using model::Beliefs;
using model::Prior;

double accuracy_now(const Beliefs& beliefs) {
  double sum = 0;
  for (std::uint32_t i = 0; i < beliefs.item_count(); ++i) {
    sum += 1 - model::error_probability(beliefs[ItemId{i}]);
  }
  return sum / beliefs.item_count();
}

std::vector<Beliefs> small_problems() {
  std::vector<Beliefs> problems;
  for (const Prior& prior : {Prior::uniform(), Prior::beta(4, 1), Prior::beta(0.4, 0.7),
                             Prior::haldane(), test::skewed_mixture()}) {
    for (std::uint32_t items = 1; items <= 4; ++items) problems.emplace_back(items, prior);
  }
  Beliefs begun(3, Prior::uniform());
  test::record(begun, 0, {2, 0});
  test::record(begun, 1, {3, 3});
  problems.push_back(begun);
  Beliefs mixed({Prior::uniform(), Prior::beta(1.5, 3), test::symmetric_mixture()}, {0, 1, 2, 1});
  test::record(mixed, 2, {1, 2});
  problems.push_back(mixed);
  return problems;
}

TEST(Bound, IsNeverBelowTheOptimum) {
  for (const Beliefs& beliefs : small_problems()) {
    for (std::uint64_t budget = 0; budget <= 8; ++budget) {
      const double best = optimal_accuracy(beliefs, budget).value();
      const double bound = accuracy_bound(beliefs, budget).accuracy;
      EXPECT_GE(bound, best - 1e-12) << beliefs.item_count() << " items, " << budget;
      EXPECT_LE(bound, best + 0.1) << beliefs.item_count() << " items, " << budget;
    }
  }
}

TEST(Bound, WithoutLabelsIsWhatIsKnown) {
  for (const Beliefs& beliefs : small_problems()) {
    EXPECT_NEAR(accuracy_bound(beliefs, 0).accuracy, accuracy_now(beliefs), 1e-9);
  }
}

TEST(Bound, IsOneWhereLabelsAreLeftOver) {  // the first label tells all
  const AccuracyBound bound = accuracy_bound(Beliefs(4, Prior::haldane()), 5);
  EXPECT_EQ(bound.accuracy, 1);
  EXPECT_EQ(bound.price, 0);
  EXPECT_NEAR(accuracy_bound(Beliefs(4, Prior::haldane()), 2).accuracy, 0.75, 1e-9);
}

TEST(Bound, IsOneAndLabelsAreWorthNothingWhereAllIsKnown) {
  const Beliefs sure(3, Prior::beta(0.3, 17.77));  // right with probability .9999997
  const AccuracyBound bound = budget_curve(sure, 1e-6).accuracy_for_budget(5);
  EXPECT_EQ(bound.accuracy, 1);
  EXPECT_EQ(bound.price, 0);
}

TEST(Bound, GetsTightWithMoreItems) {
  double last = 1;
  for (const std::uint32_t items : {2U, 4U, 8U}) {
    const Beliefs beliefs(items, Prior::uniform());
    const double gap =
        accuracy_bound(beliefs, 3 * items).accuracy - optimal_accuracy(beliefs, 3 * items).value();
    EXPECT_LT(gap, last) << items;
    last = gap;
  }
  EXPECT_LT(last, 0.01);
}

TEST(Bound, RisesAndBendsWithTheBudgetAndHasThePriceAsSlope) {
  BudgetCurve curve = budget_curve(Beliefs(7, Prior::uniform()));
  AccuracyBound last = curve.accuracy_for_budget(0);
  for (double labels = 0.25; labels < 25; labels += 0.75) {
    const AccuracyBound bound = curve.accuracy_for_budget(labels);
    const double slope = (bound.accuracy - last.accuracy) / (labels == 0.25 ? 0.25 : 0.75);
    EXPECT_GT(bound.accuracy, last.accuracy);
    EXPECT_LE(slope, last.price + 1e-8);
    EXPECT_GE(slope, bound.price - 1e-8);
    last = bound;
  }
}

TEST(Bound, CountsItemsInTheSameStateOnce) {
  Beliefs few(3, Prior::uniform()), many(3000, Prior::uniform());
  for (std::uint32_t i = 0; i < 3; ++i) test::record(few, i, {i, 1});
  for (std::uint32_t i = 0; i < 3000; ++i) test::record(many, i, {i % 3, 1});
  for (const std::uint64_t budget : {1, 10, 30}) {
    const AccuracyBound one = accuracy_bound(few, budget),
                        other = accuracy_bound(many, 1000 * budget);
    EXPECT_NEAR(one.accuracy, other.accuracy, 1e-12);
    EXPECT_NEAR(one.price, other.price, 1e-12);
  }
}

TEST(Bound, ReadBackwardsIsTheBudget) {
  BudgetCurve curve = budget_curve(Beliefs(1, Prior::beta(2, 1)));
  EXPECT_EQ(curve.budget_for_accuracy(0.5), 0);
  EXPECT_EQ(curve.budget_for_accuracy(1), INFINITY);
  for (const double accuracy : {0.76, 0.8, 0.9, 0.95, 0.98}) {
    const double labels = curve.budget_for_accuracy(accuracy);
    EXPECT_NEAR(curve.accuracy_for_budget(labels).accuracy, accuracy, 2e-9);
  }
  EXPECT_THROW(curve.budget_for_accuracy(1.5), std::invalid_argument);
  EXPECT_THROW(curve.accuracy_for_budget(-1), std::invalid_argument);
}

/// The best expected number of right answers of two items with labels right with probability q.
double best_of_two(double one, double other, double q, int budget) {
  const auto confidence = [](double odds) { return 1 / (1 + std::exp(-std::abs(odds))); };
  if (budget == 0) return confidence(one) + confidence(other);
  const double step = std::log(q / (1 - q));
  const auto ask = [&](double asked, double left) {
    const double p = 1 / (1 + std::exp(-asked)), up = p * q + (1 - p) * (1 - q);
    return up * best_of_two(asked + step, left, q, budget - 1) +
           (1 - up) * best_of_two(asked - step, left, q, budget - 1);
  };
  return std::max(ask(one, other), ask(other, one));
}

TEST(CoinBound, IsNeverBelowTheOptimum) {
  for (const double q : {0.6, 0.75, 0.95}) {
    for (const double other : {0.0, 0.9, -2.0}) {
      BudgetCurve curve = coin_budget_curve(std::array{0.2, other}, q);
      for (int budget = 0; budget <= 7; ++budget) {
        const double best = best_of_two(0.2, other, q, budget) / 2;
        const double bound = curve.accuracy_for_budget(budget / 2.0).accuracy;
        EXPECT_GE(bound, best - 1e-12) << q << " " << other << " " << budget;
        EXPECT_LE(bound, best + 0.06) << q << " " << other << " " << budget;
      }
    }
  }
}

TEST(CoinBound, RisesWithTheReliability) {
  double last = 0;
  for (const double q : {0.5, 0.6, 0.7, 0.9, 1.0}) {
    const double bound = coin_budget_curve(std::array{0.0, 1.0}, q).accuracy_for_budget(3).accuracy;
    EXPECT_GT(bound, last) << q;
    last = bound;
  }
  EXPECT_NEAR(last, 1, 1e-9);
}

}  // namespace
}  // namespace allot::policy::bound_test
