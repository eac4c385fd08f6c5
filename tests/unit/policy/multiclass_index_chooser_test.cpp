#include <gtest/gtest.h>

#include <set>

#include "allot/model/best_class.hpp"
#include "allot/policy/registry.hpp"

namespace allot::policy::multiclass_index_chooser_test {
namespace {

using model::DirichletPrior;
using model::MulticlassBeliefs;

std::string refusal(std::string_view name) {
  const auto made = make_policy(name, TieBreak::random, Form::multiclass_items);
  return made ? "made" : made.error().message;
}

/// The plain way: computes every index again, then scans.
ItemId scan(const MulticlassBeliefs& beliefs, const MulticlassRanking& ranking, Rng& rng) {
  std::vector<double> values;
  for (std::uint32_t i = 0; i < beliefs.item_count(); ++i)
    values.push_back(quantised(ranking.index(beliefs[ItemId{i}])));
  return ItemId{break_tie(best_candidates(values), ranking.ties, rng)};
}

/// A label of an item: its favourite class half of the time, else any.
ClassId some_label(ItemId item, std::uint32_t classes, Rng& rng) {
  const auto any = static_cast<std::uint32_t>(below(rng, classes));
  return ClassId{uniform(rng) < 0.5 ? position(item) % classes : any};
}

void expect_choices_of_the_scan(const char* name, TieBreak ties, MulticlassBeliefs beliefs,
                                int budget) {
  const auto policy = make_policy(name, ties).value();
  const auto chooser = policy->start(beliefs, 0).value();
  Rng fast(9), plain(9), labels(10);
  for (int t = 0; t < budget; ++t) {
    const ItemId item = chooser->choose(fast);
    ASSERT_EQ(item, scan(beliefs, *policy->multiclass_ranking(), plain))
        << name << " at stage " << t;
    beliefs.record(item, some_label(item, beliefs.class_count(), labels));
    chooser->refresh(item);
  }
}

class EveryClassPolicy : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, EveryClassPolicy,
                         testing::Values("uniform", "kg", "opt-kg", "pessimistic-kg", "cvar:0.7"));

TEST_P(EveryClassPolicy, ChoosesAsTheScan) {
  const std::vector<DirichletPrior> priors{DirichletPrior::symmetric(3, 0.5),
                                           DirichletPrior::symmetric(3),
                                           DirichletPrior::dirichlet({2, 1, 0.3})};
  for (const TieBreak ties : {TieBreak::random, TieBreak::first}) {
    expect_choices_of_the_scan(GetParam(), ties,
                               MulticlassBeliefs(20, DirichletPrior::symmetric(4)), 150);
    expect_choices_of_the_scan(GetParam(), ties,
                               MulticlassBeliefs(priors, {0, 1, 2, 2, 1, 0, 0, 1, 2, 1}), 80);
  }
}

TEST_P(EveryClassPolicy, ChoosesForTwoClassesAsForYesNoItems) {
  for (const TieBreak ties : {TieBreak::random, TieBreak::first}) {
    model::Beliefs two(30, model::Prior::beta(1, 2));
    MulticlassBeliefs several(30, DirichletPrior::dirichlet({2, 1}));
    const auto chooser = make_policy(GetParam(), ties).value()->start(two, 0).value();
    const auto multiclass_chooser =
        make_policy(GetParam(), ties).value()->start(several, 0).value();
    Rng one(1), other(1), labels(2);
    for (int t = 0; t < 300; ++t) {
      const ItemId item = chooser->choose(one);
      ASSERT_EQ(item, multiclass_chooser->choose(other)) << "at stage " << t;
      const ClassId label = some_label(item, 2, labels);
      two.record(item, position(label) == 1 ? Label::positive : Label::negative);
      several.record(item, label);
      chooser->refresh(item);
      multiclass_chooser->refresh(item);
    }
  }
}

TEST(MulticlassPolicy, NeverChoosesAnExcludedItem) {
  MulticlassBeliefs beliefs(4, DirichletPrior::symmetric(3));
  const auto chooser = make_policy("opt-kg", TieBreak::random).value()->start(beliefs, 9).value();
  chooser->exclude(ItemId{2});
  Rng rng(1);
  std::set<ItemId> chosen;
  for (int t = 0; t < 100; ++t) chosen.insert(chooser->choose(rng));
  EXPECT_EQ(chosen, (std::set<ItemId>{ItemId{0}, ItemId{1}, ItemId{3}}));
}

TEST(MulticlassOptKg, FindsEveryAnswerWithEnoughLabels) {  // [CLZ thm:opt_KG]
  const std::uint32_t items = 12, classes = 5;
  MulticlassBeliefs beliefs(items, DirichletPrior::symmetric(classes));
  const auto chooser = make_policy("opt-kg", TieBreak::random).value()->start(beliefs, 0).value();
  Rng rng(1), labels(2);
  for (int t = 0; t < 3000; ++t) {
    const ItemId item = chooser->choose(rng);
    beliefs.record(item, some_label(item, classes, labels));
    chooser->refresh(item);
  }
  for (std::uint32_t i = 0; i < items; ++i) {
    EXPECT_EQ(model::best_class(model::class_probabilities(beliefs[ItemId{i}])),
              ClassId{i % classes});
  }
}

TEST(MulticlassRegistry, MakesEveryPolicyUnderItsName) {
  for (const char* name : {"uniform", "kg", "opt-kg", "pessimistic-kg", "cvar:0.25", "dp"}) {
    const auto policy = make_policy(name, TieBreak::first).value();
    EXPECT_EQ(policy->name(), name);
    EXPECT_EQ(policy->depends_on_budget(), policy->name() == "dp");
    EXPECT_EQ(policy->multiclass_ranking().has_value(), policy->name() != "dp");
  }
}

TEST(MulticlassRegistry, SaysWhatIsWrong) {
  EXPECT_EQ(refusal("optkg"),
            "policy 'optkg' is unknown, did you mean 'opt-kg'? ('allot policies' lists all)");
  EXPECT_EQ(refusal("cvar"), "policy 'cvar' needs its parameter: cvar:ALPHA");
  EXPECT_EQ(refusal("cvar:2"),
            "policy 'cvar:2': ALPHA must be a number from 0 to 1, as in cvar:0.7");
  EXPECT_EQ(refusal("kg:1"), "policy 'kg:1': kg takes no parameter");
}

}  // namespace
}  // namespace allot::policy::multiclass_index_chooser_test
