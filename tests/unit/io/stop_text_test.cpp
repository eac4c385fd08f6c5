#include "allot/io/stop_text.hpp"

#include <gtest/gtest.h>

namespace allot::io::stop_text_test {
namespace {

using policy::StopRules;

std::string refusal(std::string_view text) {
  const auto rules = parse_stop_rules(text);
  return rules ? "read" : rules.error().message;
}

TEST(StopText, ReadsEveryRule) {
  EXPECT_EQ(parse_stop_rules("accuracy:0.95").value(), StopRules{.accuracy = 0.95});
  EXPECT_EQ(parse_stop_rules("settled:0.99").value(), StopRules{.settled = 0.99});
  EXPECT_EQ(parse_stop_rules("worth:12.5").value(),
            StopRules{.worth = Money::billionths(12'500'000'000)});
  EXPECT_EQ(parse_stop_rules("worth:20, settled:1,accuracy:1").value(),
            (StopRules{1, 1, Money::whole(20)}));
}

TEST(StopText, NamesTheRuleItCannotUse) {
  EXPECT_EQ(refusal("accuracy:1.5"),
            "rule 'accuracy:1.5' is not above 0 and at most 1; expected accuracy:X (the expected "
            "accuracy is at least X), settled:X (items right with probability X get no more "
            "labels), worth:W (no label is worth its price if a right answer is worth W) or, in "
            "campaigns, certified:X (an audit proves X)");
  const auto why = [](std::string_view text) {
    const std::string message = refusal(text);
    return message.substr(0, message.find("; expected"));
  };
  EXPECT_EQ(why("accuracy:0"), "rule 'accuracy:0' is not above 0 and at most 1");
  EXPECT_EQ(why("settled:0.5"), "rule 'settled:0.5' is not above 0.5 and at most 1");
  EXPECT_EQ(why("settled:x"), "rule 'settled:x' is not above 0.5 and at most 1");
  EXPECT_EQ(why("worth"), "rule 'worth' has no value");
  EXPECT_EQ(why("worth:0"), "rule 'worth:0' has no amount above 0");
  EXPECT_EQ(why("acuracy:0.9"), "rule 'acuracy:0.9' is unknown, did you mean 'accuracy'?");
  EXPECT_EQ(why(""), "rule '' is unknown");
  EXPECT_EQ(why("accuracy:0.9,"), "rule '' is unknown");
  EXPECT_EQ(why("accuracy:0.9,accuracy:0.8"), "rule 'accuracy:0.8' repeats an earlier rule");
}

}  // namespace
}  // namespace allot::io::stop_text_test
