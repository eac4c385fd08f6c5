// Stop rules settle items and pause the campaign.
#include "campaign/campaign_fixture.hpp"

namespace allot::campaign::campaign_stop_test {
namespace {

using CampaignStops = CampaignTest;

TEST_F(CampaignStops, StopsWhenTheAnswersAreGoodEnoughAndGoesOnWhenTheyAreNot) {
  Options options = some_options();
  options.stop.accuracy = 0.9;
  options.lower_end = false;  // known answers would take many more items
  options.ties = policy::TieBreak::first;
  start(options, 2);
  int labels = 0;
  Result<Handout> handed = campaign_->next("ann", 1, now_);
  for (int n = 1; handed; handed = campaign_->next("w" + std::to_string(n++), 1, now_)) {
    const std::string worker = n == 1 ? "ann" : "w" + std::to_string(n - 1);
    ASSERT_TRUE(answer(handed->assignments.front().item, worker));
    ASSERT_LT(++labels, 20);
  }
  expect_refusal(handed, ErrorCode::forbidden, {"paused", "stop rule 'accuracy'"});
  EXPECT_GE(status().expected_accuracy, 0.9);
  EXPECT_EQ(status().phase, Phase::paused);
  EXPECT_EQ(status().reason, "accuracy");
  EXPECT_EQ(status().labels, static_cast<std::uint64_t>(labels));
  std::vector<Event> pauses;
  ASSERT_TRUE(campaign_->view().replay([&](const LedgerEntry& one) {
    const Event& event = one.event;
    if (std::holds_alternative<Paused>(event)) pauses.push_back(event);
  }));
  EXPECT_EQ(pauses, std::vector<Event>{Paused{"accuracy"}});
  ASSERT_TRUE(campaign_->add_items(some_items(2, 2), now_));
  EXPECT_EQ(next("ann").assignments.size(), 1U);
  EXPECT_EQ(status().phase, Phase::running);
  EXPECT_EQ(status().reason, "");
  expect_verified();
}

TEST_F(CampaignStops, PausedByHandItStaysPausedWhateverTheRulesSay) {
  Options options = some_options();
  options.stop.accuracy = 0.1;  // before the first label
  start(options);
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::forbidden, {"'accuracy'"});
  ASSERT_TRUE(campaign_->pause(now_));
  EXPECT_EQ(status().reason, "");
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::forbidden, {"is paused; no items"});
  EXPECT_EQ(status().events, 5U);  // created, items, paused, resumed, paused
  ASSERT_TRUE(campaign_->resume(now_));
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::forbidden, {"'accuracy'"});
  expect_verified();
}

TEST_F(CampaignStops, ItemsWithASureAnswerAreSettled) {
  Options options = some_options();
  options.stop.settled = 0.95;
  start(options, 2);
  int n = 0;
  while (status().phase == Phase::running) {
    const std::string worker = "w" + std::to_string(n++);
    ASSERT_LT(n, 30);
    ASSERT_TRUE(answer(item_for(worker), worker));
  }
  EXPECT_EQ(status().reason, "settled");
  const std::vector<std::pair<std::string, std::uint32_t>> expected{{"certain", 2}};
  EXPECT_EQ(status().finished, expected);
  const auto answers = campaign_->view().answers();
  for (const AnswerRow& row : *answers) EXPECT_EQ(row.finish_reason, "certain");
  // Resumed by hand it is looked at again; a new item is asked about alone.
  ASSERT_TRUE(campaign_->resume(now_));
  EXPECT_FALSE(campaign_->next("ann", 1, now_));
  ASSERT_TRUE(campaign_->add_items(some_items(1, 2), now_));
  EXPECT_EQ(item_for("ann"), "i2");
  expect_refusal(campaign_->settle("i2", "certain", now_), ErrorCode::invalid_argument,
                 {"certain"});
  expect_verified();
}

TEST_F(CampaignStops, LabelsThatAreNotWorthTheirPriceAreNotAskedFor) {
  Options options = some_options();
  options.stop.worth = Money::whole(2);  // a label costs 1, and gains less than half an answer
  start(options, 3);
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::forbidden, {"stop rule 'worth'"});
  EXPECT_EQ(status().reason, "worth");
  ASSERT_TRUE(campaign_->set_price("cheap", parse_price("0.01").value(), now_));
  EXPECT_EQ(next("cheap", 1).assignments.size(), 1U);
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::forbidden,
                 {"'ann'", "worth its price of 1", "worth 2"});
  EXPECT_EQ(status().phase, Phase::running);
  expect_verified();
}

TEST_F(CampaignStops, RulesThatMakeNoSenseAreRefused) {
  Options options = some_options();
  options.stop.settled = 0.5;
  expect_refusal(check(options), ErrorCode::invalid_argument, {"0.5"});
  options.stop = {1.5, {}, {}};
  expect_refusal(check(options), ErrorCode::invalid_argument, {"1.5"});
  options.stop = {{}, {}, Money()};
  expect_refusal(check(options), ErrorCode::invalid_argument, {"worth 0"});
  options.stop.worth = Money::whole(1);
  EXPECT_TRUE(check(options));
  options.classes = {"a", "b", "c"};
  expect_refusal(check(options), ErrorCode::invalid_argument, {"for binary items"});
}

}  // namespace
}  // namespace allot::campaign::campaign_stop_test
