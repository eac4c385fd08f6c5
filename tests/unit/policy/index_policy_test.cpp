#include "allot/policy/index_policy.hpp"

#include <gtest/gtest.h>

#include "allot/policy/registry.hpp"
#include "support/beliefs.hpp"
#include "support/scan.hpp"

namespace allot::policy::index_policy_test {
namespace {

using model::Beliefs;
using model::Prior;

/// Every choice of the fast chooser must be the choice of the scan, with the same random numbers.
void expect_choices_of_the_scan(const std::string& name, TieBreak ties, Beliefs beliefs,
                                std::uint64_t budget) {
  const auto policy = make_policy(name, ties).value();
  const auto chooser = policy->start(beliefs, budget).value();
  const Ranking ranking = *policy->ranking(budget);
  Rng fast(9), plain(9), labels(10);
  for (std::uint64_t t = 0; t < budget; ++t) {
    const ItemId item = chooser->choose(fast);
    ASSERT_EQ(item, test::scan(beliefs, ranking, plain)) << name << " at stage " << t;
    const double soft_label = unit_interval(Rng(3, Rng::Purpose::soft_label, 0, position(item))());
    beliefs.record(item, uniform(labels) < soft_label ? Label::positive : Label::negative);
    chooser->refresh(item);
  }
}

/// The policies of the catalog that choose items by an index.
std::vector<std::string> index_policies() {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : catalog()) {
    const std::string name =
        entry.parameter.empty() ? std::string(entry.name) : std::string(entry.name) + ":0.7";
    const bool has_index = make_policy(name, TieBreak::random).value()->ranking(1).has_value();
    if (entry.has(Form::items) && has_index) names.push_back(name);
  }
  return names;
}

class EveryIndexPolicy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, EveryIndexPolicy, testing::ValuesIn(index_policies()));

TEST_P(EveryIndexPolicy, ChoosesAsTheScanUnderOnePrior) {
  for (const TieBreak ties : {TieBreak::random, TieBreak::first}) {
    expect_choices_of_the_scan(GetParam(), ties, Beliefs(60, Prior::uniform()), 900);
    expect_choices_of_the_scan(GetParam(), ties, Beliefs(20, Prior::haldane()), 60);
    expect_choices_of_the_scan(GetParam(), ties, Beliefs(8, test::symmetric_mixture()), 24);
  }
}

TEST_P(EveryIndexPolicy, ChoosesAsTheScanWhenPriorsDiffer) {
  Rng rng(4);
  std::vector<Prior> priors;
  std::vector<std::uint32_t> prior_of_item;
  for (std::uint32_t i = 0; i < 40; ++i) {
    priors.push_back(i % 4 == 0 ? Prior::uniform()
                                : Prior::beta(0.5 + 4 * uniform(rng), 0.5 + 4 * uniform(rng)));
    prior_of_item.push_back(i);
  }
  for (const TieBreak ties : {TieBreak::random, TieBreak::first}) {
    expect_choices_of_the_scan(GetParam(), ties, Beliefs(priors, prior_of_item), 300);
  }
}

TEST(IndexPolicy, StartsFromLabelsThatAreThereAlready) {
  Beliefs beliefs(3, Prior::uniform());
  test::record(beliefs, 0, {2, 0});
  test::record(beliefs, 1, {1, 1});
  test::record(beliefs, 2, {1, 0});
  Rng rng(1);
  const auto chooser = make_policy("kg", TieBreak::first).value()->start(beliefs, 1).value();
  EXPECT_EQ(chooser->choose(rng), ItemId{1});  // [CLZ tab:example]
}

TEST(IndexPolicy, NoticesLabelsOfItemsItDidNotChoose) {
  Beliefs beliefs(3, Prior::uniform());
  Rng rng(1);
  const auto chooser = make_policy("opt-kg", TieBreak::first).value()->start(beliefs, 9).value();
  for (const std::uint32_t item : {0U, 2U}) {
    beliefs.record(ItemId{item}, Label::positive);
    chooser->refresh(ItemId{item});
  }
  EXPECT_EQ(chooser->choose(rng), ItemId{1});
}

}  // namespace
}  // namespace allot::policy::index_policy_test
