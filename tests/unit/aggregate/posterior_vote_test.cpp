#include <gtest/gtest.h>

#include "allot/aggregate/posterior.hpp"
#include "support/beliefs.hpp"

namespace allot::aggregate::posterior_vote_test {
namespace {

using model::Beliefs;
using model::Counts;
using model::Prior;

Beliefs labelled(std::vector<Prior> priors, std::vector<std::uint32_t> prior_of_item,
                 const std::vector<Counts>& counts) {
  Beliefs beliefs(std::move(priors), std::move(prior_of_item));
  for (std::uint32_t i = 0; i < counts.size(); ++i) test::record(beliefs, i, counts[i]);
  return beliefs;
}

TEST(PosteriorVote, IsTheMajorityWithThePriorCounted) {  // [CLZ cor:majority_vote]
  const Beliefs beliefs = labelled({Prior::uniform(), Prior::beta(4, 1)}, {0, 0, 0, 1, 1},
                                   {{2, 1}, {1, 2}, {1, 1}, {0, 3}, {0, 4}});
  EXPECT_EQ(positive_set(posterior_vote(beliefs)), std::vector<ItemId>{ItemId{0}}) << "two ties";
}

TEST(PosteriorVote, AnswersATieByTheFirstClass) {
  const Beliefs beliefs = labelled({Prior::uniform(), test::symmetric_mixture()}, {0, 0, 1, 1},
                                   {{0, 0}, {3, 3}, {0, 0}, {5, 5}});
  for (const Answer& answer : posterior_vote(beliefs)) {
    EXPECT_EQ(answer.label, Label::negative);
    EXPECT_NEAR(answer.probability, 0.5, 1e-12);
  }
}

TEST(PosteriorVote, SaysHowProbablyEachAnswerIsRight) {
  const Beliefs beliefs = labelled({Prior::uniform(), test::skewed_mixture()}, {0, 0, 1, 1},
                                   {{2, 0}, {0, 0}, {1, 4}, {1, 4}});
  const auto answers = posterior_vote(beliefs);
  EXPECT_DOUBLE_EQ(answers[0].probability, 0.875);
  EXPECT_EQ(answers[1].probability, 0.5);
  EXPECT_NEAR(answers[2].probability, 1 - model::error_probability(beliefs[ItemId{2}]), 1e-15);
  EXPECT_EQ(answers[2].probability, answers[3].probability);
  EXPECT_NEAR(expected_accuracy(answers), (0.875 + 0.5 + 2 * answers[2].probability) / 4, 1e-15);
}

TEST(PosteriorVote, NoOtherPositiveSetIsExpectedToBeRightMoreOften) {  // [CLZ prop:H, eq:H_T]
  const Beliefs beliefs =
      labelled({Prior::uniform(), Prior::beta(0.3, 2), test::symmetric_mixture()},
               {0, 1, 2, 0, 2, 1}, {{3, 1}, {4, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 0}});
  const auto answers = posterior_vote(beliefs);
  double best = 0;
  for (unsigned set = 0; set < 1U << 6; ++set) {
    double right = 0;
    for (std::uint32_t i = 0; i < 6; ++i) {
      const double p = model::prob_positive(beliefs[ItemId{i}]);
      right += (set >> i) & 1U ? p : 1 - p;
    }
    best = std::max(best, right);
  }
  double right = 0;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const double p = model::prob_positive(beliefs[ItemId{i}]);
    right += answers[i].label == Label::positive ? p : 1 - p;
  }
  EXPECT_NEAR(right, best, 1e-14);
  EXPECT_NEAR(expected_accuracy(answers) * 6, best, 1e-14);
}

}  // namespace
}  // namespace allot::aggregate::posterior_vote_test
