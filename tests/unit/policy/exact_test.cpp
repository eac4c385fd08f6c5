#include "allot/policy/exact.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "allot/policy/index_policy.hpp"
#include "allot/policy/registry.hpp"
#include "support/beliefs.hpp"

namespace allot::policy::exact_test {
namespace {

using model::Beliefs;
using model::Prior;

TEST(Exact, HasTheReferenceValues) {  // uniform prior; checked by enumeration in tests/oracle
  EXPECT_NEAR(optimal_accuracy(Beliefs(3, Prior::uniform()), 10).value(), 0.829090, 5e-7);
  EXPECT_NEAR(optimal_accuracy(Beliefs(5, Prior::uniform()), 15).value(), 0.828903, 5e-7);
}

TEST(Exact, OptKgWithTheLuckiestTiesHasItsReferenceValues) {
  const auto opt_kg = make_policy("opt-kg", TieBreak::random).value();
  const Beliefs three(3, Prior::uniform()), five(5, Prior::uniform());
  EXPECT_NEAR(policy_accuracy(three, 10, *opt_kg, Ties::at_best).value(), 0.829090, 5e-7);
  EXPECT_NEAR(policy_accuracy(five, 15, *opt_kg, Ties::at_best).value(), 0.828755, 5e-7);
}

TEST(Exact, NoTieRuleBeatsTheLuckiestTies) {
  for (const char* name : {"uniform", "kg", "opt-kg", "nlu"}) {
    for (const TieBreak ties : {TieBreak::random, TieBreak::first}) {
      const auto policy = make_policy(name, ties).value();
      const Beliefs beliefs(4, Prior::uniform());
      EXPECT_LE(policy_accuracy(beliefs, 8, *policy).value(),
                policy_accuracy(beliefs, 8, *policy, Ties::at_best).value() + 1e-14)
          << name;
    }
  }
}

TEST(Exact, WithoutLabelsIsTheAccuracyOfThePrior) {
  EXPECT_EQ(optimal_accuracy(Beliefs(4, Prior::uniform()), 0).value(), 0.5);
  EXPECT_NEAR(optimal_accuracy(Beliefs(4, Prior::beta(4, 1)), 0).value(), 1 - 1.0 / 16, 1e-15);
}

TEST(Exact, ToyExampleAsksTheSecondItem) {  // [CLZ tab:toy]
  Beliefs beliefs(3, Prior::uniform());
  test::record(beliefs, 0, {2, 0});
  test::record(beliefs, 1, {1, 1});
  test::record(beliefs, 2, {1, 0});
  const auto choices = accuracy_by_choice(beliefs, 1).value();
  EXPECT_NEAR(choices[1] - choices[0], 3.0 / 16 / 3, 1e-15);
  EXPECT_EQ(best_candidates(choices), std::vector<std::uint32_t>{1});
}

TEST(Exact, OfDpIsTheOptimum) {
  const Beliefs beliefs(3, Prior::uniform());
  EXPECT_EQ(policy_accuracy(beliefs, 6, *dp_policy(TieBreak::random)).value(),
            optimal_accuracy(beliefs, 6).value());
}

TEST(Exact, CountsItsProgress) {
  Progress progress;
  optimal_accuracy(Beliefs(6, Prior::uniform()), 18, &progress).value();
  EXPECT_GT(progress.share(), 0.9);
  EXPECT_LE(progress.share(), 1);
}

TEST(Exact, RefusesWhatDoesNotFit) {
  const auto refused = optimal_accuracy(Beliefs(20, Prior::beta(2, 1)), 60);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_NE(refused.error().message.find("20 items with a budget of 60 need"), std::string::npos);
  const Beliefs many(1000, Prior::uniform());
  EXPECT_FALSE(dp_policy(TieBreak::first)->start(many, 10000));
}

TEST(Exact, RefusesToChooseWithoutABudget) {
  EXPECT_THROW(accuracy_by_choice(Beliefs(2, Prior::uniform()), 0), std::invalid_argument);
  Beliefs beliefs(2, Prior::uniform());
  Rng rng(1);
  const auto chooser = dp_policy(TieBreak::first)->start(beliefs, 1).value();
  beliefs.record(chooser->choose(rng), Label::positive);
  EXPECT_THROW(chooser->choose(rng), std::invalid_argument);
}

TEST(Exact, OfAnIndexThatTellsLabelsApartIsThatOfEnumeration) {
  // Ask the item with more positive labels: two items, two labels. The first label is anywhere;
  // after a positive one (chance 1/2) the same item is asked again, after a negative one the other.
  const auto policy = index_policy("eager", {[](const model::ItemBelief& b) {
                                     return double(b.counts.positive) - b.counts.negative;
                                   }},
                                   TieBreak::random);
  const double same = 0.5 + (2.0 / 3 * 0.875 + 1.0 / 3 * 0.5), other = 0.75 + 0.75;
  EXPECT_NEAR(policy_accuracy(Beliefs(2, Prior::uniform()), 2, *policy).value(), (same + other) / 4,
              1e-15);
}

TEST(DpPolicy, FollowsTheOptimumToTheEnd) {
  // Averaged over every sequence of labels with its probability, dp must earn what the recursion
  // promised.
  const std::uint64_t budget = 5;
  const auto policy = dp_policy(TieBreak::first);
  double value = 0;
  for (unsigned labels = 0; labels < 1U << budget; ++labels) {
    Beliefs beliefs({Prior::uniform(), Prior::beta(2, 1)}, {0, 1, 0});
    const auto chooser = policy->start(beliefs, budget).value();
    Rng rng(1);
    double probability = 1;
    for (std::uint64_t t = 0; t < budget; ++t) {
      const ItemId item = chooser->choose(rng);
      const double p = model::chance_positive(beliefs[item]);
      const bool positive = (labels >> t) & 1U;
      probability *= positive ? p : 1 - p;
      beliefs.record(item, positive ? Label::positive : Label::negative);
      chooser->refresh(item);
    }
    double right = 0;
    for (std::uint32_t i = 0; i < 3; ++i) right += 1 - model::error_probability(beliefs[ItemId{i}]);
    value += probability * right / 3;
  }
  const Beliefs start({Prior::uniform(), Prior::beta(2, 1)}, {0, 1, 0});
  EXPECT_NEAR(value, optimal_accuracy(start, budget).value(), 1e-14);
}

}  // namespace
}  // namespace allot::policy::exact_test
