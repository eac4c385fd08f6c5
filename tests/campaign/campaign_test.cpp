// Items come in, workers get them, limits and prices hold.
#include <set>

#include "campaign/campaign_fixture.hpp"

namespace allot::campaign::campaign_test {
namespace {

TEST_F(CampaignTest, NamesAreTakenOnce) {
  start();
  expect_refusal(Campaign::create(*store_, "c", some_options(), now_), ErrorCode::conflict,
                 {"'c' exists already"});
  expect_refusal(Campaign::open(*store_, "d"), ErrorCode::not_found, {"no campaign 'd'"});
  Options wrong = some_options();
  wrong.policy = "opt-kgg";
  expect_refusal(Campaign::create(*store_, "e", wrong, now_), ErrorCode::invalid_argument,
                 {"opt-kgg", "opt-kg"});
  wrong = some_options();
  wrong.classes = {"a", "a"};
  expect_refusal(Campaign::create(*store_, "e", wrong, now_), ErrorCode::invalid_argument,
                 {"'a' comes twice"});
}

TEST_F(CampaignTest, BeginsWithAllItsItemsAndPricesOrNotAtAll) {
  const auto items = some_items(3);
  auto twice = items;
  twice.push_back(items.front());
  auto unknown = items;
  unknown.back().gold = "maybe";
  using Prices = std::vector<std::pair<std::string, Money>>;
  const Prices prices{{"ann", Money::whole(2)}, {"bob", Money::whole(3)}};
  const Prices negative{{"ann", Money::whole(2)}, {"bob", Money() - Money::whole(1)}};
  const Prices nobody{{"ann", Money::whole(2)}, {"", Money::whole(1)}};
  const auto create = [&](const std::vector<ItemDraft>& with, const Prices& and_prices) {
    return Campaign::create(*store_, "c", some_options(), now_, {with, and_prices});
  };
  expect_refusal(create(twice, prices), ErrorCode::conflict, {"'i0' comes twice"});
  expect_refusal(create(unknown, prices), ErrorCode::invalid_argument, {"'maybe'"});
  expect_refusal(create(items, negative), ErrorCode::invalid_argument, {"the price -1"});
  expect_refusal(create(items, nobody), ErrorCode::invalid_argument, {"a worker needs a name"});
  EXPECT_TRUE(store_->campaigns()->empty());
  EXPECT_FALSE(store_->content("c", 0)->has_value());
  campaign_ = create(items, prices).value();
  EXPECT_EQ(status().items, 3U);
  EXPECT_EQ(next("bob").assignments.at(0).price, Money::whole(3));
  EXPECT_EQ(next("eve").assignments.at(0).price, Money::whole(1));
  expect_refusal(create(items, prices), ErrorCode::conflict, {"'c' exists already"});
  expect_verified();
}

TEST_F(CampaignTest, ItemsAreAddedAllOrNone) {
  start();
  auto items = some_items(2, 10);
  items.push_back(items.front());
  expect_refusal(campaign_->add_items(items, now_), ErrorCode::conflict, {"'i10' comes twice"});
  expect_refusal(campaign_->add_items(some_items(2, 4), now_), ErrorCode::conflict,
                 {"'i4' is there already"});
  items = some_items(1, 20);
  items.front().gold = "maybe";
  expect_refusal(campaign_->add_items(items, now_), ErrorCode::invalid_argument,
                 {"'maybe'", "'no' or 'yes'"});
  EXPECT_EQ(status().items, 5U);
  ASSERT_TRUE(campaign_->add_items(some_items(2, 10), now_, "k"));
  ASSERT_TRUE(campaign_->add_items(some_items(2, 10), now_, "k"));  // once is enough
  EXPECT_EQ(status().items, 7U);
}

TEST_F(CampaignTest, FieldsAreAJsonObjectOrEmpty) {
  start();
  const auto add = [&](const std::string& fields) {
    const ItemDraft item{.id = "new", .fields = fields};
    return campaign_->add_items(std::span(&item, 1), now_);
  };
  for (const char* fields : {"text 8", "[1]", "{", R"("text")"}) {
    expect_refusal(add(fields), ErrorCode::invalid_argument,
                   {"the fields", "of item 'new' are no JSON object", R"({"text": "..."})"});
  }
  EXPECT_TRUE(add(""));
}

TEST_F(CampaignTest, HandsOutItemsWithTheirContentAndTakesAnswers) {
  start();
  const Handout handed = next("ann");
  ASSERT_EQ(handed.assignments.size(), 1U);
  const Assignment& one = handed.assignments.front();
  EXPECT_EQ(one.fields, R"({"text": ")" + one.item + R"("})");
  EXPECT_EQ(one.price, Money::whole(1));
  EXPECT_EQ(one.expires, kStart + minutes(10));
  EXPECT_EQ(one.reason, LeaseReason::chosen);
  EXPECT_EQ(status().reserved, Money::whole(1));
  EXPECT_EQ(answer(one.item, "ann").value(), Outcome::recorded);
  EXPECT_EQ(status().reserved, Money());
  EXPECT_EQ(status().spent, Money::whole(1));
  EXPECT_EQ(status().labels, 1U);
  expect_verified();
}

TEST_F(CampaignTest, AWorkerGetsEveryItemOnce) {
  start();
  std::set<std::string> items;
  const Handout handed = next("ann", 9);
  for (const Assignment& one : handed.assignments) items.insert(one.item);
  EXPECT_EQ(items.size(), 5U);
  EXPECT_EQ(handed.assignments.size(), 5U);
  EXPECT_NE(handed.shortfall.find("no item left for worker 'ann'"), std::string::npos);
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::not_found, {"no item left"});
  for (const std::string& item : items) ASSERT_TRUE(answer(item, "ann"));
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::not_found, {"no item left"});
}

TEST_F(CampaignTest, AKeyIsOfOneRequest) {
  start();
  const Handout handed = next("ann", 2, "n");
  const std::string one = handed.assignments.at(0).item, two = handed.assignments.at(1).item;
  EXPECT_EQ(answer(one, "ann", "yes", false, "k").value(), Outcome::recorded);
  EXPECT_EQ(answer(one, "ann", "yes", false, "k").value(), Outcome::recorded);
  expect_refusal(answer(two, "ann", "yes", false, "k"), ErrorCode::key_reused,
                 {"'k' was used for another request"});
  expect_refusal(answer(one, "ann", "no", true, "k"), ErrorCode::key_reused, {"'k'"});
  expect_refusal(answer(two, "ann", "yes", false, "n"), ErrorCode::key_reused, {"'n'"});
  expect_refusal(campaign_->next("ann", 1, now_, "k"), ErrorCode::key_reused, {"'k'"});
  expect_refusal(campaign_->add_items(some_items(1, 20), now_, "k"), ErrorCode::key_reused,
                 {"'k'"});
  // Of a request that is made again and has more in it than before, the new part is refused.
  const std::vector<Answer> both{{one, "ann", "yes"}, {two, "ann", "yes"}};
  const auto outcomes = campaign_->record(both, now_, false, "k");
  EXPECT_EQ(outcomes[0].value(), Outcome::recorded);
  expect_refusal(outcomes[1], ErrorCode::conflict, {two, "expected a new key"});
  EXPECT_EQ(status().labels, 1U);
  ASSERT_TRUE(campaign_->add_items(some_items(2, 20), now_, "a"));
  EXPECT_TRUE(campaign_->add_items(some_items(2, 20), now_, "a"));
  expect_refusal(campaign_->add_items(some_items(2, 30), now_, "a"), ErrorCode::key_reused,
                 {"'a'"});
  EXPECT_EQ(status().items, 7U);
}

TEST_F(CampaignTest, ADoubleClickIsOneRequest) {
  start();
  const Handout one = next("ann", 2, "click"), again = next("ann", 2, "click");
  ASSERT_EQ(again.assignments.size(), 2U);
  for (std::size_t n = 0; n < 2; ++n) {
    EXPECT_EQ(again.assignments[n].item, one.assignments[n].item);
    EXPECT_EQ(again.assignments[n].fields, one.assignments[n].fields);
  }
  EXPECT_EQ(status().leases, 2U);
  expect_refusal(campaign_->next("bob", 1, now_, "click"), ErrorCode::key_reused,
                 {"'click'", "'ann'", "'bob'"});
  const std::string item = one.assignments[0].item;
  EXPECT_EQ(answer(item, "ann", "yes", false, "a1").value(), Outcome::recorded);
  EXPECT_EQ(answer(item, "ann", "no", true).value(), Outcome::revised);
  EXPECT_EQ(answer(item, "ann", "yes", false, "a1").value(), Outcome::recorded);
  EXPECT_EQ(status().labels, 1U);
  // A worker who is known by then gets the key on the first item.
  const Handout two = next("ann", 1, "click2"), too = next("ann", 1, "click2");
  EXPECT_EQ(two.assignments.at(0).item, too.assignments.at(0).item);
  expect_verified();
}

TEST_F(CampaignTest, ARequestThatWasRefusedMayBeMadeAgain) {
  start(some_options(0));
  EXPECT_FALSE(campaign_->next("ann", 1, now_, "k"));
  ASSERT_TRUE(campaign_->set_budget(Money::whole(1), now_));
  EXPECT_EQ(next("ann", 1, "k").assignments.size(), 1U);
  EXPECT_EQ(next("ann", 1, "k").assignments.size(), 1U);
  EXPECT_EQ(status().leases, 1U);
}

TEST_F(CampaignTest, ItemsLeasedToOthersComeLast) {
  start(some_options(), 3);
  std::set<std::string> first;
  for (const char* worker : {"a", "b", "c"}) first.insert(item_for(worker));
  EXPECT_EQ(first.size(), 3U);
  const Handout fourth = next("d", 3);
  ASSERT_EQ(fourth.assignments.size(), 3U);
  for (const Assignment& one : fourth.assignments) EXPECT_EQ(one.reason, LeaseReason::waiting);
  // An item that came back is free again.
  const std::string free = *first.begin();
  const auto state_of = [&](const std::string& item) {
    return campaign_->view().explain(item).value().pending;
  };
  EXPECT_EQ(state_of(free), 2U);
  expect_verified();
}

TEST_F(CampaignTest, LimitsOfItemsAndWorkersCountLeases) {
  Options options = some_options();
  options.labels_per_item = 2;
  options.labels_per_worker = 3;
  start(options, 4);
  EXPECT_EQ(next("a", 9).assignments.size(), 3U);
  expect_refusal(campaign_->next("a", 1, now_), ErrorCode::forbidden, {"'a'", "at most 3"});
  EXPECT_EQ(next("b", 9).assignments.size(), 3U);
  EXPECT_EQ(next("c", 9).assignments.size(), 2U);
  expect_refusal(campaign_->next("d", 1, now_), ErrorCode::not_found, {"no item left"});
  expect_verified();
}

TEST_F(CampaignTest, PricesAreExactAndTheBudgetIsNeverOverspent) {
  Options options = some_options(1);
  options.price = parse_price("0.1").value();
  start(options, 20);
  ASSERT_TRUE(campaign_->set_price("expert", parse_price("0.35").value(), now_));
  EXPECT_EQ(next("expert", 2).assignments.size(), 2U);
  const Handout rest = next("ann", 20);
  EXPECT_EQ(rest.assignments.size(), 3U);
  EXPECT_NE(rest.shortfall.find("0 is left"), std::string::npos) << rest.shortfall;
  EXPECT_EQ(status().left, Money());
  expect_refusal(campaign_->set_budget(parse_money("0.99").value(), now_), ErrorCode::conflict,
                 {"0.99", "at least 1", "reserved 1"});
  ASSERT_TRUE(campaign_->set_budget(parse_money("1.1").value(), now_));
  EXPECT_EQ(next("ann", 20).assignments.size(), 1U);
  expect_verified();
}

TEST_F(CampaignTest, ItemsMayHavePricesOfTheirOwn) {
  Options options = some_options(3);
  start(options, 0);
  auto items = some_items(4);
  for (int i = 0; i < 3; ++i) items[static_cast<std::size_t>(i)].price = Money::whole(5);
  ASSERT_TRUE(campaign_->add_items(items, now_));
  const Handout handed = next("ann", 4);
  ASSERT_EQ(handed.assignments.size(), 1U);
  EXPECT_EQ(handed.assignments.front().item, "i3");
  ASSERT_TRUE(campaign_->set_budget(Money::whole(6), now_));
  EXPECT_EQ(next("ann", 4).assignments.front().price, Money::whole(5));
  expect_verified();
}

TEST_F(CampaignTest, SaysWhetherItemsOrMoneyAreOut) {
  Options options = some_options(4);
  options.price = Money::whole(9);
  campaign_ = Campaign::create(*store_, "c", options, now_).value();
  auto items = some_items(2);
  items[0].price = Money::whole(1);
  items[1].price = Money::whole(5);
  ASSERT_TRUE(campaign_->add_items(items, now_));
  EXPECT_EQ(item_for("ann"), "i0");
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::budget_exhausted,
                 {"a label of worker 'ann' costs 5", "3 is left"});
  ASSERT_TRUE(campaign_->settle("i1", "", now_));
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::not_found, {"no item left for worker"});
}

TEST_F(CampaignTest, PausedHandsOutNothingAndTakesAnswers) {
  start();
  const std::string item = item_for("ann");
  ASSERT_TRUE(campaign_->pause(now_));
  ASSERT_TRUE(campaign_->pause(now_));
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::forbidden, {"'c' is paused"});
  EXPECT_TRUE(answer(item, "ann"));
  ASSERT_TRUE(campaign_->resume(now_));
  EXPECT_TRUE(campaign_->next("ann", 1, now_));
}

TEST_F(CampaignTest, ClosedIsForGood) {
  start();
  const std::string item = item_for("ann");
  ASSERT_TRUE(campaign_->close("done", now_));
  EXPECT_EQ(status().reserved, Money());
  EXPECT_EQ(status().leases, 0U);
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::forbidden, {"'c' is closed", "done"});
  expect_refusal(answer(item, "ann"), ErrorCode::forbidden, {"closed"});
  expect_refusal(campaign_->resume(now_), ErrorCode::forbidden, {"closed"});
  expect_refusal(campaign_->add_items(some_items(1, 50), now_), ErrorCode::forbidden, {"closed"});
  expect_verified();
}

TEST_F(CampaignTest, ASettledItemIsAskedNoMore) {
  start(some_options(), 2);
  ASSERT_TRUE(campaign_->settle("i0", "sure", now_));
  EXPECT_EQ(item_for("ann"), "i1");
  EXPECT_EQ(item_for("bob"), "i1");
  EXPECT_EQ(campaign_->view().explain("i0").value().finish_reason, "sure");
  expect_verified();
}

TEST_F(CampaignTest, ACallerThatCanChooseAsksCheaperWorkers) {
  start(some_options(3), 4);
  for (const std::string worker : {"ann", "bob", "cy"}) {
    ASSERT_TRUE(campaign_->set_price(worker, Money::whole(2), now_));
  }
  ASSERT_TRUE(campaign_->set_price("bob", Money::whole(1), now_));
  EXPECT_EQ(campaign_->view().whom_next().value()->first, "bob");
  ASSERT_TRUE(campaign_->set_price("cy", Money(), now_));
  EXPECT_EQ(campaign_->view().whom_next().value()->first, "cy");
  // A worker whom nobody can pay is left out, and comes back with the money.
  ASSERT_TRUE(campaign_->set_price("cy", Money::whole(9), now_));
  ASSERT_TRUE(campaign_->set_price("bob", Money::whole(9), now_));
  EXPECT_EQ(campaign_->view().whom_next().value()->first, "ann");
  next("ann", 1);
  EXPECT_FALSE(campaign_->view().whom_next().value());
  ASSERT_TRUE(campaign_->set_budget(Money::whole(12), now_));
  EXPECT_EQ(campaign_->view().whom_next().value()->first, "ann");
  EXPECT_EQ(next("bob", 1).assignments.size(), 1U);
  expect_verified();
}

}  // namespace
}  // namespace allot::campaign::campaign_test
