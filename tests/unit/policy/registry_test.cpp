#include "allot/policy/registry.hpp"

#include <gtest/gtest.h>

namespace allot::policy {
namespace {

std::string refusal(std::string_view name) {
  const auto made = make_policy(name, TieBreak::random);
  return made ? "made" : made.error().message;
}

TEST(Registry, MakesEveryPolicyOfTheCatalogUnderItsName) {
  EXPECT_EQ(catalog().size(), 14U);
  for (const PolicyEntry& entry : catalog()) {
    const std::string name =
        entry.parameter.empty() ? std::string(entry.name) : std::string(entry.name) + ":0.25";
    const auto alike = make_policy(name, TieBreak::random);
    const auto differing = make_pair_policy(name, TieBreak::random);
    EXPECT_EQ(alike.has_value(), entry.alike) << name;
    EXPECT_EQ(differing.has_value(), entry.differing) << name;
    if (alike) {
      EXPECT_EQ((*alike)->name(), name);
    }
    if (differing) {
      EXPECT_EQ((*differing)->name(), name);
    }
  }
}

TEST(Registry, SaysForWhichWorkersAPolicyIs) {
  EXPECT_EQ(refusal("scout"),
            "policy 'scout' is for workers who differ; here all workers are alike ('allot "
            "policies' lists all)");
  EXPECT_EQ(make_pair_policy("gittins", TieBreak::random).error().message,
            "policy 'gittins' does not tell workers apart; here they differ ('allot policies' "
            "lists all)");
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

TEST(Registry, OnlyGittinsAndDpDependOnTheBudget) {
  for (const char* name : {"uniform", "kg", "opt-kg", "pessimistic-kg", "cvar:0.5", "lu", "nlu"}) {
    EXPECT_FALSE(make_policy(name, TieBreak::first).value()->depends_on_budget()) << name;
  }
  for (const char* name : {"gittins", "dp"}) {
    EXPECT_TRUE(make_policy(name, TieBreak::first).value()->depends_on_budget()) << name;
  }
}

}  // namespace
}  // namespace allot::policy
