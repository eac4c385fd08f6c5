// Prices, budgets in money and stop rules as a user meets them.
#include <gtest/gtest.h>

#include <map>

#include "allot/base/text.hpp"
#include "support/program.hpp"

namespace allot::test::money_test {
namespace {

constexpr const char* kPool = "'llm=3*beta(9,1)@0.001+people=20*beta(4,1)@0.08'";
constexpr const char* kEndColumns =
    ",labels,spent,stopped_accuracy,stopped_settled,stopped_worth,stopped_budget,"
    "stopped_exhausted";

/// The n-th row of a CSV, from 1, by the names of its columns.
std::map<std::string, std::string> row(const std::string& csv, std::size_t n) {
  const auto lines = split(csv, '\n');
  const auto names = split(lines.at(0), ','), values = split(lines.at(n), ',');
  std::map<std::string, std::string> result;
  for (std::size_t i = 0; i < names.size(); ++i) result.emplace(names[i], values.at(i));
  return result;
}

double number(const std::string& text) { return parse_number(text).value(); }

TEST(Money, WithOnePriceBuysTheSameLabels) {
  for (const std::string workers : {"", " --workers 9"}) {
    const std::string common =
        "simulate --items 10 --runs 3 --policy opt-kg --format csv" + workers + " --budget ";
    const Outcome labels = allot(common + "20,3x"), money = allot(common + "1.00,3x --price 0.05");
    ASSERT_EQ(money.status, 0) << money.errors;
    EXPECT_EQ(split(money.output, '\n').front(), std::string(kColumns) + kEndColumns);
    for (const std::size_t n : {1U, 2U}) {
      auto plain = row(labels.output, n), priced = row(money.output, n);
      EXPECT_EQ(priced["budget"], n == 1 ? "1" : "1.5");
      EXPECT_EQ(priced["labels"], n == 1 ? "20" : "30");
      EXPECT_EQ(priced["spent"], priced["budget"]);
      EXPECT_EQ(priced["stopped_budget"], "3");
      EXPECT_EQ(plain["budget"], priced["labels"]);
      for (const char* same : {"policy", "accuracy", "stderr", "expected_accuracy", "worst"})
        EXPECT_EQ(plain.at(same), priced.at(same)) << same;
    }
  }
}

TEST(Money, OfAPoolIsSpentOnWhomItCanPay) {
  const Outcome outcome =
      allot(std::string("simulate --items 10 --runs 1 --format csv --workers ") + kPool +
            " --budget 1 --policy opt-kg");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto first_row = row(outcome.output, 1);
  EXPECT_LE(number(first_row.at("spent")), 1);
  EXPECT_GT(number(first_row.at("spent")), 0.9);
  EXPECT_GT(number(first_row.at("labels")), 30) << "the cheap ones are asked about everything";
}

TEST(Money, StandsInTablesAndFigures) {
  const Folder folder;
  const std::string plot = folder / "money.svg";
  const Outcome outcome = allot(std::string("simulate --items 10 --runs 2 --workers ") + kPool +
                                " --budget 1,2 --policy opt-kg --plot " + plot);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  for (const char* part : {"23 workers llm=3*beta(9,1)@0.001", "worker prior by type",
                           "policy   budget   labels   spent   runs stopped by", "budget 2\n"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\n" << outcome.output;
  EXPECT_NE(read_file(plot).find(">budget<"), std::string::npos);
}

TEST(Money, RefusesInvalidOptions) {
  const auto pool = [](const std::string& more) {
    return std::string("simulate --workers ") + kPool + " " + more;
  };
  expect_refusal("simulate --price 0", "--price: amount '0' is not a price", "above 0");
  expect_refusal("simulate --price cheap", "--price: amount 'cheap'", "12.50");
  expect_refusal("simulate --price 0.05 --budget 0.01",
                 "cannot pay a label: the cheapest costs 0.05", "money (12.50)");
  expect_refusal(pool(""), "budget '10x' counts labels, but their prices differ", "money (12.50)");
  expect_refusal(pool("--budget 1 --price 2"), "both have prices", "one price for all");
  expect_refusal(pool("--budget 1 --worker-truth beta:4,1"), "--worker-truth cannot be combined",
                 "one of them");
  expect_refusal("simulate --workers '3*beta(9)'", "--workers: pool '3*beta(9)' has a type",
                 "NAME=COUNT*RELIABILITY@PRICE");
  expect_refusal("simulate --workers many",
                 "--workers 'many' is not valid; expected a whole number from 1",
                 "or types such as llm=3*beta(9,1)@0.001");
  expect_refusal("simulate --workers 9 --price 1 --budget 100000", "more than 450, the cost",
                 "shares of the cost of all labels");
}

TEST(Stop, EndsRunsAndSaysWhy) {
  const Outcome outcome = allot(
      "simulate --items 20 --budget 5x,40x --runs 4 --stop accuracy:0.8 --policy opt-kg "
      "--format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto early = row(outcome.output, 2);
  EXPECT_EQ(early.at("budget"), "800");
  EXPECT_LT(number(early.at("labels")), 800);
  EXPECT_EQ(early.at("stopped_accuracy"), "4");
  EXPECT_EQ(early.at("stopped_budget"), "0");
  EXPECT_EQ(early.at("labels"), early.at("spent")) << "a label costs 1";
  const Outcome table = allot(
      "simulate --items 20 --budget 40x --runs 4 --stop accuracy:0.8,settled:0.999 --policy "
      "opt-kg");
  EXPECT_NE(table.output.find("stopped by accuracy:0.8,settled:0.999"), std::string::npos);
  EXPECT_NE(table.output.find("accuracy 4"), std::string::npos) << table.output;
  const Outcome json = allot(
      "simulate --items 20 --budget 40x --runs 4 --stop settled:0.8 --stop worth:50 --policy "
      "opt-kg --format json");
  EXPECT_NE(json.output.find("\"stop\": \"settled:0.8,worth:50\""), std::string::npos);
  EXPECT_NE(json.output.find("\"stopped_exhausted\": 0"), std::string::npos);
}

TEST(Stop, WorksWhereverLabelsCanBeBought) {
  for (const char* kind :
       {"--classes 3", "--classes 3 --workers 9 --refit 10", "--workers 9 --mode pull",
        "--workers 9 --refit 10 --stop worth:100", "--prior learn --stop worth:100"}) {
    const Outcome outcome =
        allot("simulate --items 8 --budget 9x --runs 2 --policy opt-kg --stop settled:0.7 " +
              std::string(kind));
    EXPECT_EQ(outcome.status, 0) << kind << outcome.errors;
    EXPECT_NE(outcome.output.find("settled 2"), std::string::npos) << kind << outcome.output;
  }
}

TEST(Stop, RefusesInvalidOptions) {
  expect_refusal("simulate --stop accuracy", "--stop: rule 'accuracy' has no value", "accuracy:X");
  expect_refusal("simulate --stop never", "--stop: rule 'never' is unknown", "worth:W");
  expect_refusal("simulate --classes 3 --stop worth:20", "--stop 'worth:20' needs binary items",
                 "accuracy:X or settled:X");
  expect_refusal("simulate --items 2 --budget 4 --policy dp --stop settled:0.9",
                 "policy 'dp' cannot leave settled items out", "plans with all");
}

class PricedReplay : public testing::Test {
 protected:
  static std::string labels_text() {
    std::string text = "item,worker,label\n";
    for (int item = 0; item < 12; ++item) {
      for (const char* worker : {"ann", "bob", "model"}) {
        const bool wrong = worker == std::string("model") && item % 3 == 0;
        text += "i" + std::to_string(item) + "," + worker + "," +
                ((item % 2 == 1) != wrong ? "1" : "0") + "\n";
      }
    }
    return text;
  }
  static std::string truth_text() {
    std::string text = "item,truth\n";
    for (int item = 0; item < 12; ++item)
      text += "i" + std::to_string(item) + "," + (item % 2 == 1 ? "1" : "0") + "\n";
    return text;
  }
  std::string command(const std::string& more) const {
    return "replay --labels " + labels + " --truth " + truth +
           " --runs 2 --format csv --policy opt-kg " + more;
  }

  const Folder folder;
  const std::string labels = folder.file("labels.csv", labels_text());
  const std::string truth = folder.file("truth.csv", truth_text());
  const std::string prices = folder.file("prices.csv", "worker,price\nmodel,0.01\n*,0.10\n");
};

TEST_F(PricedReplay, TakesSharesOfWhatAllLabelsCost) {
  const Outcome outcome = allot(command("--budget 50%,100%,0.11 --price " + prices));
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(row(outcome.output, 1).at("budget"), "1.26");
  EXPECT_EQ(row(outcome.output, 2).at("budget"), "2.52");
  EXPECT_EQ(row(outcome.output, 2).at("labels"), "36") << "all labels";
  EXPECT_EQ(row(outcome.output, 3).at("spent"), "0.11");
}

TEST_F(PricedReplay, WithOnePriceIsTheReplayInLabels) {
  for (const std::string workers : {"", "--workers ignore "}) {
    const Outcome plain = allot(command(workers + "--budget 10%,40%"));
    const Outcome priced = allot(command(workers + "--budget 10%,40% --price 0.30"));
    ASSERT_EQ(priced.status, 0) << priced.errors;
    for (const std::size_t n : {1U, 2U}) {
      const auto before = row(plain.output, n), now = row(priced.output, n);
      EXPECT_EQ(before.at("accuracy"), now.at("accuracy"));
      EXPECT_EQ(before.at("budget"), now.at("labels"));
    }
  }
  EXPECT_EQ(allot(command("--price 0.30")).status, 0) << "the usual budgets";
}

TEST_F(PricedReplay, StopsWhenNoLabelIsWorthItsPrice) {
  const Outcome outcome = allot(command("--budget 100% --stop worth:0.05 --price " + prices));
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto first_row = row(outcome.output, 1);
  EXPECT_EQ(first_row.at("stopped_worth"), "2");
  EXPECT_LT(number(first_row.at("labels")), 13) << "the dear ones are never asked";
}

TEST_F(PricedReplay, RefusesInvalidOptions) {
  expect_refusal(command("--price " + folder.file("few.csv", "worker,price\nann,1\n")),
                 "no price for 2 workers of the labels ('bob', 'model')", "the worker *");
  expect_refusal(command("--price nowhere.csv"), "nowhere.csv", "");
  expect_refusal(command("--price 0"), "--price: amount '0' is not a price", "above 0");
  expect_refusal(command("--price 1,5"), "--price: amount '1,5' is not understood", "12.50");
  expect_refusal(command("--workers ignore --price " + prices), "cannot be combined with --workers ignore",
                 "one price for all");
  expect_refusal(command("--budget 4x --price " + prices), "counts labels, but their prices differ",
                 "shares of the cost of all labels");
  expect_refusal(command("--budget 3 --price " + prices), "more than 2.52", "money (12.50)");
}

}  // namespace
}  // namespace allot::test::money_test
