#include "figure/text.hpp"

#include <gtest/gtest.h>

namespace allot::figure::text_test {
namespace {

TEST(FigureText, GroupsThousands) {
  EXPECT_EQ(grouped(999, 0), "999");
  EXPECT_EQ(grouped(1000, 0), "1,000");
  EXPECT_EQ(grouped(-1234567.5, 1), "-1,234,567.5");
  EXPECT_EQ(grouped(-0.001, 2), "0.00");
  EXPECT_EQ(grouped(-100, 0), "-100");
}

TEST(FigureText, WritesNumbersWithoutSurplusDigits) {
  EXPECT_EQ(plain_number(20), "20");
  EXPECT_EQ(plain_number(10.0 / 3), "3.33333");
  EXPECT_EQ(plain_number(12500), "12,500");
  EXPECT_EQ(plain_number(0), "0");
  EXPECT_EQ(plain_number(1.5e20), "1.5e+20");
  EXPECT_EQ(plain_number(-2e-9), "-2e-09");
}

TEST(FigureText, EscapesMarkupAndInvalidCharacters) {
  EXPECT_EQ(escaped("</text><script>&\"'"), "&lt;/text&gt;&lt;script&gt;&amp;&quot;'");
  EXPECT_EQ(escaped("a\nb\x01"
                    "c\x7f"),
            "a b�c\x7f");
  EXPECT_EQ(escaped("é中😀"), "é中😀");
  // Cut short, overlong, a surrogate, a lone continuation byte, U+FFFF.
  EXPECT_EQ(escaped("\xE4\xB8"), "��");
  EXPECT_EQ(escaped("\xC0\xAF"), "��");
  EXPECT_EQ(escaped("\xED\xA0\x80"), "�");
  EXPECT_EQ(escaped("\x80"), "�");
  EXPECT_EQ(escaped("\xEF\xBF\xBF"), "�");
}

TEST(FigureText, ShortensAtWholeCharacters) {
  EXPECT_EQ(shortened("opt-kg", 10, 100), "opt-kg");
  const std::string cut = shortened("ééééééééééééééé", 10, 60);
  EXPECT_TRUE(cut.ends_with("é…")) << cut;
  EXPECT_LE(text_width(cut, 10), 60);
}

TEST(FigureText, WrapsAtBlanks) {
  EXPECT_EQ(wrapped("one two", 10, 1000), std::vector<std::string>{"one two"});
  EXPECT_EQ(wrapped("one two", 10, 30), (std::vector<std::string>{"one", "two"}));
}

}  // namespace
}  // namespace allot::figure::text_test
