#include "allot/policy/registry.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "allot/model/crowd.hpp"
#include "allot/policy/pair_policy.hpp"
#include "support/plain_contextual.hpp"

namespace allot::policy::registry_test {
namespace {

std::string refusal(std::string_view name, Form form = Form::items) {
  const auto made = make_policy(name, TieBreak::random, form);
  return made ? "made" : made.error().message;
}

TEST(Registry, MakesEveryPolicyOfTheCatalogUnderItsName) {
  for (const PolicyEntry& entry : catalog()) {
    const std::string name =
        entry.parameter.empty() ? std::string(entry.name) : std::string(entry.name) + ":0.25";
    EXPECT_EQ(make_policy(name, TieBreak::random).value()->name(), name);
  }
}

TEST(Registry, StartsEveryFormOfTheCatalogAndNoOther) {
  const model::Beliefs items(2, model::Prior::uniform());
  const model::MulticlassBeliefs multiclass_items(2, model::DirichletPrior::symmetric(3));
  Rng rng(1);
  const model::Design design = test::random_design(2, 2, rng);
  const model::Contextual feature_items(design);
  const Offers offers = Offers::everyone(2, 3);
  const auto crowd = model::make_crowd({}, 2, 3);
  const auto multiclass_crowd =
      model::make_crowd({.item_prior = model::DirichletPrior::symmetric(3)}, 2, 3);
  for (const PolicyEntry& entry : catalog()) {
    const std::string name =
        entry.parameter.empty() ? std::string(entry.name) : std::string(entry.name) + ":0.25";
    const auto policy = make_policy(name, TieBreak::random).value();
    const auto expect = [&](Form form, const std::function<void()>& start) {
      EXPECT_EQ(policy->has(form), entry.has(form)) << name;
      if (entry.has(form)) {
        EXPECT_NO_THROW(start()) << name;
      } else {
        EXPECT_THROW(start(), std::invalid_argument) << name;
      }
    };
    expect(Form::items, [&] { EXPECT_TRUE(policy->start(items, 1)); });
    expect(Form::multiclass_items, [&] { EXPECT_TRUE(policy->start(multiclass_items, 1)); });
    expect(Form::feature_items, [&] { EXPECT_TRUE(policy->start(feature_items)); });
    expect(Form::pairs, [&] { EXPECT_TRUE(policy->start(*crowd, offers)); });
    expect(Form::multiclass_pairs, [&] { EXPECT_TRUE(policy->start(*multiclass_crowd, offers)); });
  }
}

/// The policies of the catalog with this form, as a refusal lists them.
std::string with_form(Form form) {
  std::string names;
  for (const PolicyEntry& entry : catalog()) {
    if (!entry.has(form)) continue;
    if (!names.empty()) names += ", ";
    names += entry.name;
    if (!entry.parameter.empty()) names += ":" + std::string(entry.parameter);
  }
  return names;
}

TEST(Registry, NamesThePoliciesThatHaveTheForm) {
  EXPECT_EQ(refusal("scout"),
            "policy 'scout' is for workers who differ; here all workers are alike; expected " +
                with_form(Form::items));
  EXPECT_EQ(refusal("gittins", Form::pairs),
            "policy 'gittins' does not tell workers apart; here they differ; expected " +
                with_form(Form::pairs));
  EXPECT_EQ(refusal("scout", Form::multiclass_pairs),
            "policy 'scout' cannot choose among multi-class items, or items with features, where "
            "workers differ; expected " +
                with_form(Form::multiclass_pairs));
  EXPECT_EQ(refusal("gittins", Form::multiclass_items),
            "policy 'gittins' cannot choose among multi-class items where workers are alike; "
            "expected " +
                with_form(Form::multiclass_items));
}

TEST(Registry, SuggestsTheNearestName) {
  EXPECT_EQ(refusal("optkg"),
            "policy 'optkg' is unknown, did you mean 'opt-kg'? ('allot policies' lists all)");
  EXPECT_EQ(refusal("cvr:0.5"),
            "policy 'cvr:0.5' is unknown, did you mean 'cvar:ALPHA'? ('allot policies' lists all)");
  EXPECT_EQ(refusal("thompson"), "policy 'thompson' is unknown ('allot policies' lists all)");
}

TEST(Registry, ChecksParameters) {
  EXPECT_EQ(refusal("cvar"), "policy 'cvar' needs its parameter: cvar:ALPHA");
  EXPECT_EQ(refusal("cvar:2"),
            "policy 'cvar:2': ALPHA must be a number from 0 to 1, as in cvar:0.7");
  EXPECT_EQ(refusal("cvar:"), "policy 'cvar:': ALPHA must be a number from 0 to 1, as in cvar:0.7");
  EXPECT_EQ(refusal("kg:1"), "policy 'kg:1': kg takes no parameter");
}

TEST(Registry, SaysWhichPoliciesDependOnTheBudget) {
  for (const char* name :
       {"uniform", "kg", "opt-kg", "pessimistic-kg", "cvar:0.5", "lu", "nlu", "even-kg"}) {
    EXPECT_FALSE(make_policy(name, TieBreak::first).value()->depends_on_budget()) << name;
  }
  for (const char* name : {"gittins", "dp", "budget-kg"}) {
    EXPECT_TRUE(make_policy(name, TieBreak::first).value()->depends_on_budget()) << name;
  }
}

}  // namespace
}  // namespace allot::policy::registry_test
