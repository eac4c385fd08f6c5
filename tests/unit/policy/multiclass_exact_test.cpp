#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "allot/aggregate/posterior.hpp"
#include "allot/policy/exact.hpp"
#include "allot/policy/registry.hpp"

namespace allot::policy::multiclass_exact_test {
namespace {

using model::DirichletPrior;
using model::MulticlassBeliefs;

double expected_right(const MulticlassBeliefs& beliefs) {
  return *aggregate::expected_accuracy(aggregate::multiclass_vote(beliefs));
}

/// Every choice and every label, by plain recursion.
double enumerated(const MulticlassBeliefs& beliefs, int budget) {
  if (budget == 0) return expected_right(beliefs);
  double best = 0;
  for (std::uint32_t i = 0; i < beliefs.item_count(); ++i) {
    const auto chances = model::chances(beliefs[ItemId{i}]);
    double value = 0;
    for (std::uint32_t c = 0; c < chances.size(); ++c) {
      MulticlassBeliefs next = beliefs;
      next.record(ItemId{i}, ClassId{c});
      value += chances[c] * enumerated(next, budget - 1);
    }
    best = std::max(best, value);
  }
  return best;
}

/// Items that start unalike: other priors, other labels.
MulticlassBeliefs unalike() {
  MulticlassBeliefs beliefs({DirichletPrior::symmetric(3), DirichletPrior::dirichlet({2, 1, 0.5})},
                            {0, 1, 0});
  beliefs.record(ItemId{2}, ClassId{1});
  beliefs.record(ItemId{2}, ClassId{1});
  return beliefs;
}

TEST(MulticlassExact, IsThatOfPlainEnumeration) {
  for (int budget = 0; budget <= 3; ++budget) {
    const MulticlassBeliefs three(3, DirichletPrior::symmetric(3)),
        four(2, DirichletPrior::symmetric(4, 0.5));
    const auto steps = static_cast<std::uint64_t>(budget);
    EXPECT_NEAR(optimal_accuracy(three, steps).value(), enumerated(three, budget), 1e-14);
    EXPECT_NEAR(optimal_accuracy(four, steps).value(), enumerated(four, budget), 1e-14);
    EXPECT_NEAR(optimal_accuracy(unalike(), steps).value(), enumerated(unalike(), budget), 1e-14);
  }
}

TEST(MulticlassExact, OfTwoClassesIsThatOfYesNoItems) {
  for (const std::uint64_t budget : {0U, 1U, 5U, 9U}) {
    EXPECT_NEAR(
        optimal_accuracy(MulticlassBeliefs(4, DirichletPrior::symmetric(2)), budget).value(),
        optimal_accuracy(model::Beliefs(4, model::Prior::uniform()), budget).value(), 1e-14);
    EXPECT_NEAR(
        optimal_accuracy(MulticlassBeliefs(3, DirichletPrior::dirichlet({1, 2.5})), budget).value(),
        optimal_accuracy(model::Beliefs(3, model::Prior::beta(2.5, 1)), budget).value(), 1e-14);
  }
}

/// What a policy earns from here, averaged over all labels with their chances; it must not draw.
double earned(const Policy& policy, const MulticlassBeliefs& start, std::vector<ClassId> labels,
              std::size_t budget) {
  MulticlassBeliefs beliefs = start;
  const auto chooser = policy.start(beliefs, budget).value();
  Rng rng(1);
  for (const ClassId label : labels) {
    const ItemId item = chooser->choose(rng);
    beliefs.record(item, label);
    chooser->refresh(item);
  }
  if (labels.size() == budget) return expected_right(beliefs);
  const auto chances = model::chances(beliefs[chooser->choose(rng)]);
  double value = 0;
  for (std::uint32_t c = 0; c < chances.size(); ++c) {
    labels.push_back(ClassId{c});
    value += chances[c] * earned(policy, start, labels, budget);
    labels.pop_back();
  }
  return value;
}

TEST(MulticlassDp, EarnsTheOptimumAndNoOtherPolicyMore) {
  for (const MulticlassBeliefs& start :
       {MulticlassBeliefs(2, DirichletPrior::symmetric(3)), unalike()}) {
    const std::size_t budget = 4;
    const double optimum = optimal_accuracy(start, budget).value();
    EXPECT_NEAR(earned(*dp_policy(TieBreak::first), start, {}, budget), optimum, 1e-14);
    for (const char* name : {"kg", "opt-kg", "pessimistic-kg", "cvar:0.5"}) {
      const auto policy = make_policy(name, TieBreak::first).value();
      EXPECT_LE(earned(*policy, start, {}, budget), optimum + 1e-14) << name;
    }
  }
}

TEST(MulticlassDp, WithOneLabelLeftChoosesAsKg) {
  MulticlassBeliefs beliefs = unalike();
  Rng rng(1);
  const ItemId dp = dp_policy(TieBreak::first)->start(beliefs, 1).value()->choose(rng);
  const auto kg = make_policy("kg", TieBreak::first).value();
  EXPECT_EQ(dp, kg->start(beliefs, 1).value()->choose(rng));
}

TEST(MulticlassDp, RefusesWhatDoesNotFit) {
  const MulticlassBeliefs many(400, DirichletPrior::symmetric(10));
  for (const std::uint64_t budget : {30U, 100'000U}) {
    const auto refused = optimal_accuracy(many, budget);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::too_large);
    EXPECT_NE(refused.error().message.find("400 items of 10 classes"), std::string::npos);
  }
  MulticlassBeliefs beliefs(2, DirichletPrior::symmetric(3));
  const auto chooser = dp_policy(TieBreak::first)->start(beliefs, 1).value();
  EXPECT_THROW(chooser->exclude(ItemId{0}), std::invalid_argument);
  Rng rng(1);
  beliefs.record(chooser->choose(rng), ClassId{0});
  EXPECT_THROW(chooser->choose(rng), std::invalid_argument);
}

}  // namespace
}  // namespace allot::policy::multiclass_exact_test
