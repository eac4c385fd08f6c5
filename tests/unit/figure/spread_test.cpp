#include <gtest/gtest.h>

#include "figure/text.hpp"

namespace allot::figure::spread_test {
namespace {

using Places = std::vector<double>;

TEST(Spread, KeepsPlacesThatAreFarApart) {
  EXPECT_EQ(spread({50, 10, 90}, 16, 0, 100), (Places{50, 10, 90}));
}

TEST(Spread, MovesClosePlacesApartAroundTheirMiddle) {
  EXPECT_EQ(spread({50, 50}, 16, 0, 100), (Places{42, 58}));
  EXPECT_EQ(spread({52, 48, 50}, 10, 0, 100), (Places{60, 40, 50}));
}

TEST(Spread, StaysWithinItsLimits) {
  EXPECT_EQ(spread({1, 2, 3}, 10, 0, 100), (Places{0, 10, 20}));
  EXPECT_EQ(spread({99, 99, 10}, 10, 0, 100), (Places{90, 100, 10}));
  EXPECT_EQ(spread({}, 10, 0, 100), Places{});
}

}  // namespace
}  // namespace allot::figure::spread_test
