#include "cli/formats.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace allot::cli::formats_test {
namespace {

TEST(Table, AlignsTheFirstColumnLeftAndTheOthersRight) {
  Table table({"policy", "x"});
  table.add({"kg", "1.5 ±2"});
  EXPECT_EQ(table.text(),
            "  policy        x\n"
            "  ---------------\n"
            "  kg       1.5 ±2\n");
}

TEST(Bar, FillsInEighths) {
  EXPECT_EQ(bar(1, 0.5, 4), "████");
  EXPECT_EQ(bar(0.75, 0.5, 4), "██  ");
  EXPECT_EQ(bar(0.3, 0.5, 2), "  ");
  EXPECT_EQ(bar(0.5 / 8, 0, 1), "▏");
}

TEST(Csv, QuotesWhatNeedsIt) {
  EXPECT_EQ(csv_line({"a", "b,c", "d\"e", "f"}), "a,\"b,c\",\"d\"\"e\",f\n");
  EXPECT_EQ(csv_line({" a", "b c"}), "\" a\",b c\n");
}

TEST(Json, EscapesStrings) {
  EXPECT_EQ(json_string("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
  EXPECT_EQ(json_object({{"x", "1"}, {"y", json_array({"2", "3"})}}), "{\"x\": 1, \"y\": [2, 3]}");
}

TEST(ResultRows, AreTheSameInCsvAndJson) {
  const std::vector<Fields> rows{{{"policy", "a,\"b\""}, {"items", "3"}, {"accuracy", "0.5"}},
                                 {{"policy", "kg"}, {"items", "3"}, {"accuracy", ""}}};
  EXPECT_EQ(csv_text(rows), "policy,items,accuracy\n\"a,\"\"b\"\"\",3,0.5\nkg,3,\n");
  EXPECT_EQ(json_rows(rows),
            "[\n  {\"policy\": \"a,\\\"b\\\"\", \"items\": 3, \"accuracy\": 0.5},"
            "\n  {\"policy\": \"kg\", \"items\": 3, \"accuracy\": null}]");
}

TEST(NumberText, HasTwelveDigitsAndIsEmptyForNoNumber) {
  EXPECT_EQ(number_text(2.0 / 3), "0.666666666667");
  EXPECT_EQ(number_text(0.5), "0.5");
  EXPECT_EQ(number_text(NAN), "");
}

}  // namespace
}  // namespace allot::cli::formats_test
