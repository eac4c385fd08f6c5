// Labels that another tool collects from its people, while a holder has the leases.
#include "campaign_fixture.hpp"

namespace allot::campaign::collect_test {
namespace {

class Collect : public CampaignTest {
 protected:
  Result<Outcome> collect(const std::string& item, const std::string& worker,
                          const std::string& label = "yes", const std::string& key = "") {
    return campaign_->collect({item, worker, label}, "holder", now_, key);
  }
};

TEST_F(Collect, EndsTheLeaseOfTheHolderAndPays) {
  start(some_options(3), 5);
  const auto window = next("holder", 3).assignments;
  ASSERT_EQ(window.size(), 3U);
  EXPECT_EQ(status().reserved, Money::whole(3));
  EXPECT_EQ(collect(window[0].item, "ann").value(), Outcome::recorded);
  EXPECT_EQ(status().spent, Money::whole(1));
  EXPECT_EQ(status().reserved, Money::whole(2));
  EXPECT_EQ(collect(window[0].item, "ann").value(), Outcome::already);
  EXPECT_EQ(collect(window[0].item, "ann", "no").value(), Outcome::revised);
  EXPECT_EQ(status().spent, Money::whole(1));
  EXPECT_EQ(status().labels, 1U);
  expect_verified();
}

TEST_F(Collect, TakesMoreOnlyWhileBudgetAndItemAllow) {
  Options options = some_options(3);
  options.labels_per_item = 2;
  start(options, 5);
  const std::string item = item_for("holder");
  EXPECT_TRUE(collect(item, "ann"));
  EXPECT_TRUE(collect(item, "bob")) << "the lease of the holder is over, but there is room";
  expect_refusal(collect(item, "cyd"), ErrorCode::forbidden, {"'cyd'", "no more labels"});
  EXPECT_TRUE(collect(item == "i0" ? "i1" : "i0", "cyd"));
  expect_refusal(collect("i4", "dan"), ErrorCode::budget_exhausted, {"'dan'", "0 of the budget"});
  expect_refusal(collect("nowhere", "ann"), ErrorCode::not_found, {"nowhere"});
  expect_refusal(collect("i4", "ann", "maybe"), ErrorCode::invalid_argument, {"maybe"});
  EXPECT_EQ(status().spent, Money::whole(3));
  EXPECT_EQ(status().labels, 3U);
  expect_verified();
}

TEST_F(Collect, SurvivesReopeningAndRepeatsUnderItsKey) {
  start(some_options(10), 5);
  const std::string item = item_for("holder");
  EXPECT_EQ(collect(item, "ann", "no", "note-7").value(), Outcome::recorded);
  campaign_ = Campaign::open(*store_, "c").value();
  const auto events = store_->last("c").value();
  EXPECT_EQ(collect(item, "ann", "no", "note-7").value(), Outcome::recorded);
  EXPECT_FALSE(collect(item, "ann", "yes", "note-7"));
  EXPECT_EQ(store_->last("c").value(), events);
  const auto last = campaign_->view().events(events - 1, 1).value();
  EXPECT_EQ(name(std::get<Answered>(last.at(0).event).origin), "collected");
  expect_verified();
}

TEST_F(Collect, RefusesAClosedCampaign) {
  start(some_options(10), 5);
  const std::string item = item_for("holder");
  ASSERT_TRUE(campaign_->close("done", now_));
  EXPECT_FALSE(collect(item, "ann"));
  EXPECT_EQ(status().labels, 0U);
}

}  // namespace
}  // namespace allot::campaign::collect_test
