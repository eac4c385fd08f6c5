#include "allot/aggregate/posterior.hpp"

#include <gtest/gtest.h>

#include "support/label_sets.hpp"

namespace allot::aggregate {
namespace {

using test::label_set;

TEST(Posterior, IsTheMajorityWithThePriorCounted) {  // [CLZ cor:majority_vote]
  const auto set = label_set({{0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}}, 3);
  const auto result = posterior(set).value();
  EXPECT_EQ(result.answers.answers, (std::vector<ClassId>{ClassId{1}, ClassId{0}, ClassId{1}}));
  EXPECT_DOUBLE_EQ(result.answers.of(ItemId{0})[1], 0.875);
  EXPECT_DOUBLE_EQ(result.answers.of(ItemId{1})[0], 0.9375);
  EXPECT_EQ(result.answers.of(ItemId{2})[1], 0.5);
  EXPECT_EQ(posterior(set, model::Prior::beta(5, 1)).value().answers.answers[1], ClassId{1});
}

TEST(Posterior, RefusesMoreThanTwoClasses) {
  EXPECT_FALSE(posterior(label_set({{0, 0, 2}})));
  EXPECT_FALSE(posterior(label_set({{0, 0, 0}})));
}

}  // namespace
}  // namespace allot::aggregate
