// An index of the belief about an item alone, in all the forms that by_belief gives it.
#include <gtest/gtest.h>

#include <numeric>

#include "allot/model/crowd.hpp"
#include "allot/policy/index_policy.hpp"

namespace allot::policy::by_belief_test {
namespace {

/// The variance of the belief about a soft label.
double variance(const model::ItemState& item) {
  const auto [a, b] = item.shape;
  const double mean = a / (a + b);
  return item.soft ? mean * (1 - mean) / (a + b + 1) : mean * (1 - mean);
}

/// The sum of the variances of the shares of all classes.
double variance(const index::MulticlassItemView& item) {
  const double sum = std::accumulate(item.classes.begin(), item.classes.end(), 0.0);
  double spread = 1;
  for (const double alpha : item.classes) spread -= alpha / sum * (alpha / sum);
  return item.soft ? spread / (sum + 1) : spread;
}

std::shared_ptr<const Policy> variance_policy() {
  return index_policy(
      "variance",
      by_belief([](const model::ItemState& item) { return variance(item); },
                [](const index::MulticlassItemView& item) { return variance(item); }),
      TieBreak::first);
}

TEST(ByBelief, HasFormsForItemsAndPairsOfAnyNumberOfClasses) {
  const auto policy = variance_policy();
  for (const Form form :
       {Form::items, Form::multiclass_items, Form::pairs, Form::multiclass_pairs}) {
    EXPECT_TRUE(policy->has(form)) << static_cast<int>(form);
  }
  EXPECT_FALSE(policy->has(Form::feature_items));
}

TEST(ByBelief, ChoosesTheItemWithTheLargestIndex) {
  model::Beliefs beliefs(3, model::Prior::uniform());
  beliefs.record(ItemId{0}, Label::positive);
  beliefs.record(ItemId{2}, Label::positive);
  Rng rng(1);
  EXPECT_EQ(variance_policy()->start(beliefs, 1).value()->choose(rng), ItemId{1});

  model::MulticlassBeliefs several(3, model::DirichletPrior::symmetric(3));
  several.record(ItemId{0}, ClassId{1});
  several.record(ItemId{1}, ClassId{2});
  EXPECT_EQ(variance_policy()->start(several, 1).value()->choose(rng), ItemId{2});
}

TEST(ByBelief, ChoosesThePairWithTheLargestIndex) {
  const Offers offers = Offers::everyone(3, 2);
  for (const std::uint32_t classes : {2U, 3U}) {
    model::CrowdOptions options{.refit = model::Refit::off};
    if (classes > 2) options.item_prior = model::DirichletPrior::symmetric(classes);
    const auto crowd = model::make_crowd(options, 3, 2);
    crowd->record(ItemId{0}, WorkerId{0}, ClassId{1});
    crowd->record(ItemId{1}, WorkerId{0}, ClassId{0});
    Rng rng(1);
    EXPECT_EQ(variance_policy()->start(*crowd, offers)->choose(rng).value().item, ItemId{2});
  }
}

TEST(ByBelief, SeesTheMeanAndTheVarianceOfAMixture) {
  const auto prior = model::Prior::mixture({{0.5, 8, 2}, {0.5, 2, 8}});
  const auto ranking = variance_policy()->ranking(1).value();
  // Each component has variance 16/1100 about its mean, and the means lie 0.3 from 1/2.
  EXPECT_NEAR(ranking.index({&prior, {}}), 16.0 / 1100 + 0.09, 1e-15);
}

}  // namespace
}  // namespace allot::policy::by_belief_test
