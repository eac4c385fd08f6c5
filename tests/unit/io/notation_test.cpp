#include "io/notation.hpp"

#include <gtest/gtest.h>

namespace allot::io::notation_test {
namespace {

using Texts = std::vector<std::string>;

TEST(Notation, IgnoresZerosAndCapitals) {
  for (const Texts& same :
       std::vector<Texts>{{"1", "1.0", "01", "+1", "1.", "1e0", "10e-1", "0.1E+1", "001.000"},
                          {"0", "-0", "0.0", "+0", "0e5", ".0"},
                          {"-2.5", "-2.50", "-25e-1", "-02.5"},
                          {"120", "1.2e2", "120.0"},
                          {"TRUE", "true", "True"},
                          {"\xc3\xa9t\xc3\xa9", "\xc3\xa9T\xc3\xa9"}}) {
    for (const std::string& text : same)
      EXPECT_EQ(in_one_notation(text), in_one_notation(same[0])) << text;
  }
}

TEST(Notation, KeepsEverythingElseApart) {
  const Texts different{"1",
                        "-1",
                        "10",
                        "0.1",
                        "0",
                        "true",
                        "t",
                        "1x",
                        "1e",
                        "+-1",
                        "inf",
                        "nan",
                        "",
                        "1 0",
                        "12345678901234567890",
                        "12345678901234567891",
                        "1e400",
                        "1e401"};
  for (const std::string& text : different) {
    for (const std::string& other : different)
      EXPECT_EQ(in_one_notation(text) == in_one_notation(other), text == other)
          << text << " " << other;
  }
}

TEST(Notation, FindsTextsAndGroups) {
  const Notations notations({"no", "1", "Yes", "1.0", "yes"});
  EXPECT_EQ(notations.of("YES"), (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ(notations.of("No"), std::vector<std::uint32_t>{0});
  EXPECT_TRUE(notations.of("maybe").empty());
  EXPECT_EQ(notations.doubtful(), (std::vector<std::vector<std::uint32_t>>{{1, 3}, {2, 4}}));
}

}  // namespace
}  // namespace allot::io::notation_test
