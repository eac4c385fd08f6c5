// The policy label-price and the bound against independent measurements: 50 items, uniform truth
// and prior, reference means over 4,000 runs (standard error 0.0007) and ours over 4,000 runs. A
// right program fails one of the four checks of the means once in about 4,000 seeds.
#include <gtest/gtest.h>

#include <cmath>

#include "allot/policy/bound.hpp"
#include "allot/policy/registry.hpp"
#include "allot/sim/experiment.hpp"

namespace allot::sim::label_price_reference_test {
namespace {

TEST(LabelPriceReference, MatchesAndLiesBetweenOptKgAndTheBound) {
  const std::vector<double> policy{.8772, .9208, .9395, .9509}, bound{.8782, .9228, .9420, .9531};
  const Experiment experiment{
      .world = Simulation{.item_count = 50},
      .policies = {policy::make_policy("label-price", policy::TieBreak::random).value(),
                   policy::make_policy("opt-kg", policy::TieBreak::random).value()},
      .budgets = {250, 500, 750, 1000},
      .runs = 4000,
      .seed = 1,
      .threads = 2};
  const auto rows = run(experiment).value();
  ASSERT_EQ(rows.size(), 8U);
  const model::Beliefs beliefs(50, model::Prior::uniform());
  for (std::size_t i = 0; i < 4; ++i) {
    const double error = rows[i].standard_error;
    const double most = policy::accuracy_bound(beliefs, experiment.budgets[i]).accuracy;
    EXPECT_NEAR(most, bound[i], 1e-4);
    EXPECT_NEAR(rows[i].accuracy, policy[i], 4 * std::hypot(error, 0.0007));
    EXPECT_LE(rows[i].accuracy, most + 4 * error);
    EXPECT_GE(rows[i].accuracy, most - 0.003 - 4 * error);
    EXPECT_GE(rows[i].accuracy, rows[i + 4].accuracy + (i == 0 ? -4 : 0) * error);
    EXPECT_LE(rows[i + 4].accuracy, most + 4 * error);
  }
}

}  // namespace
}  // namespace allot::sim::label_price_reference_test
