#include "serve/watchers.hpp"

#include <gtest/gtest.h>

namespace allot::serve::watchers_test {
namespace {

using namespace std::chrono_literals;

class WatchersTest : public testing::Test {
 protected:
  const Watchers::Instant start_;
  Watchers watchers_;
  std::string woken_;

  void wait(char name, const std::string& campaign, std::uint64_t after,
            std::chrono::seconds timeout = 9s) {
    watchers_.wait(campaign, after, start_ + timeout, [this, name] { woken_ += name; });
  }
};

TEST_F(WatchersTest, AnEventWakesThoseOfItsCampaignWhoWaitForIt) {
  wait('a', "one", 1);
  wait('b', "one", 2);
  wait('c', "two", 1);
  watchers_.reached("one", 2);
  EXPECT_EQ(woken_, "") << "noted, and nobody woken yet";
  watchers_.wake_ready("one");
  EXPECT_EQ(woken_, "a");
  watchers_.wake_ready("one");
  EXPECT_EQ(woken_, "a") << "once";
  EXPECT_EQ(watchers_.count(), 2U);
}

TEST_F(WatchersTest, AWatcherBehindTheLastEventDoesNotWait) {
  watchers_.reached("one", 5);
  wait('a', "one", 4);
  EXPECT_EQ(woken_, "a");
  wait('b', "one", 5);
  EXPECT_EQ(woken_, "a");
}

TEST_F(WatchersTest, TheOverdueAreWoken) {
  wait('a', "one", 0, 1s);
  wait('b', "two", 0, 2s);
  watchers_.wake_overdue(start_ + 1s);
  EXPECT_EQ(woken_, "a");
}

TEST_F(WatchersTest, ACampaignThatMovesWakesAllOfItsOwn) {
  wait('a', "one", 7);
  wait('b', "two", 7);
  watchers_.wake_all("one");
  EXPECT_EQ(woken_, "a");
}

TEST_F(WatchersTest, NobodyWaitsAfterTheEnd) {
  wait('a', "one", 0);
  watchers_.stop();
  wait('b', "two", 0);
  EXPECT_EQ(woken_, "ab");
  EXPECT_EQ(watchers_.count(), 0U);
}

}  // namespace
}  // namespace allot::serve::watchers_test
