#include "allot/io/budget_text.hpp"

#include <gtest/gtest.h>

namespace allot::io::budget_text_test {
namespace {

using Budgets = std::vector<std::uint64_t>;

Budgets read(std::string_view text) {
  const auto budgets = parse_budgets(text, 50);
  Budgets labels;
  for (const Budget& budget : budgets.value()) labels.push_back(budget.labels);
  return labels;
}

std::string refusal(std::string_view text) {
  const auto budgets = parse_budgets(text, 50);
  return budgets ? "read" : budgets.error().message;
}

TEST(BudgetText, ReadsLabelsAndLabelsPerItem) {
  EXPECT_EQ(read("500"), Budgets{500});
  EXPECT_EQ(read("10x"), Budgets{500});
  EXPECT_EQ(read("2.5x"), Budgets{125});
  EXPECT_EQ(read("1e3"), Budgets{1000});
}

TEST(BudgetText, ReadsListsAndRanges) {
  EXPECT_EQ(read("2x, 5x,30"), (Budgets{100, 250, 30}));
  EXPECT_EQ(read("2x..4x"), (Budgets{100, 150, 200}));
  EXPECT_EQ(read("1x..2x:0.5x"), (Budgets{50, 75, 100}));
  EXPECT_EQ(read("100..300:100,7"), (Budgets{100, 200, 300, 7}));
  EXPECT_EQ(read("10,10,10"), Budgets{10});
  EXPECT_EQ(read("2x..20x").size(), 19U);
}

TEST(BudgetText, NamesTheProblem) {
  for (const char* text : {"-5", "0", "0x", "", "x", "5y", "5x..2x", "2x..8", "2..8x", "1..9:0",
                           "1..9:-1", "1.5", "nan", "1e30", "1..1e9", "2x..", "..4x", "5,,6"}) {
    EXPECT_EQ(refusal(text).rfind(std::string("budget '") + text + "' ", 0), 0U) << refusal(text);
    EXPECT_NE(refusal(text).find("expected labels (500)"), std::string::npos) << refusal(text);
  }
}

TEST(BudgetText, OneBudgetIsNotAList) {
  EXPECT_EQ(parse_budget("3x", 5).value(), 15U);
  EXPECT_FALSE(parse_budget("3x,4x", 5));
}

TEST(BudgetText, RemembersSharesAsTheyWereWritten) {
  EXPECT_EQ(parse_budgets("12.5%,2x,50%,24", 10, 48).value(),
            (std::vector<Budget>{{6, 12.5}, {20, {}}, {24, 50}}));
}

const Money kCent = Money::billionths(10'000'000);

/// Amounts in the order written, or why not.
std::string money(std::string_view text, const LabelPrices& prices) {
  const auto budgets = parse_money_budgets(text, 50, prices);
  if (!budgets) return budgets.error().message.substr(0, budgets.error().message.find("; exp"));
  std::string all;
  for (const Budget& budget : *budgets) {
    all += money_text(*budget.money) + "/" + std::to_string(budget.labels) +
           (budget.percent ? "%" : "") + " ";
  }
  return all;
}

TEST(BudgetText, ReadsMoneyWhereLabelsHaveOnePrice) {
  const LabelPrices price{kCent * 5, kCent * 5};
  EXPECT_EQ(money("12.50", price), "12.5/250 ");
  EXPECT_EQ(money("10x", price), "25/500 ");
  EXPECT_EQ(money("0.05, 0.099999999", price), "0.05/1 0.099999999/1 ");
  EXPECT_EQ(money("1..2:0.5,2x", price), "1/20 1.5/30 2/40 5/100 ");
  EXPECT_EQ(money("0.1..0.3:0.1,0.30", price), "0.1/2 0.2/4 0.3/6 ") << "exact, each once";
  const LabelPrices few{kCent * 5, kCent * 5, 15, kCent * 75};
  EXPECT_EQ(money("50%", few), "0.4/8% ") << "of whole labels, as without a price";
  EXPECT_EQ(money("100%,0.75", few), "0.75/15% ");
  EXPECT_EQ(money("101%", few), "budget '101%' is more than 0.75, the cost of all labels");
}

TEST(BudgetText, ReadsMoneyWherePricesDiffer) {
  const LabelPrices prices{kCent, kCent * 8, 100, kCent * 345};
  EXPECT_EQ(money("1,3.45", prices), "1/100 3.45/100 ");
  EXPECT_EQ(money("40%", prices), "1.38/100% ");
  EXPECT_EQ(money("10x", prices), "budget '10x' counts labels, but their prices differ");
  EXPECT_EQ(money("2x..4x", prices), "budget '2x..4x' counts labels, but their prices differ");
  EXPECT_EQ(money("0.005", prices), "budget '0.005' cannot pay a label: the cheapest costs 0.01");
  EXPECT_EQ(money("3.46", prices), "budget '3.46' is more than 3.45, the cost of all labels");
  EXPECT_EQ(money("120%", prices), "budget '120%' is more than 3.45, the cost of all labels");
  EXPECT_EQ(money("1,,2", prices), "budget '1,,2' is not understood");
  EXPECT_EQ(money("-1", prices), "budget '-1' is not understood");
  EXPECT_EQ(money("abc", prices), "budget 'abc' is not understood");
  EXPECT_EQ(money("40%", {kCent, kCent * 8}), "budget '40%' is not understood");
  EXPECT_EQ(parse_money_budgets("x", 5, prices).error().message,
            "budget 'x' counts labels, but their prices differ; expected money (12.50), shares "
            "of the cost of all labels (40%), lists (5,12.50) or ranges (5..50:5)");
}

TEST(BudgetText, RefusesMoneyBeyondAllAmounts) {
  const LabelPrices price{kCent * 500, kCent * 500};
  EXPECT_EQ(money("30000000x", price), "7500000000/1500000000 ");
  EXPECT_EQ(money("80000000x", price), "budget '80000000x' is not understood");
}

TEST(BudgetText, RefusesMoreThanAllLabels) {
  EXPECT_EQ(parse_budgets("10%..100%:0.1%", 12, 48).value().back().labels, 48U);
  EXPECT_NE(parse_budgets("101%", 12, 48).error().message.find("more than all 48 labels"),
            std::string::npos)
      << "though it would be rounded to 48";
}

}  // namespace
}  // namespace allot::io::budget_text_test
