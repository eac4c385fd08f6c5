#include "reproduce/contest.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace allot::reproduce::contest_test {
namespace {

/// Two policies at two budgets in three runs; the second is always 0.1 behind at the first budget.
sim::EachRun runs() {
  const auto row = [](const char* policy, std::uint64_t budget, double accuracy) {
    return sim::Row{policy, budget, static_cast<double>(budget) / 50, accuracy, 0.1, 0, 0, 0.5};
  };
  return {
      {row("opt-kg", 100, 0.8), row("opt-kg", 250, 0.9), row("kg", 100, 0.7), row("kg", 250, 0.85)},
      {{0.7, 0.8, 0.9}, {0.8, 0.9, 1}, {0.6, 0.7, 0.8}, {0.8, 0.9, 0.85}}};
}

TEST(Contest, ComparesRunByRun) {
  Contest contest("(a)", "opt-kg");
  contest.add(runs());
  const Estimate at_2 = contest.lead("opt-kg", "kg", 2, 2);
  EXPECT_NEAR(at_2.mean, 0.1, 1e-12);
  EXPECT_NEAR(at_2.error, 0, 1e-12) << "the same lead in every run";
  const Estimate all = contest.lead("opt-kg", "kg");
  EXPECT_NEAR(all.mean, (0.05 + 0.05 + 0.125) / 3, 1e-12);
  const Estimate change = contest.change("kg", 2, 5);
  EXPECT_NEAR(change.mean, (0.2 + 0.2 + 0.05) / 3, 1e-12);
}

TEST(Contest, TellsItsRowsWithTheLead) {
  Contest contest("(a)", "opt-kg");
  contest.add(runs());
  contest.add_limit("bound", 100, 2, 0.95, 3);
  const Tables tables = contest.tables();
  const Data& rows = tables.at("");
  ASSERT_EQ(rows.size(), 5U);
  const std::size_t kg = rows.only({{"policy", "kg"}, {"budget", "100"}});
  EXPECT_NEAR(rows.estimate(kg, "lead").mean, 0.1, 1e-9);
  EXPECT_EQ(rows.text(kg, "accuracy"), "0.7");
  EXPECT_EQ(rows.text(rows.only({{"policy", "opt-kg"}, {"budget", "100"}}), "lead"), "");
  const std::size_t bound = rows.only({{"policy", "bound"}});
  EXPECT_EQ(rows.text(bound, "stderr"), "");
  EXPECT_NEAR(rows.estimate(bound, "lead").mean, 0.8 - 0.95, 1e-9);
  const auto panel =
      difference_panel(tables, "(a)", "", {{"opt-kg", "Opt-KG", "opt-kg"}, {"kg", "KG", "kg"}});
  ASSERT_EQ(panel.curves.size(), 1U) << "the leader is the zero of the chart";
  EXPECT_NEAR(panel.curves[0].points[0].y, -0.1, 1e-9);
}

}  // namespace
}  // namespace allot::reproduce::contest_test
