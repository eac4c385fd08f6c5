#include "allot/aggregate/majority.hpp"

#include <gtest/gtest.h>

#include "support/label_sets.hpp"

namespace allot::aggregate::majority_test {
namespace {

using test::label_set;
using Answers = std::vector<ClassId>;

TEST(Majority, IsTheClassWithMostLabels) {
  const auto result =
      majority(label_set({{0, 0, 2}, {0, 1, 2}, {0, 2, 1}, {1, 0, 0}, {1, 1, 0}, {1, 2, 0}}))
          .value();
  EXPECT_EQ(result.answers.answers, (Answers{ClassId{2}, ClassId{0}}));
  EXPECT_DOUBLE_EQ(result.answers.of(ItemId{0})[2], 2.0 / 3);
  EXPECT_EQ(result.workers.reliability, (std::vector<double>{1, 1, 0.5}));
  EXPECT_TRUE(result.workers.confusion.empty());
  EXPECT_FALSE(result.fit);
}

TEST(Majority, AnswersATieByTheFirstClass) {
  const auto result =
      majority(
          label_set({{0, 0, 0}, {0, 1, 1}, {1, 0, 1}, {1, 1, 2}, {2, 0, 0}, {2, 1, 2}, {3, 0, 1}}))
          .value();
  EXPECT_EQ(result.answers.answers, (Answers{ClassId{0}, ClassId{1}, ClassId{0}, ClassId{1}}));
}

TEST(Majority, GivesItemsWithoutLabelsTheSharesOfAll) {
  const auto result = majority(label_set({{0, 0, 0}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}, 3)).value();
  EXPECT_EQ(result.answers.answers[2], ClassId{1});
  EXPECT_EQ(result.answers.of(ItemId{2})[1], 0.75);
}

TEST(Majority, RefusesTablesThatWouldNotFit) {
  model::LabelSet huge{4'000'000'000, 1, 1'000'000, {}};
  EXPECT_EQ(majority(huge).error().code, ErrorCode::too_large);
  EXPECT_EQ(majority({}).error().code, ErrorCode::invalid_argument);
}

TEST(Majority, RejectsLabelsOutsideTheCounts) {
  model::LabelSet set = label_set({{0, 0, 1}});
  set.class_count = 1;
  EXPECT_THROW((void)majority(set), std::invalid_argument);
}

}  // namespace
}  // namespace allot::aggregate::majority_test
