#include "allot/io/number_list.hpp"

#include <gtest/gtest.h>

namespace allot::io::number_list_test {
namespace {

using Numbers = std::vector<double>;

TEST(NumberList, ReadsNumbersAndRanges) {
  EXPECT_EQ(parse_number_list("1, 2.5,4", "", 1.0), (Numbers{1, 2.5, 4}));
  EXPECT_EQ(parse_number_list("1..3", "", 1.0), (Numbers{1, 2, 3}));
  EXPECT_EQ(parse_number_list("2x..3x:0.5x", "x", 1.0), (Numbers{2, 2.5, 3}));
}

TEST(NumberList, ReachesTheEndOfARangeInSpiteOfRounding) {
  const auto tenths = parse_number_list("0..1:0.1", "", std::nullopt);
  ASSERT_TRUE(tenths);
  EXPECT_EQ(tenths->size(), 11U);
  EXPECT_EQ(tenths->back(), 1);
}

TEST(NumberList, StopsBeforeAnEndThatNoStepMeets) {
  EXPECT_EQ(parse_number_list("1..4:2", "", std::nullopt), (Numbers{1, 3}));
}

TEST(NumberList, RefusesMalformedOrTooLongLists) {
  for (const char* text :
       {"", ",", "1,", "a", "3..1", "1..2:0", "1..2:-1", "1..", "..2", "1..2..3", "0..1e9"}) {
    EXPECT_FALSE(parse_number_list(text, "", 1.0)) << text;
  }
  EXPECT_FALSE(parse_number_list("0..1", "", std::nullopt)) << "no step is named";
  EXPECT_FALSE(parse_number_list("2x", "", 1.0)) << "no unit is expected";
  EXPECT_FALSE(parse_number_list("2", "x", 1.0)) << "a unit is expected";
}

}  // namespace
}  // namespace allot::io::number_list_test
