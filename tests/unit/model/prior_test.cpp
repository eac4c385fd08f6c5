#include "allot/model/prior.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/beliefs.hpp"

namespace allot::model::prior_test {
namespace {

TEST(Prior, KnowsTheCommonOnesByName) {
  EXPECT_EQ(Prior::uniform(), Prior::beta(1, 1));
  EXPECT_EQ(Prior::jeffreys(), Prior::beta(0.5, 0.5));
  EXPECT_EQ(Prior::haldane(), Prior::beta(0, 0));
  EXPECT_FALSE(Prior::haldane().is_proper());
  EXPECT_TRUE(Prior::jeffreys().is_proper());
}

TEST(Prior, ScalesTheWeightsOfAMixture) {
  const Prior prior = Prior::mixture({{3, 5, 1}, {1, 1, 5}});
  EXPECT_DOUBLE_EQ(prior.components()[0].weight, 0.75);
  EXPECT_DOUBLE_EQ(prior.components()[1].weight, 0.25);
}

TEST(Prior, AMixtureOfOneIsTheBetaItself) {
  const Prior prior = Prior::mixture({{7, 4, 1}});
  EXPECT_FALSE(prior.is_mixture());
  EXPECT_EQ(prior, Prior::beta(4, 1));
}

TEST(Prior, KnowsWhetherSwappingLabelsChangesIt) {
  EXPECT_TRUE(Prior::jeffreys().is_symmetric());
  EXPECT_FALSE(Prior::beta(4, 1).is_symmetric());
  EXPECT_TRUE(test::symmetric_mixture().is_symmetric());
  EXPECT_FALSE(test::skewed_mixture().is_symmetric());
  EXPECT_FALSE(Prior::mixture({{0.6, 5, 1}, {0.4, 1, 5}}).is_symmetric());
  EXPECT_FALSE(Prior::mixture({{1, 5, 1}, {1, 5, 1}, {1, 1, 5}}).is_symmetric());
}

TEST(Prior, RefusesWhatIsNoDistribution) {
  EXPECT_THROW(Prior::beta(-1, 1), std::invalid_argument);
  EXPECT_THROW(Prior::beta(0, 1), std::invalid_argument);
  EXPECT_THROW(Prior::beta(1, 1e13), std::invalid_argument);
  EXPECT_THROW(Prior::mixture({}), std::invalid_argument);
  EXPECT_THROW(Prior::mixture({{0, 1, 1}, {1, 1, 1}}), std::invalid_argument);
  EXPECT_THROW(Prior::mixture({{1, 0, 0}, {1, 1, 1}}), std::invalid_argument);
}

TEST(Prior, TakesFortyBytes) { EXPECT_LE(sizeof(Prior), 40U); }

}  // namespace
}  // namespace allot::model::prior_test
