#include "allot/model/class_belief.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace allot::model {
namespace {

TEST(ClassPrior, KnowsWhetherItIsSymmetric) {
  EXPECT_TRUE(ClassPrior::symmetric(4, 0.5).is_symmetric());
  EXPECT_FALSE(ClassPrior::dirichlet({1, 2, 1}).is_symmetric());
  EXPECT_EQ(ClassPrior::symmetric(3), ClassPrior::dirichlet({1, 1, 1}));
  EXPECT_EQ(ClassPrior::dirichlet({1, 2, 1}).class_count(), 3U);
}

TEST(ClassPrior, RefusesWhatIsNoDistribution) {
  EXPECT_THROW(ClassPrior::symmetric(1), std::invalid_argument);
  EXPECT_THROW(ClassPrior::dirichlet({1, 0, 1}), std::invalid_argument);
  EXPECT_THROW(ClassPrior::dirichlet({1, -1}), std::invalid_argument);
  EXPECT_THROW(ClassPrior::dirichlet({1, 1e12}), std::invalid_argument);
}

TEST(ClassBelief, ForeseesLabelsByTheShareOfCounts) {
  EXPECT_EQ(chances({{3, 1, 4}}), (std::vector<double>{0.375, 0.125, 0.5}));
}

TEST(ClassBelief, AnswersByPluralityWithThePriorCounted) {
  EXPECT_EQ(answer({{1, 3, 2}}), ClassId{1});
  EXPECT_EQ(answer({{1, 3, 3}}), ClassId{1});
  EXPECT_EQ(answer({{2, 2, 2}}), ClassId{0});
}

TEST(ClassBelief, HasTheProbabilitiesOfItsClasses) {
  const ClassBelief belief{{1, 2, 1}};
  const auto probabilities = class_probabilities(belief);
  EXPECT_NEAR(probabilities[1], 11.0 / 18, 1e-15);
  EXPECT_NEAR(probabilities[0], 7.0 / 36, 1e-15);
  EXPECT_NEAR(error_probability(belief), 7.0 / 18, 1e-15);
  EXPECT_EQ(belief.after(ClassId{2}).alpha, (std::vector<double>{1, 2, 2}));
}

TEST(ClassBeliefs, CountLabelsItemByItem) {
  ClassBeliefs beliefs({ClassPrior::symmetric(3, 0.5), ClassPrior::dirichlet({1, 2, 4})},
                       {0, 1, 1});
  beliefs.record(ItemId{1}, ClassId{2});
  beliefs.record(ItemId{1}, ClassId{2});
  beliefs.record(ItemId{0}, ClassId{1});
  EXPECT_EQ(beliefs.item_count(), 3U);
  EXPECT_EQ(beliefs.class_count(), 3U);
  EXPECT_EQ(beliefs.stage(), 3U);
  EXPECT_EQ(beliefs.counts(ItemId{1})[2], 2U);
  EXPECT_EQ(beliefs[ItemId{0}].alpha, (std::vector<double>{0.5, 1.5, 0.5}));
  EXPECT_EQ(beliefs[ItemId{1}].alpha, (std::vector<double>{1, 2, 6}));
  EXPECT_EQ(beliefs[ItemId{2}].alpha, (std::vector<double>{1, 2, 4}));
}

TEST(ClassBeliefs, RefuseWhatDoesNotFitTogether) {
  EXPECT_THROW(ClassBeliefs(0, ClassPrior::symmetric(3)), std::invalid_argument);
  EXPECT_THROW(ClassBeliefs({ClassPrior::symmetric(3)}, {0, 1}), std::invalid_argument);
  EXPECT_THROW(ClassBeliefs({}, {0}), std::invalid_argument);
  EXPECT_THROW(ClassBeliefs({ClassPrior::symmetric(3), ClassPrior::symmetric(4)}, {0, 1}),
               std::invalid_argument);
  ClassBeliefs beliefs(2, ClassPrior::symmetric(3));
  EXPECT_THROW(beliefs.record(ItemId{0}, ClassId{3}), std::invalid_argument);
}

}  // namespace
}  // namespace allot::model
