#include "cli/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/xml.hpp"

namespace allot::cli::comparison_test {
namespace {

Comparison comparison(double standard_error) {
  return {"50 items",
          {{"items", "50"}},
          {{"kg", 250, 5, 0.85, standard_error, 0.86, 0.001, 0.8},
           {"kg", 500, 10, 0.9, standard_error, 0.91, 0.002, 0.7},
           {"lu", 250, 5, 0.8, standard_error, 0.81, 0.001, 0.75},
           {"lu", 500, 10, 0.825, standard_error, 0.83, 0.002, 0.8}}};
}

Comparison one_budget() {
  Comparison result = comparison(0.004);
  std::erase_if(result.rows, [](const sim::Row& row) { return row.budget == 500; });
  return result;
}

TEST(ComparisonRows, ArePrintedAsATable) {
  EXPECT_EQ(comparison_text(comparison(0.004), Format::table),
            "Share of right answers: 50 items\n\n"
            "  labels (per item):                 250 (5x)                500 (10x)\n"
            "  --------------------------------------------------------------------\n"
            "  kg                   0.8500 ±0.0040 ≥0.8000   0.9000 ±0.0040 ≥0.7000\n"
            "  lu                   0.8000 ±0.0040 ≥0.7500   0.8250 ±0.0040 ≥0.8000\n"
            "\n  mean over runs ± its standard error ≥ worst run\n");
  EXPECT_EQ(
      comparison_text(one_budget(), Format::table),
      "Share of right answers: 50 items\n\n"
      "  policy   accuracy   std.err.    worst   expected    seconds              from 0.5 to "
      "1\n"
      "  --------------------------------------------------------------------------------------"
      "\n"
      "  kg         0.8500     0.0040   0.8000     0.8600   0.001000   ████████████████▊\n"
      "  lu         0.8000     0.0040   0.7500     0.8100   0.001000   ██████████████▍\n"
      "\n  budget 250 labels, 5x per item\n");
}

TEST(ComparisonRows, AreCalledTooSureWhereTheyAreFarFromRight) {
  Comparison sure = comparison(0.004);
  EXPECT_EQ(comparison_text(sure, Format::table).find("too high"), std::string::npos);
  sure.rows[1].expected_accuracy = 0.99;
  EXPECT_EQ(comparison_text(sure, Format::table).find("too high"), std::string::npos);
  sure.rows[2].expected_accuracy = 0.96;
  EXPECT_NE(comparison_text(sure, Format::table)
                .find("lu with 250 labels expects 0.96 of its answers to be right, and 0.80 are\n"),
            std::string::npos);
  Comparison one = one_budget();
  one.rows[1].expected_accuracy = 0.96;
  EXPECT_NE(comparison_text(one, Format::table).find("lu with 250 labels expects 0.96"),
            std::string::npos);
  sure.measure_note = "no truth";
  EXPECT_EQ(comparison_text(sure, Format::table).find("too high"), std::string::npos);
  sure = comparison(0.004);
  for (sim::Row& row : sure.rows) row.expected_accuracy = NAN;
  EXPECT_EQ(comparison_text(sure, Format::table).find("too high"), std::string::npos);
}

TEST(ComparisonRows, ArePrintedAsCsvAndJson) {
  const Comparison unknown = comparison(NAN);
  EXPECT_EQ(comparison_text(unknown, Format::csv),
            "policy,budget,labels_per_item,accuracy,stderr,expected_accuracy,seconds,worst,bound\n"
            "kg,250,5,0.85,,0.86,0.001,0.8,\n"
            "kg,500,10,0.9,,0.91,0.002,0.7,\n"
            "lu,250,5,0.8,,0.81,0.001,0.75,\n"
            "lu,500,10,0.825,,0.83,0.002,0.8,\n");
  EXPECT_EQ(comparison_text(unknown, Format::json)
                .rfind("{\"items\": 50, \"rows\": [\n  {\"policy\": \"kg\"", 0),
            0U);
  EXPECT_NE(comparison_text(unknown, Format::json).find("\"stderr\": null"), std::string::npos);
}

TEST(ComparisonRows, AreDrawnAsLinesOrForOneBudgetAsDots) {
  const auto description = [](const Comparison& shown) {
    return test::parse_xml(comparison_figure(shown)).children[1].text;
  };
  EXPECT_EQ(description(comparison(0.004)),
            "Line chart of accuracy against labels per item (below: labels in total). "
            "kg: 0.85 at 5, 0.9 at 10. lu: 0.8 at 5, 0.825 at 10.");
  EXPECT_EQ(description(one_budget()).rfind("Dot chart of accuracy. kg: 0.8", 0), 0U);
}

TEST(ComparisonRows, HaveTheBoundBesideThePolicies) {
  Comparison bounded = comparison(0.004);
  bounded.bounds = {0.88, 0.95};
  bounded.bound_condition = "if so";
  EXPECT_EQ(comparison_text(bounded, Format::table),
            "Share of right answers: 50 items\n\n"
            "  labels (per item):                 250 (5x)                500 (10x)\n"
            "  --------------------------------------------------------------------\n"
            "  kg                   0.8500 ±0.0040 ≥0.8000   0.9000 ±0.0040 ≥0.7000\n"
            "  lu                   0.8000 ±0.0040 ≥0.7500   0.8250 ±0.0040 ≥0.8000\n"
            "  bound                0.8800                   0.9500\n"
            "\n  mean over runs ± its standard error ≥ worst run\n"
            "  bound: accuracy that no policy exceeds in expectation if so\n");
  EXPECT_NE(
      comparison_text(bounded, Format::csv).find("\nlu,500,10,0.825,0.004,0.83,0.002,0.8,0.95\n"),
      std::string::npos);
  EXPECT_NE(comparison_text(bounded, Format::json).find("\"bound\": 0.88"), std::string::npos);
  EXPECT_NE(comparison_figure(bounded).find("bound: 0.88 at 5, 0.95 at 10."), std::string::npos);
}

TEST(ComparisonRows, ForOneBudgetHaveTheBoundAsAColumnAndALine) {
  Comparison bounded = one_budget();
  bounded.bounds = {0.88};
  const std::string text = comparison_text(bounded, Format::table);
  EXPECT_NE(text.find("expected    bound    seconds"), std::string::npos) << text;
  EXPECT_NE(text.find("0.8600   0.8800   0.001000"), std::string::npos) << text;
  EXPECT_NE(comparison_figure(bounded).find("bound: 0.88"), std::string::npos);
}

TEST(ComparisonRows, WithoutABoundDoNotMentionIt) {
  EXPECT_EQ(comparison_text(comparison(0.004), Format::table).find("bound"), std::string::npos);
  EXPECT_EQ(comparison_figure(comparison(0.004)).find("bound"), std::string::npos);
  EXPECT_NE(comparison_text(comparison(0.004), Format::json).find("\"bound\": null"),
            std::string::npos);
}

TEST(ComparisonRows, CountTheLabelsOfShares) {
  Comparison shares = comparison(0.004);
  shares.budgets = {{{250, 12.5}, {500, 25}}, 1999};
  const std::string figure = comparison_figure(shares);
  EXPECT_NE(figure.find(">250<"), std::string::npos) << "12.5% of 1999 are 249.9";
  EXPECT_NE(figure.find(">12.5<"), std::string::npos);
}

TEST(ComparisonRows, ExplainErrorsInTheFigureOnlyIfThereAreAny) {
  const auto explained = [](const Comparison& shown) {
    return comparison_figure(shown).find("error") != std::string::npos;
  };
  EXPECT_TRUE(explained(comparison(0.004)));
  EXPECT_FALSE(explained(comparison(NAN)));
}

TEST(ComparisonRows, ShowNothingWhereThereIsNoNumber) {
  Comparison result = one_budget();
  result.rows[1].standard_error = result.rows[1].expected_accuracy = std::nan("");
  const std::string text = comparison_text(result, Format::table);
  EXPECT_NE(text.find("  lu         0.8000              0.7500              0.001000 "),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace allot::cli::comparison_test
