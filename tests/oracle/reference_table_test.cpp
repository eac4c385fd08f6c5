// Simulated means against independent measurements: 50 items, uniform truth and prior, reference
// means over 4,000 runs (standard error 0.0007) and ours over 4,000 runs. A right program fails one
// of the 20 checks once in about 800 seeds.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "allot/policy/registry.hpp"
#include "allot/sim/experiment.hpp"

namespace allot::sim::reference_table_test {
namespace {

TEST(ReferenceTable, IsWithinFourStandardErrors) {
  const std::map<std::string, std::vector<double>> reference{
      {"opt-kg", {.8776, .9182, .9377, .9484}},
      {"nlu", {.8763, .9211, .9391, .9501}},
      {"kg", {.8496, .8890, .9075, .9182}},
      {"uniform", {.8265, .8755, .8977, .9114}},
  };
  Experiment experiment{.world = Simulation{.item_count = 50},
                        .budgets = {250, 500, 750, 1000},
                        .runs = 4000,
                        .seed = 1,
                        .threads = 2};
  for (const auto& [name, means] : reference) {
    experiment.policies.push_back(policy::make_policy(name, policy::TieBreak::random).value());
  }
  const auto rows = run(experiment).value();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double standard_error = std::hypot(rows[i].standard_error, 0.0007);
    EXPECT_NEAR(rows[i].accuracy, reference.at(rows[i].policy)[i % 4], 4 * standard_error)
        << rows[i].policy << " " << rows[i].budget;
    // Under the true prior a policy is calibrated.
    EXPECT_NEAR(rows[i].accuracy, rows[i].expected_accuracy, 4 * rows[i].standard_error)
        << rows[i].policy << " " << rows[i].budget;
  }
}

TEST(ReferenceTable, OptKgUnderASkewedTruthNeedsTheRightPrior) {  // theta ~ Beta(4,1), T = 5K
  const auto accuracy = [](const model::Prior& prior) {
    const Experiment experiment{
        .world = Simulation{.item_count = 50, .truth = model::Prior::beta(4, 1)},
        .workers = AlikeWorkers{.prior = prior},
        .policies = {policy::make_policy("opt-kg", policy::TieBreak::random).value()},
        .budgets = {250},
        .runs = 4000,
        .seed = 2,
        .threads = 2};
    return run(experiment).value().front();
  };
  const Row uniform = accuracy(model::Prior::uniform()),
            matching = accuracy(model::Prior::beta(4, 1));
  EXPECT_NEAR(uniform.accuracy, .9346, 4 * std::hypot(uniform.standard_error, 0.0007));
  EXPECT_NEAR(matching.accuracy, .9612, 4 * std::hypot(matching.standard_error, 0.0007));
}

}  // namespace
}  // namespace allot::sim::reference_table_test
