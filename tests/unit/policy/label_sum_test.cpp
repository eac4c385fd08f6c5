#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "policy/item_course.hpp"

namespace allot::policy::label_sum_test {
namespace {

TEST(LabelSum, OfCoinsIsBinomial) {
  const std::vector<LabelCount> coin{{0, 0.7}, {1, 0.3}};
  const LabelSum sum(coin, 13, 1);
  double below = 0, term = std::pow(0.7, 13);
  for (int k = 0; k <= 13; ++k) {
    below += term;
    term *= (13.0 - k) / (k + 1) * 0.3 / 0.7;
    EXPECT_NEAR(sum.fewer_than(k + 0.5).value, below, 1e-14) << k;
  }
  EXPECT_EQ(sum.fewer_than(-3).value, 0);
}

TEST(LabelSum, KeepsMeansInWideCells) {
  const std::vector<LabelCount> item{{1, 0.5}, {9, 0.25}, {40.5, 0.25}};
  const LabelSum narrow(item, 60, 1), wide(item, 60, 4);
  const double mean = 60 * (0.5 + 9 * 0.25 + 40.5 * 0.25);
  for (const double labels : {mean - 150, mean, mean + 150}) {
    EXPECT_NEAR(wide.fewer_than(labels).value, narrow.fewer_than(labels).value, 0.01) << labels;
  }
  EXPECT_GT(narrow.fewer_than(mean).slope, 0);
}

TEST(LabelSum, OfNoItemsIsNothing) {
  EXPECT_EQ(LabelSum(std::vector<LabelCount>{{3, 1.0}}, 0, 1).fewer_than(0.5).value, 1);
}

}  // namespace
}  // namespace allot::policy::label_sum_test
