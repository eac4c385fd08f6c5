#include "allot/policy/stop_rules.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "allot/base/rng.hpp"

namespace allot::policy::stop_rules_test {
namespace {

TEST(StopRules, HaveRanges) {
  EXPECT_FALSE(StopRules{}.any());
  EXPECT_TRUE(StopRules{.settled = 0.9}.any());
  EXPECT_NO_THROW(check({.accuracy = 1, .settled = 1, .worth = Money::whole(20)}));
  for (const StopRules& rules :
       {StopRules{.accuracy = 0}, StopRules{.accuracy = 1.01}, StopRules{.settled = 0.5},
        StopRules{.settled = 1.01}, StopRules{.worth = Money()}}) {
    EXPECT_THROW(check(rules), std::invalid_argument);
  }
}

TEST(StopReason, HasItsOwnName) {
  EXPECT_EQ(name(StopReason::accuracy), "accuracy");
  EXPECT_EQ(name(StopReason::exhausted), "exhausted");
  for (const StopReason one : kStopReasons) {
    for (const StopReason other : kStopReasons) EXPECT_EQ(name(one) == name(other), one == other);
  }
}

TEST(Certainty, SaysWhenAnswersAreGoodEnough) {
  Certainty certainty({.accuracy = 0.9}, 2);
  certainty.set(ItemId{0}, 0.125);
  EXPECT_EQ(certainty.expected_accuracy(), 0.4375) << "nothing is known of the other item yet";
  certainty.set(ItemId{1}, 0.125);
  EXPECT_FALSE(certainty.reason());
  certainty.set(ItemId{1}, 0.0625);
  EXPECT_EQ(certainty.reason(), StopReason::accuracy);
  certainty.set(ItemId{0}, 0.25);
  EXPECT_FALSE(certainty.reason()) << "labels may disappoint";
}

TEST(Certainty, SettlesItemsForGood) {
  Certainty certainty({.settled = 0.95}, 2);
  EXPECT_FALSE(certainty.set(ItemId{0}, 0.0625));
  EXPECT_TRUE(certainty.set(ItemId{0}, 0.04));
  EXPECT_FALSE(certainty.set(ItemId{0}, 0.01)) << "it was settled before";
  EXPECT_FALSE(certainty.set(ItemId{0}, 0.4));
  EXPECT_TRUE(certainty.is_settled(ItemId{0}));
  EXPECT_EQ(certainty.settled_count(), 1U);
  EXPECT_FALSE(certainty.reason());
  EXPECT_TRUE(certainty.set(ItemId{1}, 0.0));
  EXPECT_EQ(certainty.reason(), StopReason::settled);
}

TEST(Certainty, SettlesAtTheVeryProbability) {
  Certainty certainty({.settled = 0.75}, 1);
  EXPECT_TRUE(certainty.set(ItemId{0}, 0.25));
}

TEST(Certainty, WithoutRulesNeverStops) {
  Certainty certainty({}, 1);
  EXPECT_FALSE(certainty.set(ItemId{0}, 0));
  EXPECT_FALSE(certainty.reason());
  EXPECT_EQ(certainty.expected_accuracy(), 1);
}

TEST(Certainty, DoesNotDrift) {
  constexpr std::uint32_t kItems = 1000;
  Certainty certainty({.accuracy = 1}, kItems);
  std::vector<double> errors(kItems, 1);
  Rng rng(1);
  for (int n = 0; n < 2'000'000; ++n) {
    const auto item = static_cast<std::uint32_t>(below(rng, kItems));
    errors[item] = std::pow(uniform(rng), 20);
    certainty.set(ItemId{item}, errors[item]);
  }
  long double sum = 0;
  for (const double error : errors) sum += error;
  EXPECT_NEAR(certainty.expected_accuracy(), static_cast<double>(1 - sum / kItems), 3e-16);
}

}  // namespace
}  // namespace allot::policy::stop_rules_test
