#include "allot/model/belief.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/beliefs.hpp"

namespace allot::model::belief_test {
namespace {

TEST(Belief, ForeseesLabelsByTheShareOfCounts) {  // [CLZ eq:tran_prob]
  EXPECT_DOUBLE_EQ(chance_positive(test::beta_belief(3, 1)), 0.75);
  const Prior haldane = Prior::haldane();
  EXPECT_EQ(chance_positive({&haldane, {0, 0}}), 0.5);
  EXPECT_EQ(chance_positive({&haldane, {2, 0}}), 1);
}

TEST(Belief, AnswersByMajorityWithThePriorCounted) {  // [CLZ cor:majority_vote]
  EXPECT_EQ(favoured_label(test::beta_belief(2, 2)), Label::positive);
  EXPECT_EQ(favoured_label(test::beta_belief(2, 3)), Label::negative);
  const Prior skewed = Prior::beta(4, 1);
  EXPECT_EQ(favoured_label({&skewed, {0, 3}}), Label::positive);
  EXPECT_EQ(favoured_label({&skewed, {0, 4}}), Label::negative);
}

TEST(Belief, AMixtureOfEqualsIsTheSingleBeta) {
  const Prior mixture = Prior::mixture({{0.2, 2, 3}, {0.8, 2, 3}}), single = Prior::beta(2, 3);
  for (const Counts counts : {Counts{0, 0}, {5, 2}, {1, 30}}) {
    EXPECT_NEAR(prob_positive({&mixture, counts}), prob_positive({&single, counts}), 1e-15);
    EXPECT_NEAR(error_probability({&mixture, counts}) / error_probability({&single, counts}), 1,
                1e-14);
    EXPECT_NEAR(chance_positive({&mixture, counts}), chance_positive({&single, counts}), 1e-15);
  }
}

TEST(Belief, ThePosteriorMovesAndReweighsTheComponents) {
  // After one positive label a component's weight is multiplied by its chance of that label.
  const Prior prior = Prior::mixture({{0.5, 3, 1}, {0.5, 1, 3}});
  const auto components = posterior({&prior, {1, 0}});
  EXPECT_NEAR(components[0].weight, 0.75, 1e-15);
  EXPECT_NEAR(components[1].weight, 0.25, 1e-15);
  EXPECT_EQ(components[0].a, 4);
  EXPECT_EQ(components[1].b, 3);
  EXPECT_EQ(posterior(test::beta_belief(4, 2)), (std::vector<BetaComponent>{{1, 4, 2}}));
}

TEST(Belief, AMirroredMixtureAnswersPositiveWhenCountsAreEqual) {
  const Prior prior = test::symmetric_mixture();
  for (std::uint32_t n = 0; n < 60; ++n) {
    EXPECT_EQ(favoured_label({&prior, {n, n}}), Label::positive) << n;
    EXPECT_EQ(favoured_label({&prior, {n, n + 1}}), Label::negative) << n;
  }
}

TEST(Belief, AMixtureSurvivesManyLabels) {
  const Prior prior = test::skewed_mixture();
  EXPECT_LT(error_probability({&prior, {5000, 10}}), 1e-300);
  EXPECT_GT(chance_positive({&prior, {5000, 10}}), 0.99);
  EXPECT_EQ(favoured_label({&prior, {10, 5000}}), Label::negative);
}

TEST(Beliefs, CountLabelsAndStages) {
  Beliefs beliefs(3, Prior::uniform());
  beliefs.record(ItemId{1}, Label::positive);
  beliefs.record(ItemId{1}, Label::negative);
  beliefs.record(ItemId{2}, Label::negative);
  EXPECT_EQ(beliefs.stage(), 3U);
  EXPECT_EQ(beliefs.counts(ItemId{0}), (Counts{0, 0}));
  EXPECT_EQ(beliefs.counts(ItemId{1}), (Counts{1, 1}));
  EXPECT_EQ(beliefs.counts(ItemId{2}), (Counts{0, 1}));
}

TEST(Beliefs, PriorsMayDifferFromItemToItem) {
  const Beliefs beliefs({Prior::uniform(), Prior::beta(4, 1)}, {1, 0, 1});
  EXPECT_EQ(*beliefs[ItemId{0}].prior, Prior::beta(4, 1));
  EXPECT_EQ(*beliefs[ItemId{1}].prior, Prior::uniform());
  EXPECT_EQ(beliefs.prior_of(ItemId{2}), 1U);
}

TEST(Beliefs, RefuseNoItemsAndUnknownPriors) {
  EXPECT_THROW(Beliefs(0, Prior::uniform()), std::invalid_argument);
  EXPECT_THROW(Beliefs({Prior::uniform()}, {0, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace allot::model::belief_test
