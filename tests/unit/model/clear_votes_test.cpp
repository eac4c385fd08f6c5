#include "model/clear_votes.hpp"

#include <gtest/gtest.h>

#include "support/made_crowd.hpp"

namespace allot::model::clear_votes_test {
namespace {

using test::pooled_options;
using Row = std::vector<double>;

/// Three workers label four items of three classes: 0 0 1, 0 1 2, a single 2, and none.
const MulticlassLabelsByWorker kLabels{
    {{0, 0}, {1, 0}, {2, 2}}, {{0, 0}, {1, 1}}, {{0, 1}, {1, 2}}};

ClearVotes votes() { return ClearVotes(kLabels, pooled_options(4, 3)); }

/// The answer of the mean of two beliefs.
Row mixed(std::size_t item, Row even, const Row& other, double weight, bool differ) {
  EXPECT_EQ(votes().mix(item, even, other, weight), differ);
  return even;
}

void expect_near(const Row& found, const Row& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-12);
}

TEST(ClearVotes, HaveOneClassWithTheMostLabels) {
  const ClearVotes made = votes();
  EXPECT_EQ(made.winner(0), ClassId{0});
  EXPECT_EQ(made.winner(1), std::nullopt);
  EXPECT_EQ(made.winner(2), ClassId{2});
  EXPECT_EQ(made.winner(3), std::nullopt);
  EXPECT_EQ(made.label_count(0), 3U);
  EXPECT_EQ(made.label_count(3), 0U);
}

TEST(ClearVotes, DecideWhereTwoBeliefsAnswerDifferently) {
  const Row even{.2, .7, .1}, other{.6, .3, .1};
  expect_near(mixed(0, even, other, 0.1, true), {.5, .4, .1});  // the vote, and what it costs
  expect_near(mixed(0, other, even, 0.1, true), {.5, .4, .1});
  expect_near(mixed(1, even, other, 0.1, true), {.24, .66, .1});  // no clear vote
  expect_near(mixed(2, even, other, 0.1, true), {.24, .66, .1});  // neither agrees with it
}

TEST(ClearVotes, LeaveBeliefsThatAnswerAlike) {
  expect_near(mixed(0, {.2, .7, .1}, {.4, .5, .1}, 0.5, false), {.3, .6, .1});
}

TEST(ClearVotes, DecideWhereTheAnswerIsInDoubt) {
  std::vector<double> p{.44, .56, 0, /**/ .1, .5, .4, /**/ .5, .4, .1, /**/ .4, .3, .3};
  votes().settle_doubts(p);
  expect_near(p, {.56, .44, 0, /**/ .1, .5, .4, /**/ .1, .4, .5, /**/ .4, .3, .3});
  std::vector<double> sure{.4, .6, 0, /**/ 0, .1, .9, /**/ .7, .3, 0, /**/ .4, .3, .3};
  const std::vector<double> before = sure;
  votes().settle_doubts(sure);
  EXPECT_EQ(sure, before);
}

TEST(ClearVotes, AreThoseOfLabelsThatCountAlike) {
  MulticlassFitOptions options = pooled_options(4, 3);
  options.groups = {0, 1, 1};
  EXPECT_EQ(ClearVotes(kLabels, options).winner(0), std::nullopt);
  MulticlassLabelsByWorker confident = kLabels;
  confident[0][0].confidence = 0.9F;
  EXPECT_EQ(ClearVotes(confident, pooled_options(4, 3)).winner(0), std::nullopt);
}

TEST(ClearVotes, AreThoseOfWorkersWhoAreBelievedToKnowMoreThanChance) {
  MulticlassFitOptions options = pooled_options(4, 3);
  options.tables.prior = {1, 2};
  EXPECT_EQ(ClearVotes(kLabels, options).winner(0), std::nullopt);
  options.tables.prior = {1, 1.9};
  EXPECT_EQ(ClearVotes(kLabels, options).winner(0), ClassId{0});
  const std::vector<Prior> priors{Prior::beta(1, 2), Prior::beta(1, 2), Prior::beta(3, 1)};
  options.worker_priors.emplace(priors, priors[0], [](const Prior& prior) {
    const BetaComponent& beta = prior.components()[0];
    return math::BetaShape{beta.a, beta.b};
  });
  const ClearVotes votes(kLabels, options);
  EXPECT_EQ(votes.winner(0), ClassId{1});
  EXPECT_EQ(votes.winner(2), std::nullopt);
  EXPECT_EQ(votes.label_count(2), 1U);
}

}  // namespace
}  // namespace allot::model::clear_votes_test
