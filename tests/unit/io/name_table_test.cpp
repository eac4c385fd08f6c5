#include "io/name_table.hpp"

#include <gtest/gtest.h>

namespace allot::io::name_table_test {
namespace {

TEST(NameTable, NumbersNamesAsTheyAppear) {
  NameTable table;
  EXPECT_EQ(table.number("b"), 0U);
  EXPECT_EQ(table.number("a"), 1U);
  EXPECT_EQ(table.number("b"), 0U);
  EXPECT_EQ(table.find("a"), 1U);
  EXPECT_FALSE(table.find("c"));
  EXPECT_EQ(table.names(), (std::vector<std::string>{"b", "a"}));
}

TEST(NameTable, KeepsNumbersWhileItGrows) {
  NameTable table;
  for (std::uint32_t i = 0; i < 10'000; ++i) ASSERT_EQ(table.number(std::to_string(i)), i);
  for (std::uint32_t i = 0; i < 10'000; ++i) ASSERT_EQ(table.find(std::to_string(i)), i);
  EXPECT_EQ(NameTable(table.names()).find("9999"), 9999U);
}

}  // namespace
}  // namespace allot::io::name_table_test
