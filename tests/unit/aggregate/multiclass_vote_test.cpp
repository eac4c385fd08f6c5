#include <gtest/gtest.h>

#include <algorithm>

#include "allot/aggregate/posterior.hpp"
#include "allot/base/rng.hpp"

namespace allot::aggregate::multiclass_vote_test {
namespace {

using model::DirichletPrior;
using model::MulticlassBeliefs;

TEST(MulticlassVote, GivesTheAnswerAndTheProbabilitiesOfEveryBelief) {
  MulticlassBeliefs beliefs(
      {DirichletPrior::symmetric(4), DirichletPrior::dirichlet({2, 1, 1, 0.5})},
      {0, 0, 1, 0, 1, 0, 0, 1});
  Rng rng(1);
  for (int t = 0; t < 30; ++t) {
    beliefs.record(ItemId{static_cast<std::uint32_t>(below(rng, 8))},
                   ClassId{static_cast<std::uint32_t>(below(rng, 4))});
  }
  const ClassAnswers answers = multiclass_vote(beliefs);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const model::DirichletBelief belief = beliefs[ItemId{i}];
    EXPECT_EQ(position(answers.answers[i]),
              std::ranges::max_element(belief.alpha) - belief.alpha.begin());
    const auto expected = model::class_probabilities(belief);
    for (std::size_t c = 0; c < 4; ++c) EXPECT_EQ(answers.of(ItemId{i})[c], expected[c]);
  }
}

TEST(MulticlassVote, PrefersTheSmallestOfEqualClasses) {
  MulticlassBeliefs beliefs(1, DirichletPrior::symmetric(3));
  EXPECT_EQ(multiclass_vote(beliefs).answers[0], ClassId{0});
  beliefs.record(ItemId{0}, ClassId{2});
  beliefs.record(ItemId{0}, ClassId{1});
  EXPECT_EQ(multiclass_vote(beliefs).answers[0], ClassId{1});
}

TEST(MulticlassVote, ExpectsTheAccuracyOfTheMostProbableClasses) {
  const MulticlassBeliefs beliefs(5, DirichletPrior::symmetric(4));
  EXPECT_EQ(expected_accuracy(multiclass_vote(beliefs)), 0.25);
}

}  // namespace
}  // namespace allot::aggregate::multiclass_vote_test
