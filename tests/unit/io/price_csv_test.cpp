#include "allot/io/price_csv.hpp"

#include <gtest/gtest.h>

namespace allot::io::price_csv_test {
namespace {

const std::vector<std::string> kWorkers{"ann", "bob", "model"};

std::vector<std::string> prices(std::string_view text) {
  std::vector<std::string> texts;
  const std::vector<Money> all = parse_prices(text, kWorkers).value();
  for (const Money price : all) texts.push_back(money_text(price));
  return texts;
}

std::string refusal(std::string_view text) {
  const auto read = parse_prices(text, kWorkers);
  return read ? "read" : read.error().message;
}

TEST(PriceCsv, ReadsOnePricePerWorkerInAnyOrder) {
  EXPECT_EQ(prices("worker,price\nmodel,0.001\nann,0.08\nbob,0.10\n"),
            (std::vector<std::string>{"0.08", "0.1", "0.001"}));
  EXPECT_EQ(prices("cost;worker_id\n1;ann\n2;bob\n3;model\n4;eve\n"),
            (std::vector<std::string>{"1", "2", "3"}))
      << "other names of columns, and workers without labels";
}

TEST(PriceCsv, TakesAPriceForAllOthers) {
  EXPECT_EQ(prices("worker,price\nmodel,0.001\n*,0.08\n"),
            (std::vector<std::string>{"0.08", "0.08", "0.001"}));
}

TEST(PriceCsv, NamesTheProblem) {
  EXPECT_EQ(refusal("worker,price\nann,1\n"),
            "no price for 2 workers of the labels ('bob', 'model'); expected a row for each, or a "
            "row with the worker *");
  EXPECT_EQ(refusal("worker,price\nann,1\nbob,2\n").substr(0, 43),
            "no price for 1 worker of the labels ('model");
  EXPECT_NE(refusal("worker,price\n*,1\nann,free\n").find("line 3: amount 'free' is not"),
            std::string::npos)
      << refusal("worker,price\n*,1\nann,free\n");
  EXPECT_NE(refusal("worker,price\n*,0\n").find("is not a price"), std::string::npos);
  EXPECT_NE(refusal("worker,price\n,1\n").find("line 2: the worker is empty"), std::string::npos);
  EXPECT_NE(
      refusal("worker,price\nann,1\nann,2\n*,1\n")
          .find("line 3: the price of worker 'ann' is 2, but was 1 before; expected one price"),
      std::string::npos);
  EXPECT_EQ(prices("worker,price\nann,1\nann,1.0\n*,1\n").size(), 3U);
  EXPECT_NE(refusal("worker\nann\n").find("price"), std::string::npos);
}

}  // namespace
}  // namespace allot::io::price_csv_test
