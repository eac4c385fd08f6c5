#include "allot/base/text.hpp"

#include <gtest/gtest.h>

namespace allot::text_test {
namespace {

using Parts = std::vector<std::string_view>;

TEST(ParseNumber, TakesFiniteDecimalsAndNothingElse) {
  EXPECT_EQ(parse_number("0.5"), 0.5);
  EXPECT_EQ(parse_number("-1e3"), -1000);
  for (const char* text : {"", "1 ", " 1", "1x", "nan", "inf", "1e999", "0x10", "--1", "+1"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(ParseWhole, TakesDigitsOnly) {
  EXPECT_EQ(parse_whole("18446744073709551615"), UINT64_MAX);
  for (const char* text : {"", "-1", "1.0", "18446744073709551616", "1e3", " 1"})
    EXPECT_FALSE(parse_whole(text)) << text;
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (Parts{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), Parts{""});
}

TEST(Trim, RemovesBlanksAtBothEnds) {
  EXPECT_EQ(trim("  a b\t\r\n"), "a b");
  EXPECT_EQ(trim(" \t"), "");
}

TEST(ForDisplay, ReplacesControlCharacters) {
  EXPECT_EQ(for_display("a\x1b[2J\n\tb\x7f", 99), "a [2J  b ");
  EXPECT_EQ(for_display("\xc2\x9b", 99), " ");  // U+009B acts as ESC [
  EXPECT_EQ(for_display("\xc3\xa9\xc2\xa0\xf0\x9f\x98\x80", 99),
            "\xc3\xa9\xc2\xa0\xf0\x9f\x98\x80");
  EXPECT_EQ(for_display("\xf0\x9f\x98\x80", 3), "...");
  EXPECT_EQ(for_display("a\xff\xc3", 99), "a\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(for_display("abc", 3), "abc");
  EXPECT_EQ(for_display("abcd", 3), "abc...");
  EXPECT_EQ(for_display("", 0), "");
}

TEST(InQuotes, CutsLongTextsBetweenCharacters) {
  EXPECT_EQ(in_quotes("a b"), "'a b'");
  EXPECT_EQ(in_quotes(std::string(99, 'x') + "\xc3\xa9 and more"),
            "'" + std::string(99, 'x') + "...'");
}

TEST(Suggestion, NamesTheNearestWordIfItIsNear) {
  const Parts known{"opt-kg", "kg", "gittins", "uniform"};
  EXPECT_EQ(suggestion("optkg", known), ", did you mean 'opt-kg'?");
  EXPECT_EQ(suggestion("gitins", known), ", did you mean 'gittins'?");
  EXPECT_EQ(suggestion("unifrom", known), ", did you mean 'uniform'?");
  EXPECT_EQ(suggestion("OPT-KG", known), ", did you mean 'opt-kg'?");
  EXPECT_EQ(suggestion("bananas", known), "");
}

TEST(SomeInQuotes, ShowsTheFirstFew) {
  const std::vector<std::string> texts{"a", "b", "c"};
  EXPECT_EQ(some_in_quotes(texts), "'a', 'b', 'c'");
  EXPECT_EQ(some_in_quotes(texts, 2), "'a', 'b', ...");
  EXPECT_EQ(some_in_quotes({}), "");
}

TEST(CountText, UsesTheSingularForOneOnly) {
  EXPECT_EQ(count_text(1, "row"), "1 row");
  EXPECT_EQ(count_text(0, "row"), "0 rows");
  EXPECT_EQ(count_text(3, "class", "classes"), "3 classes");
}

TEST(PlainNumber, HasNoExponentIfSmall) {
  EXPECT_EQ(plain_number(0.00005), "0.00005");
  EXPECT_EQ(plain_number(-1e-9), "-0.000000001");
  EXPECT_EQ(plain_number(1.0 / 30000), "0.000033333333333333335");
  EXPECT_EQ(plain_number(0.0001), "0.0001");
  EXPECT_EQ(plain_number(0), "0");
  EXPECT_EQ(plain_number(1.5), "1.5");
  EXPECT_EQ(plain_number(1e30), "1e+30");
  EXPECT_EQ(plain_number(1e-300), "1e-300");
}

}  // namespace
}  // namespace allot::text_test
