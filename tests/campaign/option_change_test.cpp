// Options that change while a campaign runs, and what workers tell beside their labels.
#include "campaign_fixture.hpp"

namespace allot::campaign::option_change_test {
namespace {

class OptionChange : public CampaignTest {
 protected:
  Options options() {
    return campaign_->view().read([](const State& state) { return state.options(); }).value();
  }
  template <typename Change>
  Result<void> change(Change how) {
    Options changed = options();
    how(changed);
    return campaign_->set_options(changed, now_);
  }
  void work(int rounds) {
    for (int n = 0; n < rounds; ++n, now_ += seconds(1)) {
      const std::string worker = "w" + std::to_string(n % 5);
      const auto handed = campaign_->next(worker, 1, now_);
      if (!handed) continue;
      ASSERT_TRUE(answer(handed->assignments[0].item, worker, n % 4 == 0 ? "no" : "yes"));
    }
  }
};

TEST_F(OptionChange, LeasesLimitsAndGoldRateHoldFromTheNextDecisionOn) {
  Options first = some_options();
  first.gold_rate = 0;
  auto items = some_items(2);
  items.push_back({.id = "g", .gold = "no"});
  campaign_ = Campaign::create(*store_, "c", first, now_, {items}).value();
  EXPECT_EQ(next("ann").assignments[0].expires, now_ + minutes(10));
  ASSERT_TRUE(change([](Options& one) { one.lease = minutes(2); }));
  EXPECT_EQ(next("ann").assignments[0].expires, now_ + minutes(2));
  ASSERT_TRUE(change([](Options& one) { one.gold_rate = 1; }));
  EXPECT_EQ(next("ann").assignments[0].item, "g");
  ASSERT_TRUE(change([](Options& one) { one.labels_per_worker = 3; }));
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::forbidden, {"at most 3"});
  ASSERT_TRUE(change([](Options& one) {
    one.labels_per_item = 1;
    one.gold_rate = 0;
  }));
  expect_refusal(campaign_->next("bob", 1, now_), ErrorCode::not_found, {"no item left"});
  ASSERT_TRUE(change([](Options& one) { one.labels_per_item = 0; }));
  EXPECT_FALSE(next("bob").assignments.empty());
  expect_verified();
}

TEST_F(OptionChange, NewStopRulesSettleAndResume) {
  start(some_options(), 3);
  work(15);
  EXPECT_TRUE(status().finished.empty());
  ASSERT_TRUE(change([](Options& one) { one.stop.settled = 0.6; }));
  EXPECT_FALSE(status().finished.empty());
  ASSERT_EQ(status().phase, Phase::paused);
  ASSERT_TRUE(change([](Options& one) { one.stop = {}; }));
  EXPECT_TRUE(status().finished.empty());
  EXPECT_EQ(status().phase, Phase::running) << "the rule that had paused it is gone";
  expect_verified();
  campaign_ = Campaign::open(*store_, "c").value();
  expect_verified();
}

TEST_F(OptionChange, APolicyDecidesFromThenOn) {
  start(some_options(), 6);
  work(10);
  ASSERT_TRUE(change([](Options& one) { one.policy = "uniform"; }));
  EXPECT_EQ(options().policy, "uniform");
  work(10);
  ASSERT_TRUE(campaign_->save_snapshot());
  campaign_ = Campaign::open(*store_, "c").value();
  work(10);
  expect_verified();
}

TEST_F(OptionChange, RefusesWhatMustStay) {
  start();
  const auto events = store_->last("c").value();
  expect_refusal(change([](Options& one) { one.classes.push_back("perhaps"); }),
                 ErrorCode::invalid_argument, {"more than a running campaign can change"});
  expect_refusal(change([](Options& one) { one.lease = seconds(0); }), ErrorCode::invalid_argument,
                 {"lease"});
  expect_refusal(change([](Options& one) { one.policy = "nope"; }), ErrorCode::invalid_argument,
                 {"nope"});
  ASSERT_TRUE(change([](Options&) {})) << "nothing changes";
  EXPECT_EQ(store_->last("c").value(), events);
  ASSERT_TRUE(campaign_->close("done", now_));
  expect_refusal(change([](Options& one) { one.gold_rate = 0; }), ErrorCode::forbidden, {"closed"});
  ASSERT_TRUE(campaign_->set_page("{}", now_)) << "a page can change after the close";
  expect_verified();
}

class RemarkTest : public CampaignTest {};

TEST_F(RemarkTest, TimesGiveAMedianAndAPayAndNameThoseWhoAreTooFast) {
  Options options = some_options(1000);
  options.price = Money::billionths(50'000'000);  // 0.05
  options.gold_rate = 0;
  start(options, 12);
  const std::pair<const char*, std::uint32_t> usual[]{
      {"ann", 4000}, {"bob", 5000}, {"cid", 6000}, {"dan", 1000}};
  for (const auto& [who, milliseconds] : usual) {
    std::uint32_t n = 0;
    for (const Assignment& one : next(who, 11).assignments) {
      const std::uint32_t time = ++n == 1 ? 60'000 : milliseconds;
      ASSERT_TRUE(campaign_->record(Answer{one.item, who, "yes", {time}}, now_));
    }
  }
  ASSERT_TRUE(answer(item_for("eve"), "eve"));
  const auto rows = campaign_->view().workers().value();
  EXPECT_EQ(rows[0].seconds, 4.0) << "one long look does not count";
  EXPECT_EQ(rows[3].seconds, 1.0);
  EXPECT_EQ(rows[4].seconds, std::nullopt);
  // 11 labels at 0.05 in 60 + 10 * 4 seconds.
  EXPECT_EQ(rows[0].pay_per_hour, Money::billionths(19'800'000'000));
  EXPECT_FALSE(rows[0].too_fast);
  EXPECT_TRUE(rows[3].too_fast);
  expect_verified();
}

TEST_F(RemarkTest, SkipsCanSayWhy) {
  start();
  const std::string item = item_for("ann");
  expect_refusal(campaign_->skip(item, "ann", now_, {}, {0, "boring", ""}),
                 ErrorCode::invalid_argument, {"'boring'", "unclear"});
  std::string long_note;
  for (int n = 0; n < 500; ++n) long_note += "ü";
  expect_refusal(campaign_->skip(item, "ann", now_, {}, {0, "other", long_note + "x"}),
                 ErrorCode::invalid_argument, {"501", "500"});
  ASSERT_TRUE(campaign_->skip(item, "ann", now_, {}, {1200, "none", long_note}));
  const auto events = campaign_->view().events(0, 100).value();
  const auto& skipped = std::get<Skipped>(events.back().event);
  EXPECT_EQ(skipped.remark, (Remark{1200, "none", long_note}));
  expect_refusal(
      campaign_->record(Answer{item_for("ann"), "ann", "yes", {0, "", long_note + "x"}}, now_),
      ErrorCode::invalid_argument, {"501"});
}

}  // namespace
}  // namespace allot::campaign::option_change_test
