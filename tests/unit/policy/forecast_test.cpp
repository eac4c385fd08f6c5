#include "allot/policy/forecast.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <stdexcept>

#include "allot/policy/bound.hpp"
#include "allot/policy/exact.hpp"
#include "allot/policy/registry.hpp"
#include "support/beliefs.hpp"

namespace allot::policy::forecast_test {
namespace {

using model::Prior;

/// Every item has `labels` labels: the sum over how many of them are positive.
double equal_accuracy(double a, double b, std::uint32_t labels) {
  const Prior prior = Prior::beta(a, b);
  double sum = 0;
  for (std::uint32_t positive = 0; positive <= labels; ++positive) {
    const double k = positive, n = labels;
    const double log_chance = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                              std::lgamma(a + k) + std::lgamma(b + n - k) - std::lgamma(a + b + n) +
                              std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
    sum += std::exp(log_chance) *
           (1 - model::error_probability({&prior, {positive, labels - positive}}));
  }
  return sum;
}

TEST(Forecast, OfEqualSplittingIsTheSumOverAllCounts) {
  for (const auto& [a, b] : {std::pair{1.0, 1.0}, {4.0, 1.0}, {0.3, 0.7}, {10.0, 12.5}}) {
    Forecast forecast("least-labelled", Prior::beta(a, b), 10);
    for (const std::uint32_t labels : {0U, 1U, 2U, 5U, 20U, 80U}) {
      EXPECT_NEAR(forecast.accuracy(10 * labels), equal_accuracy(a, b, labels), 1e-12) << labels;
    }
    // Three of ten items have a label more than the others.
    const double between = 0.7 * equal_accuracy(a, b, 4) + 0.3 * equal_accuracy(a, b, 5);
    EXPECT_NEAR(forecast.accuracy(43), between, 1e-12);
  }
}

TEST(Forecast, OfFewItemsIsNearTheExactValue) {
  for (const Prior& prior : {Prior::uniform(), Prior::beta(3, 1), Prior::beta(0.6, 0.9)}) {
    for (const std::uint32_t items : {1U, 2U, 3U, 4U}) {
      const model::Beliefs beliefs(items, prior);
      for (const char* name : {"opt-kg", "label-price", "least-labelled"}) {
        const auto policy = make_policy(name, TieBreak::random).value();
        Forecast forecast(name, prior, items);
        for (const std::uint32_t labels : {1U, 2U, 4U}) {
          const double exact = policy_accuracy(beliefs, labels * items, *policy).value();
          EXPECT_NEAR(forecast.accuracy(labels * items), exact, 0.002)
              << name << ", " << items << " items, " << labels << " labels each";
        }
      }
    }
  }
}

TEST(Forecast, OfLabelPriceReachesTheBoundWithManyItems) {
  for (const Prior& prior :
       {Prior::uniform(), Prior::beta(4, 1), Prior::beta(0.3, 0.2), test::skewed_mixture()}) {
    BudgetCurve bound = budget_curve(model::Beliefs(1, prior), 1e-6);
    Forecast forecast("label-price", prior, 1'000'000);
    for (const double labels : {0.0, 0.5, 1.0, 2.0, 5.5, 10.0}) {
      const double most = bound.accuracy_for_budget(labels).accuracy;
      EXPECT_LE(forecast.accuracy(labels * 1e6), most + 2e-9) << labels;
      EXPECT_GE(forecast.accuracy(labels * 1e6), most - 2e-4) << labels;
    }
  }
}

TEST(Forecast, GivesWhatIsKnownWithoutLabels) {
  for (const char* name : {"opt-kg", "label-price", "least-labelled"}) {
    EXPECT_DOUBLE_EQ(Forecast(name, Prior::beta(4, 1), 30).accuracy(0), 0.9375) << name;
  }
}

TEST(Forecast, SlopesByTheValueOfALabel) {
  Forecast forecast("label-price", Prior::uniform(), 1'000'000);
  BudgetCurve bound = budget_curve(model::Beliefs(1, Prior::uniform()));
  for (const double labels : {5.0, 10.0, 20.0}) {
    const double price = bound.accuracy_for_budget(labels).price;
    EXPECT_NEAR(forecast.label_value(labels * 1e6), price, 0.1 * price) << labels;
  }
}

TEST(Forecast, SaysSoIfATargetIsOutOfReach) {
  Forecast forecast("opt-kg", Prior::uniform(), 50);
  EXPECT_EQ(forecast.budget_for_accuracy(0.5, 300), 0);
  EXPECT_TRUE(std::isinf(forecast.budget_for_accuracy(0.99, 300)));
}

TEST(Forecast, RefusesWhatMakesNoSense) {
  EXPECT_THROW(Forecast("kg", Prior::uniform(), 10), std::invalid_argument);
  EXPECT_THROW(Forecast("opt-kg", Prior::haldane(), 10), std::invalid_argument);
  EXPECT_THROW(Forecast("opt-kg", Prior::uniform(), 0), std::invalid_argument);
  Forecast forecast("opt-kg", Prior::uniform(), 10);
  EXPECT_THROW(forecast.accuracy(-1), std::invalid_argument);
  EXPECT_THROW(forecast.budget_for_accuracy(1.5, 10), std::invalid_argument);
}

}  // namespace
}  // namespace allot::policy::forecast_test
