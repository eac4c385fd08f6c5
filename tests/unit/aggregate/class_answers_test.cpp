#include "allot/aggregate/class_answers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/label_sets.hpp"

namespace allot::aggregate::class_answers_test {
namespace {

const ClassAnswers kAnswers{2, {ClassId{0}, ClassId{1}, ClassId{1}}, {0.9, 0.1, 0.4, 0.6, 0, 1}};

TEST(ClassAnswers, HaveAnExpectedAccuracy) {
  EXPECT_NEAR(expected_accuracy(kAnswers).value(), 2.5 / 3, 1e-15);
  EXPECT_FALSE(expected_accuracy({2, {ClassId{0}}, {}}));
}

TEST(ClassAnswers, AreComparedWithTheKnownTruth) {
  using Truth = std::vector<std::optional<ClassId>>;
  EXPECT_EQ(accuracy(kAnswers.answers, Truth{ClassId{0}, std::nullopt, ClassId{0}}), 0.5);
  EXPECT_EQ(accuracy(kAnswers.answers, Truth{ClassId{0}, ClassId{2}, {}}), 0.5) << "no such class";
  EXPECT_FALSE(accuracy(kAnswers.answers, Truth(3)));
}

TEST(ClassAnswers, GiveTheAgreementOfWorkers) {
  const auto shares =
      agreement(test::label_set({{0, 0, 0}, {1, 0, 0}, {2, 1, 1}}, 3, 3, 2), kAnswers);
  EXPECT_EQ(shares[0], 0.5);
  EXPECT_EQ(shares[1], 1);
  EXPECT_TRUE(std::isnan(shares[2]));
}

}  // namespace
}  // namespace allot::aggregate::class_answers_test
