#include "cli/output.hpp"

#include <gtest/gtest.h>

namespace allot::cli {
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

}  // namespace
}  // namespace allot::cli
