// Laws of forecasts, for any prior, number of items and budget.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "allot/policy/bound.hpp"
#include "allot/policy/forecast.hpp"

namespace allot::policy::forecast_laws_test {
namespace {

struct Campaign {
  model::Prior prior;
  std::uint64_t items;
};

double number_in(double low, double high) {
  return low + (high - low) * *rc::gen::inRange(0, 1000) / 1000;
}

Campaign any_campaign() {
  const double a = std::exp(number_in(-0.5, 1.5)), b = std::exp(number_in(-0.5, 1.5));
  const auto items = static_cast<std::uint64_t>(std::exp(number_in(1.1, 11)));
  const bool whole = *rc::gen::arbitrary<bool>();
  return {whole ? model::Prior::beta(std::ceil(a), std::ceil(b)) : model::Prior::beta(a, b), items};
}

const char* any_policy() { return *rc::gen::element("opt-kg", "label-price", "least-labelled"); }

RC_GTEST_PROP(ForecastLaws, NoPolicyExceedsTheBound, ()) {
  const auto [prior, items] = any_campaign();
  Forecast forecast(any_policy(), prior, items);
  BudgetCurve bound = budget_curve(model::Beliefs(1, prior), 1e-7);
  const double labels = number_in(0, 12);
  const double budget = std::round(labels * static_cast<double>(items));
  const double most = bound.accuracy_for_budget(budget / static_cast<double>(items)).accuracy;
  RC_ASSERT(forecast.accuracy(budget) <= most + 1e-6);
}

RC_GTEST_PROP(ForecastLaws, MoreBudgetIsNeverLessAccuracy, ()) {
  const auto [prior, items] = any_campaign();
  Forecast forecast(any_policy(), prior, items);
  double last = forecast.accuracy(0);
  for (double labels = 0.5; labels < 10; labels *= 1.5) {
    const double next = forecast.accuracy(std::ceil(labels * static_cast<double>(items)));
    RC_ASSERT(next >= last - 2e-5);
    last = next;
  }
}

RC_GTEST_PROP(ForecastLaws, TargetAndBudgetAreInverses, ()) {
  const auto [prior, items] = any_campaign();
  Forecast forecast(any_policy(), prior, items);
  const double most = 8 * static_cast<double>(items);
  const double target = number_in(forecast.accuracy(0), 0.97);
  const double budget = forecast.budget_for_accuracy(target, most);
  if (std::isinf(budget)) {
    RC_ASSERT(forecast.accuracy(most) < target);
  } else {
    RC_ASSERT(forecast.accuracy(budget) >= target - 1e-12);
    if (budget > 0) RC_ASSERT(forecast.accuracy(budget - 1) < target);
  }
}

RC_GTEST_PROP(ForecastLaws, SwappingTheLabelsChangesNothing, ()) {
  const double a = number_in(0.2, 8), b = number_in(0.2, 8);
  const char* const policy = any_policy();
  Forecast forecast(policy, model::Prior::beta(a, b), 70),
      swapped(policy, model::Prior::beta(b, a), 70);
  const double budget = *rc::gen::inRange(0, 500);
  RC_ASSERT(std::abs(forecast.accuracy(budget) - swapped.accuracy(budget)) < 1e-6);
}

}  // namespace
}  // namespace allot::policy::forecast_laws_test
