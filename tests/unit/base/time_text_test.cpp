#include "allot/base/time_text.hpp"

#include <gtest/gtest.h>

namespace allot::time_text_test {
namespace {

using namespace std::chrono;

TEST(TimeText, ReadsBackWhatItWrites) {
  for (const std::int64_t n :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{1'700'000'000'000'000},
        std::int64_t{1'709'164'799'999'999}, std::int64_t{4'102'444'800'500'000}}) {
    const sys_time<microseconds> time{microseconds(n)};
    EXPECT_EQ(parse_time(time_text(time)), time) << time_text(time);
  }
  EXPECT_EQ(time_text(sys_days(2026y / 3 / 1) + 12h), "2026-03-01T12:00:00Z");
  EXPECT_EQ(time_text(sys_days(2026y / 3 / 1) + 1us), "2026-03-01T00:00:00.000001Z");
  EXPECT_EQ(day_text(0), "1970-01-01");
}

TEST(TimeText, RefusesTextsThatAreNotTimes) {
  EXPECT_EQ(parse_time("2026-03-01"), sys_days(2026y / 3 / 1));
  EXPECT_EQ(parse_time("2026-03-01T00:00:00.5Z"), sys_days(2026y / 3 / 1) + 500ms);
  for (const char* text : {"", "2026", "2026-13-01", "2026-02-30", "2026-03-01T25:00:00Z",
                           "2026-03-01T12:00:00", "2026-03-01T12:00:00.Z", "2026-03-01 12:00:00Z",
                           "2026-03-01T12:00:00.1234567Z", "-026-03-01", "2026-03-0x"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace
}  // namespace allot::time_text_test
