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

/// Answers to ten items, the first `flipped` of them 1 and the others 0, all with one probability.
ClassAnswers ten_answers(std::uint32_t flipped, double probability) {
  ClassAnswers answers{2, {}, {}};
  for (std::uint32_t i = 0; i < 10; ++i) {
    const bool one = i < flipped;
    answers.answers.push_back(ClassId{one ? 1U : 0U});
    answers.probabilities.push_back(one ? 1 - probability : probability);
    answers.probabilities.push_back(one ? probability : 1 - probability);
  }
  return answers;
}

TEST(ClassAnswers, ContradictThemselvesIfTheyAreSureOfWorkersWhoGuess) {
  model::LabelSet labels{10, 1, 2, {}};
  for (std::uint32_t i = 0; i < 10; ++i)
    labels.labels.push_back({ItemId{i}, WorkerId{0}, ClassId{0}});
  const auto contradicts = [&](double stated, double reliability) {
    return contradicts_itself(labels, {ten_answers(0, stated), {{reliability}, {}}, {}});
  };
  labels.class_count = 1;
  EXPECT_FALSE(contradicts(0.95, 0.54)) << "with one class every label is right";
  labels.class_count = 2;
  EXPECT_TRUE(contradicts(0.95, 0.54));
  EXPECT_TRUE(contradicts(0.95, 0.4)) << "a fit that has turned round";
  EXPECT_FALSE(contradicts(0.95, 0.59)) << "a third of the workers can be good";
  EXPECT_FALSE(contradicts(0.85, 0.54)) << "it is not sure";
}

TEST(ClassAnswers, ContradictACarefulMethodIfTheyAreSureAndDiffer) {
  model::LabelSet labels{10, 1, 2, {}};
  for (std::uint32_t i = 0; i < 10; ++i)
    labels.labels.push_back({ItemId{i}, WorkerId{0}, ClassId{0}});
  const ClassAnswers careful = ten_answers(0, 0.8);
  EXPECT_NEAR(answered_otherwise(labels, ten_answers(3, 0.95), careful), 0.3, 1e-15);
  EXPECT_TRUE(contradicts(labels, ten_answers(3, 0.95), careful));
  EXPECT_TRUE(contradicts(labels, ten_answers(2, 0.95), careful));
  EXPECT_FALSE(contradicts(labels, ten_answers(1, 0.95), careful)) << "they hardly differ";
  EXPECT_FALSE(contradicts(labels, ten_answers(3, 0.85), careful)) << "they are not sure";
  labels.labels.resize(1);
  EXPECT_EQ(answered_otherwise(labels, ten_answers(1, 0.95), careful), 1) << "labelled items only";
  labels.labels.clear();
  EXPECT_EQ(answered_otherwise(labels, ten_answers(1, 0.95), careful), 0);
}

}  // namespace
}  // namespace allot::aggregate::class_answers_test
