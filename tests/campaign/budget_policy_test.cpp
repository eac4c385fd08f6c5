// The default policy, budget-kg, in a campaign: whom to ask depends on what is left of the budget.
#include <gtest/gtest.h>

#include "campaign/campaign_fixture.hpp"

namespace allot::campaign::budget_policy_test {
namespace {

constexpr int kItems = 12, kWorkers = 6;

class BudgetPolicy : public CampaignTest {
 protected:
  using Whom = std::pair<std::string, std::string>;

  /// The pair that the policy names after labels that are the same for all policies, with this many
  /// labels left: every worker leases all items and answers some.
  Whom whom(const std::string& policy, std::uint64_t left) {
    store_ = store::memory_store();
    Options options = some_options(1000);
    options.policy = policy;
    start(options, kItems);
    std::uint64_t labels = 0;
    for (int j = 0; j < kWorkers; ++j) {
      const std::string worker = "w" + std::to_string(j);
      next(worker, kItems);
      for (int i = j % 3; i < kItems; i += 2 + j % 3) {
        // Worker 0 always says yes, the others mostly name the class of the item.
        const bool yes = j == 0 || (i + ((i + j) % 7 == 0)) % 2 == 0;
        EXPECT_TRUE(answer("i" + std::to_string(i), worker, yes ? "yes" : "no"));
        ++labels;
      }
    }
    now_ += minutes(11);  // the other leases end
    EXPECT_TRUE(campaign_->set_budget(Money::whole(labels + left), now_));
    const auto found = campaign_->view().whom_next().value();
    expect_verified();
    return found.value_or(Whom());
  }
};

TEST_F(BudgetPolicy, AsksByWhatIsLeft) {
  const Whom hopeful = whom("cvar:0.5", 100), careful = whom("even-kg", 100);
  ASSERT_NE(hopeful, careful) << "the policies must differ here";
  EXPECT_EQ(whom("budget-kg", 100), hopeful);
  EXPECT_EQ(whom("budget-kg", kItems + 1), hopeful);
  EXPECT_EQ(whom("budget-kg", kItems), careful);
  EXPECT_EQ(whom("budget-kg", 1), careful);
}

}  // namespace
}  // namespace allot::campaign::budget_policy_test
