#include "reproduce/data.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace allot::reproduce::data_test {
namespace {

Data small() {
  Data data({"panel", "policy", "accuracy"});
  data.add({"(a)", "opt-kg", "0.9"});
  data.add({"(a)", "with, comma", ""});
  data.add({"", "opt-kg", number_text(1.0 / 3)});
  return data;
}

TEST(Data, IsTheSameAfterWritingAndReading) {
  const Data data = small(), again = Data::from_csv(data.csv()).value();
  EXPECT_EQ(again.columns(), data.columns());
  EXPECT_EQ(again.csv(), data.csv());
  EXPECT_EQ(
      data.csv(),
      "panel,policy,accuracy\n(a),opt-kg,0.9\n(a),\"with, comma\",\n,opt-kg,0.333333333333\n");
}

TEST(Data, FindsRowsByTheirTexts) {
  const Data data = small();
  EXPECT_EQ(data.where({{"policy", "opt-kg"}}), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(data.only({{"policy", "opt-kg"}, {"panel", "(a)"}}), 0U);
  EXPECT_THROW(data.only({{"policy", "opt-kg"}}), std::logic_error);
  EXPECT_THROW(data.only({{"policy", "kg"}}), std::logic_error);
  EXPECT_EQ(data.values("panel"), (std::vector<std::string>{"(a)", ""}));
  EXPECT_DOUBLE_EQ(data.number(0, "accuracy"), 0.9);
  EXPECT_TRUE(std::isnan(data.number(1, "accuracy")));
  EXPECT_THROW(data.number(0, "budget"), std::logic_error);
}

TEST(Data, RefusesRowsThatDoNotFit) {
  Data data = small();
  EXPECT_THROW(data.add({"one"}), std::logic_error);
  EXPECT_FALSE(Data::from_csv("a,b\n1,2\n3\n").has_value());
}

}  // namespace
}  // namespace allot::reproduce::data_test
