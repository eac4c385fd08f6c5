// Prices, budgets in money and stop rules as a user meets them.
#include <gtest/gtest.h>

#include "allot/base/text.hpp"
#include "support/program.hpp"

namespace allot::test {
namespace {

constexpr const char* kPool = "'llm=3*beta(9,1)@0.001+people=20*beta(4,1)@0.08'";
constexpr const char* kEndColumns =
    ",labels,spent,stopped_accuracy,stopped_settled,stopped_worth,stopped_budget,"
    "stopped_exhausted";

/// The fields of the n-th row of a CSV, from 1.
std::vector<std::string> fields(const std::string& csv, std::size_t n) {
  const auto lines = split(csv, '\n');
  std::vector<std::string> result;
  for (const auto field : split(lines.at(n), ',')) result.emplace_back(field);
  return result;
}

/// What costs time and what does not.
std::vector<std::string> without_seconds(std::vector<std::string> row) {
  row.erase(row.begin() + 6);
  return row;
}

TEST(Money, WithOnePriceBuysTheSameLabels) {
  for (const std::string workers : {"", " --workers 9"}) {
    const std::string common =
        "simulate --items 10 --runs 3 --policy opt-kg --format csv" + workers + " --budget ";
    const Outcome labels = allot(common + "20,3x"), money = allot(common + "1.00,3x --price 0.05");
    ASSERT_EQ(money.status, 0) << money.errors;
    EXPECT_TRUE(money.output.starts_with(kColumns));
    EXPECT_TRUE(split(money.output, '\n').front().ends_with(kEndColumns));
    for (const std::size_t n : {1U, 2U}) {
      auto priced = without_seconds(fields(money.output, n));
      EXPECT_EQ(priced[1], n == 1 ? "1" : "1.5") << "money";
      EXPECT_EQ(priced[7], n == 1 ? "20" : "30") << "labels";
      EXPECT_EQ(priced[8], n == 1 ? "1" : "1.5") << "spent";
      EXPECT_EQ(priced[12], "3") << "runs that spent the budget";
      auto plain = without_seconds(fields(labels.output, n));
      priced.resize(plain.size());
      plain[1] = priced[1];
      EXPECT_EQ(priced, plain);
    }
  }
}

TEST(Money, OfAPoolIsSpentOnWhomItCanPay) {
  const Outcome outcome =
      allot(std::string("simulate --items 10 --runs 1 --format csv --workers ") + kPool +
            " --budget 1 --policy opt-kg");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto row = fields(outcome.output, 1);
  const double spent = parse_number(row[9]).value();
  EXPECT_LE(spent, 1);
  EXPECT_GT(spent, 0.9);
  EXPECT_GT(parse_number(row[8]).value(), 30) << "the cheap ones are asked about everything";
}

TEST(Money, StandsInTablesAndFigures) {
  const Folder folder;
  const std::string plot = folder / "money.svg";
  const Outcome outcome = allot(std::string("simulate --items 10 --runs 2 --workers ") + kPool +
                                " --budget 1,2 --policy opt-kg --plot " + plot);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  for (const char* part : {"23 workers llm=3*beta(9,1)@0.001", "worker prior by type",
                           "policy   budget   labels   spent   runs ended by", "budget 2\n"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\n" << outcome.output;
  EXPECT_NE(read_file(plot).find(">budget<"), std::string::npos);
}

TEST(Money, RefusesWhatMakesNoSense) {
  const auto pool = [](const std::string& more) {
    return std::string("simulate --workers ") + kPool + " " + more;
  };
  expect_refusal("simulate --price 0", "--price: amount '0' is no price", "above 0");
  expect_refusal("simulate --price cheap", "--price: amount 'cheap'", "12.50");
  expect_refusal("simulate --price 0.05 --budget 0.01", "pays no label: the cheapest costs 0.05",
                 "money (12.50)");
  expect_refusal(pool(""), "budget '10x' counts labels, whose prices differ", "money (12.50)");
  expect_refusal(pool("--budget 1 --price 2"), "both have prices", "one price for all");
  expect_refusal(pool("--budget 1 --worker-truth beta:4,1"), "--worker-truth is of no use",
                 "one of them");
  expect_refusal("simulate --workers '3*beta(9)'", "--workers: pool '3*beta(9)' has a type",
                 "NAME=COUNT*RELIABILITY@PRICE");
  expect_refusal("simulate --workers 9 --price 1 --budget 100000", "more than the 450",
                 "shares of what all labels cost");
}

TEST(Stop, EndsRunsAndSaysWhy) {
  const Outcome outcome = allot(
      "simulate --items 20 --budget 5x,40x --runs 4 --stop accuracy:0.8 --policy opt-kg "
      "--format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto early = fields(outcome.output, 2);
  EXPECT_EQ(early[1], "800");
  EXPECT_LT(parse_number(early[8]).value(), 800);
  EXPECT_EQ(early[10], "4") << "stopped_accuracy";
  EXPECT_EQ(early[13], "0") << "stopped_budget";
  EXPECT_EQ(early[8], early[9]) << "a label costs 1";
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

TEST(Stop, RefusesWhatMakesNoSense) {
  expect_refusal("simulate --stop accuracy", "--stop: rule 'accuracy' has no value", "accuracy:X");
  expect_refusal("simulate --stop never", "--stop: rule 'never' is unknown", "worth:W");
  expect_refusal("simulate --classes 3 --stop worth:20", "--stop worth:20 is for yes/no items",
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
  EXPECT_EQ(fields(outcome.output, 1)[1], "1.26");
  EXPECT_EQ(fields(outcome.output, 2)[1], "2.52");
  EXPECT_EQ(fields(outcome.output, 2)[8], "36") << "all labels";
  EXPECT_EQ(fields(outcome.output, 3)[9], "0.11");
}

TEST_F(PricedReplay, WithOnePriceIsTheReplayInLabels) {
  for (const std::string workers : {"", "--workers ignore "}) {
    const Outcome plain = allot(command(workers + "--budget 10%,40%"));
    const Outcome priced = allot(command(workers + "--budget 10%,40% --price 0.30"));
    ASSERT_EQ(priced.status, 0) << priced.errors;
    for (const std::size_t n : {1U, 2U}) {
      EXPECT_EQ(fields(plain.output, n)[3], fields(priced.output, n)[3]);
      EXPECT_EQ(fields(plain.output, n)[1], fields(priced.output, n)[8]) << "labels";
    }
  }
  EXPECT_EQ(allot(command("--price 0.30")).status, 0) << "the usual budgets";
}

TEST_F(PricedReplay, StopsWhenNoLabelIsWorthItsPrice) {
  const Outcome outcome = allot(command("--budget 100% --stop worth:0.05 --price " + prices));
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto row = fields(outcome.output, 1);
  EXPECT_EQ(row[12], "2") << "stopped_worth";
  EXPECT_LT(parse_number(row[8]).value(), 13) << "the dear ones are never asked";
}

TEST_F(PricedReplay, RefusesWhatMakesNoSense) {
  expect_refusal(command("--price " + folder.file("few.csv", "worker,price\nann,1\n")),
                 "no price for 2 workers of the labels ('bob', 'model')", "worker is *");
  expect_refusal(command("--price nowhere.csv"), "nowhere.csv", "");
  expect_refusal(command("--price 0"), "--price: amount '0' is no price", "above 0");
  expect_refusal(command("--price 1,5"), "--price: amount '1,5' is not understood", "12.50");
  expect_refusal(command("--workers ignore --price " + prices), "is about workers who differ",
                 "one price for all");
  expect_refusal(command("--budget 4x --price " + prices), "counts labels, whose prices differ",
                 "shares of what all labels cost");
  expect_refusal(command("--budget 3 --price " + prices), "more than the 2.52", "money (12.50)");
}

}  // namespace
}  // namespace allot::test
