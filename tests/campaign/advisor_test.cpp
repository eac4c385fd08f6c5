#include "campaign/advisor.hpp"

#include <gtest/gtest.h>

namespace allot::campaign::advisor_test {
namespace {

using policy::Pair;

/// An advisor with 10 items and 5 workers that refits every 20 labels.
class AdvisorTest : public testing::Test {
 protected:
  void SetUp() override {
    advisor_.add_items(10, nullptr);
    for (int j = 0; j < 5; ++j) advisor_.add_worker(kUnitPrice);
  }

  void label(std::uint32_t n) {
    const Pair pair{ItemId{n % 10}, WorkerId{n / 10}};
    advisor_.hold(pair);
    advisor_.record(pair, ClassId{n % 2});
  }

  Advisor advisor_{Options{}, {}};
};

TEST_F(AdvisorTest, CountsTheRefitsOfACallerThatReadsBeliefsAfterEveryLabel) {
  for (std::uint32_t n = 0; n < 50; ++n) {
    label(n);
    advisor_.desk();
  }
  EXPECT_EQ(advisor_.refits(), 2U);
}

TEST_F(AdvisorTest, CountsTheOneRefitThatIsMadeForLabelsThatWaited) {
  for (std::uint32_t n = 0; n < 50; ++n) label(n);
  EXPECT_EQ(advisor_.refits(), 0U) << "nobody has asked yet";
  advisor_.desk();
  EXPECT_EQ(advisor_.refits(), 1U);
}

TEST_F(AdvisorTest, BelievesTheSameWhetherItIsAskedAfterEveryLabelOrAtTheEnd) {
  Advisor late{Options{}, {}};
  late.add_items(10, nullptr);
  for (int j = 0; j < 5; ++j) late.add_worker(kUnitPrice);
  for (std::uint32_t n = 0; n < 50; ++n) {
    label(n);
    advisor_.desk();
    const Pair pair{ItemId{n % 10}, WorkerId{n / 10}};
    late.hold(pair);
    late.record(pair, ClassId{n % 2});
  }
  for (std::uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(advisor_.desk().crowd().probabilities(ItemId{i}),
              late.desk().crowd().probabilities(ItemId{i}));
  }
}

TEST(ReliabilityInterval, HoldsTheMeanAndIsAPointWithoutSpread) {
  const auto [mean, low, high] = interval({0.8, 0.01});
  EXPECT_EQ(mean, 0.8);
  EXPECT_LT(low, mean);
  EXPECT_GT(high, mean);
  const ReliabilityInterval sure = interval({0.8, 0});
  EXPECT_EQ(sure.low, 0.8);
  EXPECT_EQ(sure.high, 0.8);
}

}  // namespace
}  // namespace allot::campaign::advisor_test
