#include "allot/figure/axis.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace allot::figure::axis_test {
namespace {

std::vector<std::string> texts(const Axis& axis) {
  std::vector<std::string> result;
  for (const Tick& tick : axis.ticks) result.push_back(tick.text);
  return result;
}

using Texts = std::vector<std::string>;

TEST(Axis, HasTicksAtRoundNumbers) {
  EXPECT_EQ(texts(nice_axis({0.8318, 0.9536}, 6, Ends::at_ticks)),
            (Texts{"0.80", "0.85", "0.90", "0.95", "1.00"}));
  EXPECT_EQ(texts(nice_axis({2, 20}, 10, Ends::at_data)),
            (Texts{"2", "4", "6", "8", "10", "12", "14", "16", "18", "20"}));
  EXPECT_EQ(texts(nice_axis({0, 2'000'000}, 5, Ends::at_ticks)),
            (Texts{"0", "500,000", "1,000,000", "1,500,000", "2,000,000"}));
  EXPECT_EQ(texts(nice_axis({-0.3, 0.3}, 7, Ends::at_ticks)),
            (Texts{"-0.3", "-0.2", "-0.1", "0.0", "0.1", "0.2", "0.3"}));
}

TEST(Axis, TicksAreTheNumbersTheyShow) {
  for (const Tick& tick : nice_axis({0, 1}, 11, Ends::at_ticks).ticks)
    EXPECT_EQ(tick.value, std::stod(tick.text));
}

TEST(Axis, EndsWhereTheDataEndOrAtTheNextTick) {
  const Axis at_data = nice_axis({1, 19}, 10, Ends::at_data);
  EXPECT_EQ(at_data.low, 1);
  EXPECT_EQ(at_data.high, 19);
  EXPECT_EQ(at_data.ticks.front().value, 2);
  const Axis at_ticks = nice_axis({1, 19}, 10, Ends::at_ticks);
  EXPECT_EQ(at_ticks.low, 0);
  EXPECT_EQ(at_ticks.high, 20);
}

TEST(Axis, GivesEqualDataSomeRoomWithinTheLimits) {
  const Axis free = nice_axis({5, 5}, 5, Ends::at_ticks);
  EXPECT_LT(free.low, 5);
  EXPECT_GT(free.high, 5);
  const Axis share = nice_axis({1, 1}, 5, Ends::at_ticks, {0, 1});
  EXPECT_LT(share.low, 1);
  EXPECT_EQ(share.high, 1);
  const Axis nothing = nice_axis({0, 0}, 5, Ends::at_data);
  EXPECT_LT(nothing.low, nothing.high);
}

TEST(Axis, RefusesNumbersThatCannotBeDrawn) {
  EXPECT_FALSE(drawable(NAN));
  EXPECT_FALSE(drawable(-INFINITY));
  EXPECT_THROW(nice_axis({0, INFINITY}, 5, Ends::at_data), std::invalid_argument);
  EXPECT_THROW(nice_axis({1, 0}, 5, Ends::at_data), std::invalid_argument);
  EXPECT_THROW(nice_axis({0, 1}, 2, Ends::at_data), std::invalid_argument);
}

TEST(Scale, MapsTheAxisAndKeepsValuesBeyondItAtItsEnds) {
  const Scale y(nice_axis({0, 10}, 5, Ends::at_data), 200, 100);
  EXPECT_EQ(y(0), 200);
  EXPECT_EQ(y(5), 150);
  EXPECT_EQ(y(10), 100);
  EXPECT_EQ(y(11), 100);
}

}  // namespace
}  // namespace allot::figure::axis_test
