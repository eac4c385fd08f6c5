#include "allot/model/multiclass_belief.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "allot/model/best_class.hpp"

namespace allot::model::multiclass_belief_test {
namespace {

TEST(DirichletPrior, KnowsWhetherItIsSymmetric) {
  EXPECT_TRUE(DirichletPrior::symmetric(4, 0.5).is_symmetric());
  EXPECT_FALSE(DirichletPrior::dirichlet({1, 2, 1}).is_symmetric());
  EXPECT_EQ(DirichletPrior::symmetric(3), DirichletPrior::dirichlet({1, 1, 1}));
  EXPECT_EQ(DirichletPrior::dirichlet({1, 2, 1}).class_count(), 3U);
}

TEST(DirichletPrior, RefusesWhatIsNoDistribution) {
  EXPECT_THROW(DirichletPrior::symmetric(1), std::invalid_argument);
  EXPECT_THROW(DirichletPrior::dirichlet({1, 0, 1}), std::invalid_argument);
  EXPECT_THROW(DirichletPrior::dirichlet({1, -1}), std::invalid_argument);
  EXPECT_THROW(DirichletPrior::dirichlet({1, 1e12}), std::invalid_argument);
}

TEST(DirichletBelief, ForeseesLabelsByTheShareOfCounts) {
  EXPECT_EQ(chances({{3, 1, 4}}), (std::vector<double>{0.375, 0.125, 0.5}));
}

TEST(DirichletBelief, AnswersByPluralityWithThePriorCounted) {
  EXPECT_EQ(best_class(class_probabilities({{1, 3, 2}})), ClassId{1});
  EXPECT_EQ(best_class(class_probabilities({{1, 3, 3}})), ClassId{1});
  EXPECT_EQ(best_class(class_probabilities({{2, 2, 2}})), ClassId{0});
}

TEST(DirichletBelief, HasTheProbabilitiesOfItsClasses) {
  const DirichletBelief belief{{1, 2, 1}};
  const auto probabilities = class_probabilities(belief);
  EXPECT_NEAR(probabilities[1], 11.0 / 18, 1e-15);
  EXPECT_NEAR(probabilities[0], 7.0 / 36, 1e-15);
  EXPECT_NEAR(error_probability(belief), 7.0 / 18, 1e-15);
  EXPECT_EQ(belief.after(ClassId{2}).alpha, (std::vector<double>{1, 2, 2}));
}

TEST(MulticlassBeliefs, CountLabelsItemByItem) {
  MulticlassBeliefs beliefs(
      {DirichletPrior::symmetric(3, 0.5), DirichletPrior::dirichlet({1, 2, 4})}, {0, 1, 1});
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

TEST(MulticlassBeliefs, RefuseWhatDoesNotFitTogether) {
  EXPECT_THROW(MulticlassBeliefs(0, DirichletPrior::symmetric(3)), std::invalid_argument);
  EXPECT_THROW(MulticlassBeliefs({DirichletPrior::symmetric(3)}, {0, 1}), std::invalid_argument);
  EXPECT_THROW(MulticlassBeliefs({}, {0}), std::invalid_argument);
  EXPECT_THROW(
      MulticlassBeliefs({DirichletPrior::symmetric(3), DirichletPrior::symmetric(4)}, {0, 1}),
      std::invalid_argument);
  MulticlassBeliefs beliefs(2, DirichletPrior::symmetric(3));
  EXPECT_THROW(beliefs.record(ItemId{0}, ClassId{3}), std::invalid_argument);
}

}  // namespace
}  // namespace allot::model::multiclass_belief_test
