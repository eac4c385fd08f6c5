#include <gtest/gtest.h>

#include "reproduce/study.hpp"

namespace allot::reproduce::judge_test {
namespace {

Tables one_lead(const std::string& lead, const std::string& error) {
  Data data({"lead", "stderr"});
  data.add({lead, error});
  return {{"", data}};
}

/// Claims that the lead is at least 0, and a fact.
Study study() {
  Study result;
  result.random = true;
  result.claims = [](const Tables& tables) {
    const Data& data = tables.at("");
    const Estimate lead{data.number(0, "lead"), data.number(0, "stderr")};
    return std::vector<Claim>{{"ahead", at_least(lead, 0), ""}, {"a fact", fact(true), ""}};
  };
  return result;
}

TEST(JudgedClaims, TellHowManyRunsWouldDecide) {
  // Three standard errors must fall from 0.03 to 0.01: nine times as many runs.
  const auto claims = judged_claims(study(), one_lead("0.01", "0.01"), 100);
  ASSERT_EQ(claims[0].verdict, Verdict::unclear);
  ASSERT_TRUE(claims[0].enough_runs);
  EXPECT_GE(*claims[0].enough_runs, 900U);
  EXPECT_LE(*claims[0].enough_runs, 1000U);
  EXPECT_EQ(verdict_text(claims[0]), "too few runs to tell; about " +
                                         std::to_string(*claims[0].enough_runs) + " would decide");
  EXPECT_FALSE(claims[1].enough_runs);
}

TEST(JudgedClaims, GiveNoNumberWhereNoneCanBeComputed) {
  EXPECT_FALSE(judged_claims(study(), one_lead("0", "0.01"), 100)[0].enough_runs);
  EXPECT_FALSE(judged_claims(study(), one_lead("0.01", ""), 1)[0].enough_runs) << "a single run";
  Study limited = study();
  limited.parameters = {{"runs", "at most 20"}};
  const auto claims = judged_claims(limited, one_lead("0.01", "0.01"), 100);
  EXPECT_FALSE(claims[0].enough_runs);
  EXPECT_EQ(verdict_text(claims[0]), "too few runs to tell");
}

TEST(JudgedClaims, LeaveDecidedClaimsAlone) {
  const auto claims = judged_claims(study(), one_lead("0.1", "0.01"), 100);
  EXPECT_EQ(verdict_text(claims[0]), "holds");
}

}  // namespace
}  // namespace allot::reproduce::judge_test
