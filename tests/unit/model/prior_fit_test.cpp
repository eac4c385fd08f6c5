#include "allot/model/prior_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/beliefs.hpp"

namespace allot::model::prior_fit_test {
namespace {

using Groups = std::vector<CountGroup>;

void expect_bounded(const math::BetaShape& shape) {
  const double strength = shape.a + shape.b;
  EXPECT_GE(strength, 0.05 * (1 - 1e-12));
  EXPECT_LE(strength, 500 * (1 + 1e-12));
  EXPECT_GE(std::min(shape.a, shape.b) / strength, 0.99e-6);
}

void expect_near(const math::BetaShape& one, const math::BetaShape& other, double tolerance) {
  EXPECT_NEAR(one.a / other.a, 1, tolerance);
  EXPECT_NEAR(one.b / other.b, 1, tolerance);
}

TEST(CountGroups, AreTheLabelledItemsByTheirCounts) {
  Beliefs beliefs(6, Prior::uniform());
  EXPECT_TRUE(count_groups(beliefs).empty());
  test::record(beliefs, 0, {1, 2});
  test::record(beliefs, 2, {1, 2});
  test::record(beliefs, 3, {2, 1});
  test::record(beliefs, 4, {100, 200});
  test::record(beliefs, 5, {0, 3});
  EXPECT_EQ(count_groups(beliefs),
            (Groups{{{0, 3}, 1}, {{1, 2}, 2}, {{2, 1}, 1}, {{100, 200}, 1}}));
}

TEST(FitBeta, OfNoLabelsIsTheUniformPrior) {
  expect_near(fit_beta({}), {1, 1}, 1e-12);
  expect_near(fit_beta(Groups{{{0, 0}, 1000}}), {1, 1}, 1e-12);
}

TEST(FitBeta, OfOneLabelAnItemLearnsTheMeanOnly) {
  const auto [a, b] = fit_beta(Groups{{{1, 0}, 90}, {{0, 1}, 10}});
  EXPECT_NEAR(a + b, 2, 1e-9);
  // The hyper-prior adds items to both sides.
  const double more = HyperPrior{}.mean_items;
  EXPECT_NEAR(a / (a + b), (90 + more) / (100 + 2 * more), 1e-9);
}

TEST(FitBeta, StaysWithinItsBounds) {
  for (const std::uint64_t items : {std::uint64_t{1}, std::uint64_t{50}, std::uint64_t{1} << 32U}) {
    for (const std::uint32_t labels : {1U, 2U, 30U, 1'000'000U, 4'000'000'000U}) {
      SCOPED_TRACE(testing::Message() << items << " items, " << labels << " labels");
      expect_bounded(fit_beta(Groups{{{labels, 0}, items}}));                        // all positive
      expect_bounded(fit_beta(Groups{{{0, labels}, items}}));                        // negative
      expect_bounded(fit_beta(Groups{{{labels / 2, labels - labels / 2}, items}}));  // identical
      expect_bounded(fit_beta(Groups{{{labels, 0}, items}, {{0, labels}, items}}));  // opposite
      expect_bounded(fit_beta(Groups{{{labels, 0}, items}, {{1, 0}, 1}, {{0, 1}, 1}}));  // mixed
    }
  }
}

TEST(FitBeta, OfIdenticalItemsIsStrongAndOfOppositeItemsWeak) {
  const auto same = fit_beta(Groups{{{70, 30}, 1000}});
  EXPECT_GT(same.a + same.b, 100);
  EXPECT_NEAR(same.mean(), 0.7, 0.01);
  const auto opposite = fit_beta(Groups{{{100, 0}, 500}, {{0, 100}, 500}});
  EXPECT_LT(opposite.a + opposite.b, 0.2);
  EXPECT_NEAR(opposite.mean(), 0.5, 1e-9);
}

TEST(FitBeta, OfAllPositiveLabelsStaysBelowOneAndNearsIt) {
  double last = 0.5;
  for (const std::uint64_t items : {1U, 10U, 100U, 1000U}) {
    const double mean = fit_beta(Groups{{{5, 0}, items}}).mean();
    EXPECT_GT(mean, last);
    EXPECT_LT(mean, 1);
    last = mean;
  }
  EXPECT_GT(last, 0.98);
}

TEST(FitBeta, MirrorsItsLabels) {
  const Groups groups{{{3, 1}, 20}, {{7, 0}, 5}, {{2, 5}, 9}, {{0, 1}, 3}};
  Groups mirrored = groups;
  for (CountGroup& group : mirrored) std::swap(group.counts.positive, group.counts.negative);
  const auto [a, b] = fit_beta(groups);
  expect_near(fit_beta(mirrored), {b, a}, 1e-9);
}

TEST(FitBeta, TakesGroupsInAnyOrderAndInParts) {
  const Groups groups{{{3, 1}, 20}, {{7, 0}, 5}, {{2, 5}, 9}, {{0, 1}, 3}};
  Groups parts{{{3, 1}, 11}, {{2, 5}, 8}};
  parts.insert(parts.end(), {{{0, 1}, 3}, {{7, 0}, 5}, {{2, 5}, 1}, {{3, 1}, 9}, {{0, 0}, 7}});
  expect_near(fit_beta(parts), fit_beta(groups), 1e-9);
}

TEST(FitMixture, OfNoLabelsWeighsAllAlike) {
  for (const BetaComponent& component : fit_mixture({}))
    EXPECT_NEAR(component.weight, 1 / 3.0, 1e-15);
}

TEST(FitMixture, KeepsAllWeightsPositiveAndMirrorsItsLabels) {
  for (const std::uint32_t labels : {1U, 30U, 4'000'000'000U}) {
    const auto up = fit_mixture(Groups{{{labels, 0}, 1000}});
    const auto down = fit_mixture(Groups{{{0, labels}, 1000}});
    double sum = 0;
    for (std::size_t m = 0; m < 3; ++m) {
      EXPECT_GT(up[m].weight, 1e-4);
      EXPECT_NEAR(up[m].weight, down[2 - m].weight, 1e-9);
      sum += up[m].weight;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_GT(up[0].weight, 0.9) << labels;
  }
}

TEST(LearnedPrior, IsExactlyUniformBeforeTheFirstLabel) {
  EXPECT_EQ(learned_prior(Beliefs(5, Prior::uniform()), {}), Prior::uniform());
}

TEST(LearnedPrior, IsTheFitButForRounding) {
  Beliefs beliefs(30, Prior::uniform());
  for (std::uint32_t i = 0; i < 30; ++i) test::record(beliefs, i, {i % 7, i % 3});
  const auto [a, b] = fit_beta(count_groups(beliefs));
  const Prior beta = learned_prior(beliefs, {});
  const BetaComponent& learned = beta.components().front();
  EXPECT_LE(std::abs(std::log(learned.a / learned.b) - std::log(a / b)), 1 / 16.0);
  EXPECT_LE(std::abs(std::log((learned.a + learned.b) / (a + b))), 1 / 16.0);
  const auto fitted = fit_mixture(count_groups(beliefs));
  const Prior mixture = learned_prior(beliefs, {.family = PriorLearning::Family::mixture});
  for (std::size_t m = 0; m < 3; ++m)
    EXPECT_NEAR(mixture.components()[m].weight, fitted[m].weight, 1 / 24.0);
}

TEST(LearnedPrior, DoesNotDependOnThePriorBefore) {
  Beliefs uniform(4, Prior::uniform()), skewed(4, Prior::beta(9, 1));
  for (Beliefs* beliefs : {&uniform, &skewed}) {
    for (std::uint32_t i = 0; i < 4; ++i) test::record(*beliefs, i, {i, 2});
  }
  EXPECT_EQ(learned_prior(uniform, {}), learned_prior(skewed, {}));
  skewed.set_prior(Prior::uniform());
  for (std::uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(prob_positive(skewed[ItemId{i}]), prob_positive(uniform[ItemId{i}]));
  EXPECT_EQ(skewed.stage(), 14U);
}

TEST(PriorFit, RefusesHyperPriorsThatDoNotHold) {
  EXPECT_THROW(fit_beta({}, {.mean_items = 0}), std::invalid_argument);
  EXPECT_THROW(fit_beta({}, {.log_strength_spread = -1}), std::invalid_argument);
  EXPECT_THROW(fit_mixture({}, {.component_items = 0}), std::invalid_argument);
  EXPECT_THROW(log_marginal({}, Prior::haldane()), std::invalid_argument);
}

}  // namespace
}  // namespace allot::model::prior_fit_test
