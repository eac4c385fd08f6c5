// The planner's forecasts against simulation, policy by policy: different priors, numbers of items
// and budgets.
//
// A simulation gives the share of right answers and the share expected from their probabilities.
// The forecast is the expectation of both; the second varies less. The forecast must be within two
// standard errors of the second (a right program fails one comparison in some 1,000) and within
// three of the first (one in 370). Both get 2e-4 for the forecast's own rounding. With 200,000
// items per setting a standard error is about 0.0006, so a forecast that is 0.002 off is found.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "allot/policy/forecast.hpp"
#include "allot/policy/registry.hpp"
#include "allot/sim/experiment.hpp"

namespace allot::policy::forecast_reference_test {
namespace {

struct Setting {
  model::Prior prior;
  std::uint32_t items;
  std::uint64_t labels;  // per item
};

std::vector<Setting> settings() {
  using model::Prior;
  return {{Prior::uniform(), 10, 3},
          {Prior::uniform(), 50, 5},
          {Prior::uniform(), 50, 15},
          {Prior::uniform(), 300, 10},
          {Prior::uniform(), 25'000, 8},
          {Prior::beta(4, 1), 20, 5},
          {Prior::beta(4, 1), 1000, 12},
          {Prior::beta(0.5, 0.5), 100, 4},
          {Prior::beta(6, 6), 60, 10},
          {Prior::beta(1.3, 2.9), 150, 6},
          {Prior::mixture({{0.6, 5, 1}, {0.4, 1, 3}}), 80, 7}};
}

TEST(ForecastReference, AgreesWithSimulationWithinTwoStandardErrors) {
  for (const auto& [prior, items, labels] : settings()) {
    sim::Experiment experiment{.world = sim::Simulation{.item_count = items, .truth = prior},
                               .workers = sim::AlikeWorkers{.prior = prior},
                               .budgets = {items * labels},
                               .runs = std::max(2U, 200'000U / items),
                               .seed = 5};
    for (const char* name : {"opt-kg", "label-price"}) {
      experiment.policies.push_back(make_policy(name, TieBreak::random).value());
    }
    const std::vector<sim::Row> rows = sim::run(experiment).value();
    for (const sim::Row& row : rows) {
      Forecast forecast(row.policy, prior, items);
      const double expected = forecast.accuracy(static_cast<double>(row.budget));
      EXPECT_NEAR(row.accuracy, expected, 3 * row.standard_error + 2e-4)
          << row.policy << ", " << items << " items, " << labels << " labels each";
      EXPECT_NEAR(row.expected_accuracy, expected, 2 * row.standard_error + 2e-4)
          << row.policy << ", " << items << " items, " << labels << " labels each";
    }
  }
}

}  // namespace
}  // namespace allot::policy::forecast_reference_test
