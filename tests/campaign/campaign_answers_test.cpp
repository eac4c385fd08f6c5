// Answers: in time, late, repeated, revised, skipped, from elsewhere.
#include <algorithm>

#include "allot/store/memory_store.hpp"
#include "campaign/campaign_fixture.hpp"

namespace allot::campaign::campaign_answers_test {
namespace {

class CampaignAnswers : public CampaignTest {
 protected:
  std::ptrdiff_t clocks_set_back() {
    return std::ranges::count(store_->read("c", 0, 1000).value(), kind(ClockSetBack{}),
                              &store::Record::kind);
  }
};

TEST_F(CampaignAnswers, TheSameAnswerTwiceIsOneLabelAndAnotherIsRefusedUnlessRevised) {
  start();
  const std::string item = item_for("ann");
  ASSERT_TRUE(answer(item, "ann", "yes"));
  EXPECT_EQ(answer(item, "ann", "yes").value(), Outcome::already);
  expect_refusal(answer(item, "ann", "no"), ErrorCode::conflict,
                 {"'ann'", "'" + item + "'", "as 'yes'", "to change it to 'no'"});
  EXPECT_EQ(answer(item, "ann", "no", true).value(), Outcome::revised);
  EXPECT_EQ(status().labels, 1U);
  EXPECT_EQ(status().spent, Money::whole(1));
  const auto rows = campaign_->view().answers().value();
  const auto row = std::ranges::find(rows, item, &AnswerRow::item);
  EXPECT_EQ(row->answer, ClassId{0});
  expect_verified();
}

TEST_F(CampaignAnswers, ALabelOfAGoldItemIsRevisedAsAnyOther) {
  for (const model::Refit refit : {model::Refit::off, model::Refit::integrated}) {
    store_ = store::memory_store();
    Options options = some_options();
    options.gold_rate = 1;
    options.refit = refit;
    auto items = some_items(3);
    items[0].gold = "yes";
    now_ = kStart;
    campaign_ = *Campaign::create(*store_, "c", options, now_, {items, {}});
    ASSERT_EQ(item_for("ann"), "i0");
    ASSERT_TRUE(answer("i0", "ann", "no"));
    const double before = campaign_->view().workers()->at(0).reliability;
    EXPECT_EQ(campaign_->view().workers()->at(0).facts.gold_right, 0U);
    EXPECT_EQ(answer("i0", "ann", "yes", true).value(), Outcome::revised);
    EXPECT_EQ(campaign_->view().workers()->at(0).facts.gold_right, 1U);
    EXPECT_EQ(campaign_->view().workers()->at(0).facts.gold, 1U);
    EXPECT_GT(campaign_->view().workers()->at(0).reliability, before);
    expect_verified();
  }
}

TEST_F(CampaignAnswers, RefusesWhatItDoesNotKnow) {
  start();
  const std::string item = item_for("ann");
  expect_refusal(answer("i99", "ann"), ErrorCode::not_found, {"'i99'", "one of 5 items"});
  expect_refusal(answer(item, "ann", "maybe"), ErrorCode::invalid_argument,
                 {"unknown label 'maybe'", "'no' or 'yes'"});
  expect_refusal(answer(item, "bob"), ErrorCode::not_found, {"'bob'"});
  expect_refusal(campaign_->next("", 1, now_), ErrorCode::invalid_argument, {"needs a name"});
  expect_refusal(campaign_->next("ann", 0, now_), ErrorCode::invalid_argument, {"0 items"});
  expect_refusal(campaign_->skip(item, "bob", now_), ErrorCode::not_found, {"'bob'"});
}

TEST_F(CampaignAnswers, AWorkerCannotAnswerTheItemOfAnother) {
  start(some_options(), 2);
  const std::string item = item_for("ann");
  const std::string other = item_for("bob");
  ASSERT_NE(item, other);  // what ann has goes to bob last
  expect_refusal(answer(item, "bob"), ErrorCode::forbidden,
                 {"never leased to worker 'bob'", "it is leased to 'ann'"});
  expect_refusal(campaign_->release(item, "bob", now_), ErrorCode::conflict,
                 {"is not leased to worker 'bob'"});
}

TEST_F(CampaignAnswers, OneOfManyAnswersThatIsWrongDoesNotKeepOutTheOthers) {
  start();
  const Handout handed = next("ann", 2);
  const std::vector<Answer> answers{{handed.assignments[0].item, "ann", "yes"},
                                    {"nothing", "ann", "yes"},
                                    {handed.assignments[1].item, "ann", "no"}};
  const auto outcomes = campaign_->record(answers, now_, false, "file");
  EXPECT_TRUE(outcomes[0]);
  EXPECT_FALSE(outcomes[1]);
  EXPECT_TRUE(outcomes[2]);
  EXPECT_EQ(status().labels, 2U);
}

TEST_F(CampaignAnswers, AnExpiredLeaseGivesItsMoneyAndItemBack) {
  start(some_options(1), 1);
  const std::string item = item_for("ann");
  expect_refusal(campaign_->next("bob", 1, now_), ErrorCode::budget_exhausted,
                 {"costs 1", "budget of 1", "0 is left", "reserved 1"});
  now_ += minutes(10) - seconds(1);
  EXPECT_EQ(campaign_->expire(now_).value(), 0U);
  now_ += seconds(1);
  EXPECT_EQ(item_for("bob"), item);
  ASSERT_TRUE(answer(item, "bob"));
  EXPECT_EQ(status().spent, Money::whole(1));
  // Ann comes late, and the money is gone.
  expect_refusal(answer(item, "ann"), ErrorCode::budget_exhausted,
                 {"came late", "0 of the budget of 1 are left"});
  ASSERT_TRUE(campaign_->set_budget(Money::whole(2), now_));
  EXPECT_EQ(answer(item, "ann").value(), Outcome::recorded);
  EXPECT_EQ(status().spent, Money::whole(2));
  // Finished work is not touched by a timeout.
  now_ += minutes(60);
  EXPECT_EQ(campaign_->expire(now_).value(), 0U);
  EXPECT_EQ(status().labels, 2U);
  expect_verified();
}

TEST_F(CampaignAnswers, ALateAnswerIsRefusedOnceTheItemIsFull) {
  Options options = some_options();
  options.labels_per_item = 1;
  start(options, 1);
  const std::string item = item_for("ann");
  now_ += minutes(11);
  EXPECT_EQ(item_for("bob"), item);
  expect_refusal(answer(item, "ann"), ErrorCode::forbidden,
                 {"came late", "it is leased to others"});
  ASSERT_TRUE(answer(item, "bob"));
  expect_refusal(answer(item, "ann"), ErrorCode::forbidden, {"came late", "full"});
  expect_refusal(campaign_->next("cid", 1, now_), ErrorCode::not_found, {"no item left"});
  EXPECT_EQ(status().finished, (std::vector<std::pair<std::string, std::uint32_t>>{{"full", 1}}));
}

TEST_F(CampaignAnswers, ClocksThatGoBackDoNotBreakLeases) {
  start();
  const std::string item = item_for("ann");
  now_ += minutes(5);
  ASSERT_TRUE(campaign_->set_budget(Money::whole(50), now_));
  now_ -= minutes(30);
  EXPECT_EQ(campaign_->expire(now_).value(), 0U);
  const Handout handed = next("bob");
  // The ledger stands still until the clock has caught up.
  EXPECT_EQ(handed.assignments.front().expires, kStart + minutes(15));
  now_ = kStart + minutes(10);
  EXPECT_EQ(campaign_->expire(now_).value(), 1U);
  expect_verified();
}

TEST_F(CampaignAnswers, AClockThatWasYearsAheadDelaysNoLeaseForYears) {
  start();
  item_for("ann");
  now_ += std::chrono::days(3650);
  const std::string later = item_for("bob");
  ASSERT_NE(later, "");
  EXPECT_TRUE(campaign_->view().leases("ann").value().empty()) << "the lease was over by the clock";
  now_ = kStart + minutes(2);
  // Without a lease nothing has to happen; with one, its end comes near.
  EXPECT_EQ(campaign_->expire(now_).value(), 0U);
  EXPECT_EQ(campaign_->view().leases("bob").value().front().expires, now_ + minutes(10));
  EXPECT_EQ(next("cid").assignments.front().expires, now_ + minutes(10));
  now_ += minutes(9);
  EXPECT_EQ(campaign_->expire(now_).value(), 0U);
  now_ += minutes(1);
  EXPECT_EQ(campaign_->expire(now_).value(), 2U);
  EXPECT_EQ(status().reserved, Money());
  EXPECT_EQ(clocks_set_back(), 1);
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(status().reserved, Money());
  expect_verified();
}

TEST_F(CampaignAnswers, ALabelDatesFromTheClockOnceItWasSetBack) {
  start();
  const std::string item = item_for("ann");
  now_ += std::chrono::days(3650);
  ASSERT_TRUE(campaign_->set_budget(Money::whole(50), now_));
  now_ = kStart + minutes(2);
  ASSERT_TRUE(answer(item, "ann"));
  EXPECT_EQ(campaign_->view().read([](const State& state) { return state.time(); }).value(), now_);
  // An hour behind could be another machine: time stands still.
  now_ -= std::chrono::hours(1);
  ASSERT_TRUE(answer(item_for("bob"), "bob"));
  EXPECT_EQ(clocks_set_back(), 1);
  expect_verified();
}

TEST_F(CampaignAnswers, ASkippedItemDoesNotComeBackAReleasedOneMay) {
  start(some_options(), 1);
  const std::string item = item_for("ann");
  ASSERT_TRUE(campaign_->release(item, "ann", now_));
  EXPECT_EQ(status().reserved, Money());
  EXPECT_EQ(item_for("ann"), item);
  ASSERT_TRUE(campaign_->skip(item, "ann", now_));
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::not_found, {"no item left"});
  expect_refusal(answer(item, "ann"), ErrorCode::conflict, {"skipped"});
  EXPECT_EQ(item_for("bob"), item);
  expect_verified();
}

TEST_F(CampaignAnswers, ASkipThatIsTakenBackLetsTheItemComeAgain) {
  start(some_options(), 2);
  const std::string item = item_for("ann");
  expect_refusal(campaign_->unskip(std::vector{item}, "ann", now_), ErrorCode::conflict,
                 {"'ann'", "has not skipped"});
  ASSERT_TRUE(campaign_->skip(item, "ann", now_));
  const std::uint64_t events = status().events;
  expect_refusal(campaign_->unskip(std::vector<std::string>{item, "i9"}, "ann", now_),
                 ErrorCode::not_found, {"'i9'"});
  EXPECT_EQ(status().events, events) << "all or none";
  ASSERT_TRUE(campaign_->unskip(std::vector{item, item}, "ann", now_));
  EXPECT_EQ(status().events, events + 1) << "named twice is once";
  const std::string first = item_for("ann"), second = item_for("ann");
  EXPECT_TRUE(first == item || second == item);
  ASSERT_TRUE(answer(item, "ann"));
  expect_refusal(campaign_->unskip(std::vector{item}, "ann", now_), ErrorCode::conflict, {"'ann'"});
  const std::string other = first == item ? second : first;
  ASSERT_TRUE(campaign_->skip(other, "ann", now_, "", {0, std::string(kUnsure), ""}));
  expect_refusal(campaign_->unskip(std::vector{other}, "ann", now_), ErrorCode::conflict,
                 {"abstention"});
  expect_verified();
}

TEST_F(CampaignAnswers, OfSeveralItemsOrPricesAllOrNone) {
  Options options = some_options();
  options.ties = policy::TieBreak::first;
  start(options);
  next("ann", 3);
  const std::vector<Assignment> leases = campaign_->view().leases("ann").value();
  std::vector<std::string> held;
  for (const Assignment& one : leases) held.push_back(one.item);
  auto more = held;
  more.push_back("i4");
  const std::uint64_t events = status().events;
  expect_refusal(campaign_->skip(more, "ann", now_), ErrorCode::conflict,
                 {"item 'i4' is not leased to worker 'ann'"});
  expect_refusal(campaign_->release(more, "ann", now_), ErrorCode::conflict, {"'i4'"});
  expect_refusal(campaign_->settle(std::vector<std::string>{"i0", "i9"}, "", now_),
                 ErrorCode::not_found, {"'i9'"});
  const std::vector<std::pair<std::string, Money>> prices{{"bob", Money::whole(2)},
                                                          {"cat", Money() - Money::whole(1)}};
  expect_refusal(campaign_->set_prices(prices, now_), ErrorCode::invalid_argument, {"-1"});
  EXPECT_EQ(status().events, events);
  // Named twice is once.
  ASSERT_TRUE(campaign_->release(std::vector{held[0], held[0]}, "ann", now_));
  ASSERT_TRUE(campaign_->skip(std::span(held).subspan(1), "ann", now_));
  ASSERT_TRUE(campaign_->settle(held, "unclear", now_));
  expect_refusal(campaign_->settle(std::vector<std::string>{"i4", held[0]}, "", now_),
                 ErrorCode::conflict, {"finished already (unclear)", "one that is not"});
  EXPECT_EQ(status().events, events + 6);
  EXPECT_EQ(status().leases, 0U);
  expect_verified();
}

TEST_F(CampaignAnswers, LabelsFromElsewhereCostNothing) {
  start(some_options(0));
  const std::vector<Answer> labels{{"i0", "old", "yes"},
                                   {"i1", "old", "no"},
                                   {"i0", "old", "yes"},
                                   {"i0", "old", "no"},
                                   {"x", "old", "no"}};
  const auto outcomes = campaign_->import(labels, now_);
  EXPECT_EQ(outcomes[0].value(), Outcome::recorded);
  EXPECT_EQ(outcomes[2].value(), Outcome::already);
  expect_refusal(outcomes[3], ErrorCode::conflict, {"as 'yes'"});
  expect_refusal(outcomes[4], ErrorCode::not_found, {"'x'"});
  EXPECT_EQ(status().labels, 2U);
  EXPECT_EQ(status().imported, 2U);
  EXPECT_EQ(status().spent, Money());
  expect_verified();
}

TEST_F(CampaignAnswers, GoldTestsWorkersAndSeeksNoAnswers) {
  Options options = some_options(1000);
  options.gold_rate = 0.5;
  start(options, 40);
  auto gold = some_items(40, 100);
  for (ItemDraft& item : gold) item.gold = "yes";
  ASSERT_TRUE(campaign_->add_items(gold, now_));
  int tries = 0;
  for (const char* worker : {"good", "bad"}) {
    for (const Assignment& one : next(worker, 40).assignments) {
      const bool is_gold = one.item.size() == 4;
      EXPECT_EQ(one.reason == LeaseReason::gold, is_gold);
      tries += is_gold;
      ASSERT_TRUE(answer(one.item, worker, is_gold && worker == std::string("bad") ? "no" : "yes"));
    }
  }
  EXPECT_GT(tries, 20);  // 40 expected, standard deviation 4.5
  EXPECT_LT(tries, 60);
  const auto workers = campaign_->view().workers().value();
  EXPECT_EQ(workers[0].facts.gold_right, workers[0].facts.gold);
  EXPECT_EQ(workers[1].facts.gold_right, 0U);
  EXPECT_GT(workers[0].reliability, workers[1].reliability + 0.1);
  EXPECT_EQ(campaign_->view().answers()->size(), 40U);
  EXPECT_EQ(status().gold_labels, static_cast<std::uint64_t>(tries));
  expect_verified();
}

}  // namespace
}  // namespace allot::campaign::campaign_answers_test
