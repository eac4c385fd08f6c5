#include "allot/io/budget_text.hpp"

#include <gtest/gtest.h>

namespace allot::io {
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

TEST(BudgetText, ReadsLabelsAndLabelsAnItem) {
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

TEST(BudgetText, NamesWhatItCannotUse) {
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

TEST(BudgetText, KnowsNoMoreThanAllLabels) {
  EXPECT_EQ(parse_budgets("10%..100%:0.1%", 12, 48).value().back().labels, 48U);
  EXPECT_NE(parse_budgets("101%", 12, 48).error().message.find("more than the 48 labels"),
            std::string::npos)
      << "though it would be rounded to 48";
}

}  // namespace
}  // namespace allot::io
