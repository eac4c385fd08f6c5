#include "allot/model/soft_labels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace allot::model {
namespace {

TEST(SoftLabels, GivenOnesAreTakenAsTheyAre) {
  const std::vector<double> given{0.1, 0.9};
  EXPECT_EQ(soft_labels(given, 2, 1, 0), given);
  EXPECT_THROW(soft_labels(given, 3, 1, 0), std::invalid_argument);
}

TEST(SoftLabels, OfAnItemDoNotDependOnTheNumberOfItems) {
  const auto few = soft_labels(Prior::uniform(), 5, 7, 2),
             many = soft_labels(Prior::uniform(), 50, 7, 2);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_NE(few, soft_labels(Prior::uniform(), 5, 7, 3));
  EXPECT_NE(few, soft_labels(Prior::uniform(), 5, 8, 2));
}

TEST(SoftLabels,
     OfAMixtureComeFromItsComponents) {  // share of positives within four standard errors
  const Prior prior = Prior::mixture({{0.8, 50, 1}, {0.2, 1, 50}});
  double positive = 0;
  for (const double theta : soft_labels(prior, 20000, 1, 0)) positive += theta >= 0.5;
  EXPECT_NEAR(positive / 20000, 0.8, 4 * std::sqrt(0.16 / 20000));
}

TEST(SoftLabels, CannotBeDrawnFromHaldanesPrior) {
  EXPECT_THROW(soft_labels(Prior::haldane(), 1, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace allot::model
