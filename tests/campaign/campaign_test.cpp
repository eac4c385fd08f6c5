#include "allot/campaign/campaign.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "allot/base/rng.hpp"
#include "allot/policy/bound.hpp"

namespace allot::campaign {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const Time kStart(std::chrono::microseconds(1'700'000'000'000'000));

Options some_options(std::uint64_t budget = 100) {
  Options options;
  options.budget = Money::whole(budget);
  options.lease = minutes(10);
  return options;
}

std::vector<ItemDraft> some_items(int count, int from = 0) {
  std::vector<ItemDraft> items;
  for (int i = from; i < from + count; ++i) {
    ItemDraft item;
    item.id = "i" + std::to_string(i);
    item.fields = "text of " + item.id;
    items.push_back(item);
  }
  return items;
}

class CampaignTest : public testing::Test {
 protected:
  std::unique_ptr<store::Store> store_ = store::memory_store();
  std::unique_ptr<Campaign> campaign_;
  Time now_ = kStart;

  void start(const Options& options = some_options(), int items = 5) {
    auto made = Campaign::create(*store_, "c", options, now_);
    ASSERT_TRUE(made) << made.error().message;
    campaign_ = std::move(*made);
    const auto added = campaign_->add_items(some_items(items), now_);
    ASSERT_TRUE(added) << added.error().message;
  }

  Handed next(const std::string& worker, std::uint32_t count = 1, const std::string& key = "") {
    auto handed = campaign_->next(worker, count, now_, key);
    EXPECT_TRUE(handed) << handed.error().message;
    return handed ? std::move(*handed) : Handed{};
  }
  std::string item_for(const std::string& worker) { return next(worker).assignments.at(0).item; }

  Result<Outcome> answer(const std::string& item, const std::string& worker,
                         const std::string& label = "yes", bool revise = false,
                         const std::string& key = "") {
    return campaign_->record(Answer{item, worker, label}, now_, revise, key);
  }
  Status status() { return campaign_->status().value(); }

  template <typename T>
  static void expect_refusal(const Result<T>& result, ErrorCode code,
                             const std::vector<std::string>& words) {
    ASSERT_FALSE(result) << words.front();
    EXPECT_EQ(result.error().code, code) << result.error().message;
    for (const std::string& word : words) {
      EXPECT_NE(result.error().message.find(word), std::string::npos) << result.error().message;
    }
  }

  void expect_verified() {
    const auto result = campaign_->verify();
    ASSERT_TRUE(result) << result.error().message;
    for (const std::string& line : result->differences) ADD_FAILURE() << line;
  }
};

TEST_F(CampaignTest, HandsOutItemsWithTheirContentAndTakesAnswers) {
  start();
  const Handed handed = next("ann");
  ASSERT_EQ(handed.assignments.size(), 1U);
  const Assignment& one = handed.assignments.front();
  EXPECT_EQ(one.fields, "text of " + one.item);
  EXPECT_EQ(one.price, Money::whole(1));
  EXPECT_EQ(one.expires, kStart + minutes(10));
  EXPECT_EQ(one.why, Why::chosen);
  EXPECT_EQ(status().reserved, Money::whole(1));
  EXPECT_EQ(answer(one.item, "ann").value(), Outcome::recorded);
  EXPECT_EQ(status().reserved, Money());
  EXPECT_EQ(status().spent, Money::whole(1));
  EXPECT_EQ(status().labels, 1U);
  expect_verified();
}

TEST_F(CampaignTest, AKeyIsOfOneRequest) {
  start();
  const Handed handed = next("ann", 2, "n");
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

TEST_F(CampaignTest, AgreementIsWithTheOthers) {
  start();
  const std::vector<Answer> labels{{"i0", "ann", "yes"}, {"i0", "bob", "yes"}, {"i0", "cid", "no"},
                                   {"i1", "ann", "no"},  {"i1", "bob", "yes"}, {"i2", "cid", "no"}};
  for (const auto& outcome : campaign_->import(labels, now_)) ASSERT_TRUE(outcome);
  const auto rows = campaign_->workers().value();
  // i0: of bob and cid one says yes, so half; i1: bob says no such thing.
  EXPECT_DOUBLE_EQ(rows[0].agreement.value(), 0.25);
  EXPECT_DOUBLE_EQ(rows[1].agreement.value(), 0.25);
  EXPECT_DOUBLE_EQ(rows[2].agreement.value(), 0);
}

TEST_F(CampaignTest, NamesAreTakenOnce) {
  start();
  expect_refusal(Campaign::create(*store_, "c", some_options(), now_), ErrorCode::conflict,
                 {"'c' is there already"});
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
  unknown.back().truth = "maybe";
  using Prices = std::vector<std::pair<std::string, Money>>;
  const Prices prices{{"ann", Money::whole(2)}, {"bob", Money::whole(3)}};
  const Prices negative{{"ann", Money::whole(2)}, {"bob", Money() - Money::whole(1)}};
  const Prices nobody{{"ann", Money::whole(2)}, {"", Money::whole(1)}};
  const auto create = [&](const std::vector<ItemDraft>& with, const Prices& and_prices) {
    return Campaign::create(*store_, "c", some_options(), now_, {with, and_prices});
  };
  expect_refusal(create(twice, prices), ErrorCode::conflict, {"'i0' comes twice"});
  expect_refusal(create(unknown, prices), ErrorCode::invalid_argument, {"'maybe'"});
  expect_refusal(create(items, negative), ErrorCode::invalid_argument, {"a price of -1"});
  expect_refusal(create(items, nobody), ErrorCode::invalid_argument, {"a worker needs a name"});
  EXPECT_TRUE(store_->campaigns()->empty());
  EXPECT_FALSE(store_->content("c", 0)->has_value());
  campaign_ = create(items, prices).value();
  EXPECT_EQ(status().items, 3U);
  EXPECT_EQ(next("bob").assignments.at(0).price, Money::whole(3));
  EXPECT_EQ(next("eve").assignments.at(0).price, Money::whole(1));
  expect_refusal(create(items, prices), ErrorCode::conflict, {"'c' is there already"});
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
  items.front().truth = "maybe";
  expect_refusal(campaign_->add_items(items, now_), ErrorCode::invalid_argument,
                 {"'maybe'", "'no', 'yes'"});
  EXPECT_EQ(status().items, 5U);
  ASSERT_TRUE(campaign_->add_items(some_items(2, 10), now_, "k"));
  ASSERT_TRUE(campaign_->add_items(some_items(2, 10), now_, "k"));  // once is enough
  EXPECT_EQ(status().items, 7U);
}

TEST_F(CampaignTest, AWorkerGetsEveryItemOnce) {
  start();
  std::set<std::string> items;
  const Handed handed = next("ann", 9);
  for (const Assignment& one : handed.assignments) items.insert(one.item);
  EXPECT_EQ(items.size(), 5U);
  EXPECT_EQ(handed.assignments.size(), 5U);
  EXPECT_NE(handed.shortfall.find("nothing left to ask worker 'ann'"), std::string::npos);
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::not_found, {"nothing left"});
  for (const std::string& item : items) ASSERT_TRUE(answer(item, "ann"));
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::not_found, {"nothing left"});
}

TEST_F(CampaignTest, ADoubleClickIsOneRequest) {
  start();
  const Handed one = next("ann", 2, "click"), again = next("ann", 2, "click");
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
  const Handed two = next("ann", 1, "click2"), too = next("ann", 1, "click2");
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

TEST_F(CampaignTest, ReferencesMeasureAnswersAndDecideNothing) {
  const auto play = [&](bool known) {
    store_ = store::memory_store();
    auto items = some_items(8);
    for (std::size_t n = 0; n < items.size(); ++n) {
      if (known && n != 3) items[n].reference = n % 2 == 0 ? "yes" : "no";
    }
    items[7].truth = "yes";
    now_ = kStart;
    campaign_ = *Campaign::create(*store_, "c", some_options(), now_, {items, {}});
    std::vector<std::string> asked;
    for (int n = 0; n < 30; ++n) {
      const std::string worker = n % 3 == 0 ? "ann" : "bob";
      const auto handed = campaign_->next(worker, 1, now_);
      if (!handed) break;
      const std::string item = handed->assignments.at(0).item;
      asked.push_back(item);
      EXPECT_TRUE(answer(item, worker, item < "i4" ? "yes" : "no"));
    }
    return asked;
  };
  const auto without = play(false);
  EXPECT_EQ(status().references, 0U);
  EXPECT_FALSE(status().accuracy);
  EXPECT_EQ(play(true), without);
  EXPECT_EQ(status().references, 6U) << "gold apart";
  double right = 0;
  for (const char* item : {"i0", "i1", "i2", "i4", "i5", "i6"}) {
    const auto p = campaign_->explain(item)->probabilities;
    right += (p[1] > p[0]) == ((item[1] - '0') % 2 == 0);
  }
  EXPECT_DOUBLE_EQ(*status().accuracy, right / 6);
  expect_verified();
  // They are in snapshots as well.
  ASSERT_TRUE(campaign_->save_snapshot());
  const auto opened = *Campaign::open(*store_, "c");
  EXPECT_EQ(opened->status()->accuracy, status().accuracy);
  auto wrong = some_items(1);
  wrong[0].id = "new";
  wrong[0].reference = "maybe";
  expect_refusal(campaign_->add_items(wrong, now_), ErrorCode::invalid_argument, {"'maybe'"});
}

TEST_F(CampaignTest, TellsOfTheLastLabelUntilWhenItsLeaseWouldHaveLasted) {
  start();
  const std::string first = item_for("ann"), second = item_for("ann");
  const auto last = [&] {
    std::optional<std::pair<std::string, Time>> found;
    EXPECT_TRUE(campaign_->read([&](const State& state) {
      const auto& one = state[*state.find_worker("ann")].last;
      if (one) found.emplace(state.id(one->first), one->second);
    }));
    return found;
  };
  const Time end = now_ + some_options().lease;
  EXPECT_FALSE(last());
  ASSERT_TRUE(answer(second, "ann"));
  EXPECT_EQ(last(), std::pair(second, end));
  ASSERT_TRUE(campaign_->save_snapshot());
  campaign_ = *Campaign::open(*store_, "c");
  EXPECT_EQ(last(), std::pair(second, end));
  now_ = end;
  ASSERT_TRUE(answer(first, "ann")) << "late";
  EXPECT_FALSE(last());
}

TEST_F(CampaignTest, ABoardIsWhatIsBelievedOfEveryItem) {
  for (const bool several : {false, true}) {
    store_ = store::memory_store();
    Options options = some_options();
    if (several) options.classes = {"no", "yes", "maybe"};
    options.gold_rate = 0;
    auto items = some_items(6);
    items[2].truth = "yes";
    now_ = kStart;
    campaign_ = *Campaign::create(*store_, "c", options, now_, {items, {}});
    std::vector<Said> said;
    ItemId most{};
    for (int n = 0; n < 15; ++n) {
      const std::string worker = "w" + std::to_string(n % 3);
      const std::string item = item_for(worker);
      ASSERT_TRUE(answer(item, worker, n % 4 == 0 ? "no" : "yes"));
    }
    const Board board = *campaign_->board();
    ASSERT_EQ(board.items.size(), 6U);
    std::uint32_t labels = 0;
    for (std::uint32_t i = 0; i < 6; ++i) {
      const auto why = *campaign_->explain("i" + std::to_string(i));
      labels += board.items[i].labels;
      if (i == 2) {
        EXPECT_EQ(board.items[i].probability, 1);
        continue;
      }
      EXPECT_EQ(board.items[i].probability, std::ranges::max(why.probabilities));
      EXPECT_EQ(board.items[i].probability, why.probabilities[position(board.items[i].answer)]);
      if (board.items[i].labels > board.items[position(most)].labels) most = ItemId{i};
    }
    EXPECT_EQ(labels, 15U);
    // Along the labels of an item: each step is what the outlook of its worker says it does.
    const std::string id = "i" + std::to_string(position(most));
    const auto now = *campaign_->explain(id);
    for (const Share& one : now.shares) said.push_back({one.worker, one.label});
    const auto along = *campaign_->along(most, said);
    ASSERT_EQ(along.size(), said.size());
    for (std::size_t k = 0; k < now.probabilities.size(); ++k) {
      EXPECT_NEAR(along.back()[k], now.probabilities[k], 1e-9) << "the last is what is believed";
    }
    for (std::size_t n = 1; n < said.size(); ++n) {
      const std::string worker = "w" + std::to_string(position(said[n].worker));
      const auto outlook = campaign_->explain(id, worker)->outlook[position(said[n].label)];
      double sum = 0;
      std::vector<double> then(along[n].size());
      for (std::size_t k = 0; k < then.size(); ++k) {
        const double likelihood = outlook.probabilities[k] * outlook.chance / now.probabilities[k];
        sum += then[k] = along[n - 1][k] * likelihood;
      }
      for (std::size_t k = 0; k < then.size(); ++k) {
        EXPECT_NEAR(along[n][k], then[k] / sum, 1e-9);
      }
    }
    EXPECT_TRUE(campaign_->along(ItemId{2}, {})->empty()) << "gold";
  }
}

TEST_F(CampaignTest, ALabelOfAGoldItemIsRevisedAsAnyOther) {
  for (const model::Refit refit : {model::Refit::off, model::Refit::integrated}) {
    store_ = store::memory_store();
    Options options = some_options();
    options.gold_rate = 1;
    options.refit = refit;
    auto items = some_items(3);
    items[0].truth = "yes";
    now_ = kStart;
    campaign_ = *Campaign::create(*store_, "c", options, now_, {items, {}});
    ASSERT_EQ(item_for("ann"), "i0");
    ASSERT_TRUE(answer("i0", "ann", "no"));
    const double before = campaign_->workers()->at(0).reliability;
    EXPECT_EQ(campaign_->workers()->at(0).facts.gold_right, 0U);
    EXPECT_EQ(answer("i0", "ann", "yes", true).value(), Outcome::revised);
    EXPECT_EQ(campaign_->workers()->at(0).facts.gold_right, 1U);
    EXPECT_EQ(campaign_->workers()->at(0).facts.gold, 1U);
    EXPECT_GT(campaign_->workers()->at(0).reliability, before);
    expect_verified();
  }
}

TEST_F(CampaignTest, TheSameAnswerTwiceIsOneLabelAndAnotherIsRefusedUnlessRevised) {
  start();
  const std::string item = item_for("ann");
  ASSERT_TRUE(answer(item, "ann", "yes"));
  EXPECT_EQ(answer(item, "ann", "yes").value(), Outcome::already);
  expect_refusal(answer(item, "ann", "no"), ErrorCode::conflict,
                 {"'ann'", "'" + item + "'", "'yes' before", "'no' is refused"});
  EXPECT_EQ(answer(item, "ann", "no", true).value(), Outcome::revised);
  EXPECT_EQ(status().labels, 1U);
  EXPECT_EQ(status().spent, Money::whole(1));
  const auto rows = campaign_->answers().value();
  const auto row = std::ranges::find(rows, item, &AnswerRow::item);
  EXPECT_EQ(row->answer, ClassId{0});
  expect_verified();
}

TEST_F(CampaignTest, RefusesWhatItDoesNotKnow) {
  start();
  const std::string item = item_for("ann");
  expect_refusal(answer("i99", "ann"), ErrorCode::not_found, {"'i99'", "one of 5 items"});
  expect_refusal(answer(item, "ann", "maybe"), ErrorCode::not_found, {"'maybe'", "'no', 'yes'"});
  expect_refusal(answer(item, "bob"), ErrorCode::not_found, {"'bob'"});
  expect_refusal(campaign_->next("", 1, now_), ErrorCode::invalid_argument, {"needs a name"});
  expect_refusal(campaign_->next("ann", 0, now_), ErrorCode::invalid_argument, {"0 items"});
  expect_refusal(campaign_->skip(item, "bob", now_), ErrorCode::not_found, {"'bob'"});
}

TEST_F(CampaignTest, TheItemOfAnotherIsNotAnsweredFor) {
  start(some_options(), 2);
  const std::string item = item_for("ann");
  const std::string other = item_for("bob");
  ASSERT_NE(item, other);  // what ann has goes to bob last
  expect_refusal(answer(item, "bob"), ErrorCode::forbidden,
                 {"never handed out to worker 'bob'", "'ann' has it"});
  expect_refusal(campaign_->release(item, "bob", now_), ErrorCode::conflict,
                 {"'bob' does not have item"});
}

TEST_F(CampaignTest, OneOfManyAnswersThatIsWrongDoesNotKeepOutTheOthers) {
  start();
  const Handed handed = next("ann", 2);
  const std::vector<Answer> answers{{handed.assignments[0].item, "ann", "yes"},
                                    {"nothing", "ann", "yes"},
                                    {handed.assignments[1].item, "ann", "no"}};
  const auto outcomes = campaign_->record(answers, now_, false, "file");
  EXPECT_TRUE(outcomes[0]);
  EXPECT_FALSE(outcomes[1]);
  EXPECT_TRUE(outcomes[2]);
  EXPECT_EQ(status().labels, 2U);
}

TEST_F(CampaignTest, AnExpiredLeaseGivesItsMoneyAndItemBack) {
  start(some_options(1), 1);
  const std::string item = item_for("ann");
  expect_refusal(campaign_->next("bob", 1, now_), ErrorCode::budget_exhausted,
                 {"costs 1", "budget of 1", "0 left", "reserved 1"});
  now_ += minutes(10) - seconds(1);
  EXPECT_EQ(campaign_->expire(now_).value(), 0U);
  now_ += seconds(1);
  EXPECT_EQ(item_for("bob"), item);
  ASSERT_TRUE(answer(item, "bob"));
  EXPECT_EQ(status().spent, Money::whole(1));
  // Ann comes late, and the money is gone.
  expect_refusal(answer(item, "ann"), ErrorCode::budget_exhausted, {"came late", "0 left"});
  ASSERT_TRUE(campaign_->set_budget(Money::whole(2), now_));
  EXPECT_EQ(answer(item, "ann").value(), Outcome::recorded);
  EXPECT_EQ(status().spent, Money::whole(2));
  // Finished work is not touched by a timeout.
  now_ += minutes(60);
  EXPECT_EQ(campaign_->expire(now_).value(), 0U);
  EXPECT_EQ(status().labels, 2U);
  expect_verified();
}

TEST_F(CampaignTest, ALateAnswerIsRefusedOnceTheItemIsFull) {
  Options options = some_options();
  options.labels_an_item = 1;
  start(options, 1);
  const std::string item = item_for("ann");
  now_ += minutes(11);
  EXPECT_EQ(item_for("bob"), item);
  expect_refusal(answer(item, "ann"), ErrorCode::forbidden, {"came late", "others have it"});
  ASSERT_TRUE(answer(item, "bob"));
  expect_refusal(answer(item, "ann"), ErrorCode::forbidden, {"came late", "full"});
  expect_refusal(campaign_->next("cid", 1, now_), ErrorCode::not_found, {"nothing left"});
  EXPECT_EQ(status().settled, (std::vector<std::pair<std::string, std::uint32_t>>{{"full", 1}}));
}

TEST_F(CampaignTest, ClocksThatGoBackDoNotBreakLeases) {
  start();
  const std::string item = item_for("ann");
  now_ += minutes(5);
  ASSERT_TRUE(campaign_->set_budget(Money::whole(50), now_));
  now_ -= minutes(30);
  EXPECT_EQ(campaign_->expire(now_).value(), 0U);
  const Handed handed = next("bob");
  // The ledger stands still until the clock has caught up.
  EXPECT_EQ(handed.assignments.front().expires, kStart + minutes(15));
  now_ = kStart + minutes(10);
  EXPECT_EQ(campaign_->expire(now_).value(), 1U);
  expect_verified();
}

TEST_F(CampaignTest, ASkippedItemDoesNotComeBackAReleasedOneMay) {
  start(some_options(), 1);
  const std::string item = item_for("ann");
  ASSERT_TRUE(campaign_->release(item, "ann", now_));
  EXPECT_EQ(status().reserved, Money());
  EXPECT_EQ(item_for("ann"), item);
  ASSERT_TRUE(campaign_->skip(item, "ann", now_));
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::not_found, {"nothing left"});
  expect_refusal(answer(item, "ann"), ErrorCode::conflict, {"skipped"});
  EXPECT_EQ(item_for("bob"), item);
  expect_verified();
}

TEST_F(CampaignTest, OfSeveralItemsOrPricesAllOrNone) {
  Options options = some_options();
  options.ties = policy::TieBreak::first;
  start(options);
  next("ann", 3);
  const std::vector<Assignment> leases = campaign_->leases("ann").value();
  std::vector<std::string> held;
  for (const Assignment& one : leases) held.push_back(one.item);
  auto more = held;
  more.push_back("i4");
  const std::uint64_t events = status().events;
  expect_refusal(campaign_->skip(more, "ann", now_), ErrorCode::conflict,
                 {"'ann' does not have item 'i4'"});
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
                 ErrorCode::conflict, {"settled already (unclear)", "one that goes on"});
  EXPECT_EQ(status().events, events + 6);
  EXPECT_EQ(status().leases, 0U);
  expect_verified();
}

TEST_F(CampaignTest, WhatOthersHaveAtHandComesLast) {
  start(some_options(), 3);
  std::set<std::string> first;
  for (const char* worker : {"a", "b", "c"}) first.insert(item_for(worker));
  EXPECT_EQ(first.size(), 3U);
  const Handed fourth = next("d", 3);
  ASSERT_EQ(fourth.assignments.size(), 3U);
  for (const Assignment& one : fourth.assignments) EXPECT_EQ(one.why, Why::waiting);
  // An item that came back is free again.
  const std::string free = *first.begin();
  const auto state_of = [&](const std::string& item) {
    return campaign_->explain(item).value().pending;
  };
  EXPECT_EQ(state_of(free), 2U);
  expect_verified();
}

TEST_F(CampaignTest, LimitsOfItemsAndWorkersCountWhatIsAtHand) {
  Options options = some_options();
  options.labels_an_item = 2;
  options.labels_a_worker = 3;
  start(options, 4);
  EXPECT_EQ(next("a", 9).assignments.size(), 3U);
  expect_refusal(campaign_->next("a", 1, now_), ErrorCode::forbidden, {"'a'", "at most 3"});
  EXPECT_EQ(next("b", 9).assignments.size(), 3U);
  EXPECT_EQ(next("c", 9).assignments.size(), 2U);
  expect_refusal(campaign_->next("d", 1, now_), ErrorCode::not_found, {"nothing left"});
  expect_verified();
}

TEST_F(CampaignTest, PricesAreExactAndTheBudgetIsNeverOverspent) {
  Options options = some_options(1);
  options.price = parse_price("0.1").value();
  start(options, 20);
  ASSERT_TRUE(campaign_->set_price("expert", parse_price("0.35").value(), now_));
  EXPECT_EQ(next("expert", 2).assignments.size(), 2U);
  const Handed rest = next("ann", 20);
  EXPECT_EQ(rest.assignments.size(), 3U);
  EXPECT_NE(rest.shortfall.find("0 left"), std::string::npos) << rest.shortfall;
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
  const Handed handed = next("ann", 4);
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
                 {"a label of 'ann' costs 5", "there are 3 left"});
  ASSERT_TRUE(campaign_->settle("i1", "", now_));
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::not_found, {"nothing left to ask"});
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
  EXPECT_EQ(campaign_->explain("i0").value().settled, "sure");
  expect_verified();
}

TEST_F(CampaignTest, GoldTriesWorkersAndSeeksNoAnswers) {
  Options options = some_options(1000);
  options.gold_rate = 0.5;
  start(options, 40);
  auto gold = some_items(40, 100);
  for (ItemDraft& item : gold) item.truth = "yes";
  ASSERT_TRUE(campaign_->add_items(gold, now_));
  int tries = 0;
  for (const char* worker : {"good", "bad"}) {
    for (const Assignment& one : next(worker, 40).assignments) {
      const bool is_gold = one.item.size() == 4;
      EXPECT_EQ(one.why == Why::gold, is_gold);
      tries += is_gold;
      ASSERT_TRUE(answer(one.item, worker, is_gold && worker == std::string("bad") ? "no" : "yes"));
    }
  }
  EXPECT_GT(tries, 20);  // 40 expected, standard deviation 4.5
  EXPECT_LT(tries, 60);
  const auto workers = campaign_->workers().value();
  EXPECT_EQ(workers[0].facts.gold_right, workers[0].facts.gold);
  EXPECT_EQ(workers[1].facts.gold_right, 0U);
  EXPECT_GT(workers[0].reliability, workers[1].reliability + 0.1);
  EXPECT_EQ(campaign_->answers()->size(), 40U);
  EXPECT_EQ(status().gold_labels, static_cast<std::uint64_t>(tries));
  expect_verified();
}

TEST_F(CampaignTest, LabelsFromElsewhereCostNothing) {
  start(some_options(0));
  const std::vector<Answer> labels{{"i0", "old", "yes"},
                                   {"i1", "old", "no"},
                                   {"i0", "old", "yes"},
                                   {"i0", "old", "no"},
                                   {"x", "old", "no"}};
  const auto outcomes = campaign_->import(labels, now_);
  EXPECT_EQ(outcomes[0].value(), Outcome::recorded);
  EXPECT_EQ(outcomes[2].value(), Outcome::already);
  expect_refusal(outcomes[3], ErrorCode::conflict, {"'yes' before"});
  expect_refusal(outcomes[4], ErrorCode::not_found, {"'x'"});
  EXPECT_EQ(status().labels, 2U);
  EXPECT_EQ(status().imported, 2U);
  EXPECT_EQ(status().spent, Money());
  expect_verified();
}

TEST_F(CampaignTest, SaysWhatItKnows) {
  start();
  for (const char* worker : {"a", "b", "c"}) {
    for (const Assignment& one : next(worker, 5).assignments) {
      ASSERT_TRUE(answer(one.item, worker, one.item == "i0" && worker[0] == 'c' ? "no" : "yes"));
    }
  }
  const auto rows = campaign_->answers().value();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].labels, 3U);
  EXPECT_EQ(rows[0].answer, ClassId{1});
  EXPECT_NEAR(rows[0].disagreement, 1.0 / 3, 1e-12);
  EXPECT_NEAR(rows[0].probabilities[0] + rows[0].probabilities[1], 1, 1e-12);
  EXPECT_GT(rows[0].entropy, rows[1].entropy);
  const auto workers = campaign_->workers().value();
  EXPECT_NEAR(*workers[0].agreement, 0.9, 1e-12);  // of b and c about i0, one
  EXPECT_NEAR(*workers[2].agreement, 0.8, 1e-12);
  EXPECT_LT(workers[0].low, workers[0].reliability);
  EXPECT_GT(workers[0].high, workers[0].reliability);
  const Explanation why = campaign_->explain("i0", "a").value();
  EXPECT_EQ(why.shares.size(), 3U);
  EXPECT_TRUE(why.value.has_value());
  // The belief now is the mean of what it may become.
  ASSERT_EQ(why.outlook.size(), 2U);
  EXPECT_NEAR(why.outlook[0].chance + why.outlook[1].chance, 1, 1e-12);
  EXPECT_NEAR(why.outlook[0].chance * why.outlook[0].probabilities[1] +
                  why.outlook[1].chance * why.outlook[1].probabilities[1],
              why.probabilities[1], 1e-12);
  ASSERT_TRUE(campaign_->add_items(some_items(3, 7), now_));
  const auto ranking = campaign_->ranking("a", 9).value();
  ASSERT_EQ(ranking.size(), 3U);
  EXPECT_GE(ranking[0].value, ranking[2].value);
  EXPECT_TRUE(campaign_->whom_next().value().has_value());
  std::uint64_t events = 0;
  ASSERT_TRUE(campaign_->replay([&](const Happened& one) {
    const std::uint64_t sequence = one.sequence;
    EXPECT_EQ(sequence, ++events);
  }));
  EXPECT_EQ(events, status().events);
  expect_verified();
}

TEST_F(CampaignTest, IsTheSameAfterItWasOpenedAgain) {
  start();
  const auto play = [&](int from) {
    for (int n = from; n < from + 12; ++n) {
      now_ += seconds(100);
      const std::string worker = "w" + std::to_string(n % 4);
      auto handed = campaign_->next(worker, 1, now_);
      if (handed && n % 3 > 0) {
        ASSERT_TRUE(answer(handed->assignments.front().item, worker, n % 2 == 0 ? "yes" : "no"));
      }
    }
  };
  play(0);
  const Status before = status();
  for (const bool with_snapshot : {false, true}) {
    if (with_snapshot) {
      ASSERT_TRUE(campaign_->save_snapshot());
    }
    campaign_ = Campaign::open(*store_, "c").value();
    EXPECT_EQ(status().events, before.events);
    EXPECT_EQ(status().spent, before.spent);
    EXPECT_EQ(status().reserved, before.reserved);
    EXPECT_EQ(status().expected_accuracy, before.expected_accuracy);
    expect_verified();
  }
  play(12);
  expect_verified();
}

TEST_F(CampaignTest, ASnapshotThatIsDamagedIsNotBelieved) {
  start();
  ASSERT_TRUE(answer(item_for("ann"), "ann"));
  const std::uint64_t events = status().events;
  ASSERT_TRUE(campaign_->save_snapshot());
  store::Snapshot snapshot = store_->snapshot("c").value().value();
  snapshot.parts[1][snapshot.parts[1].size() / 2] ^= 1;
  ASSERT_TRUE(store_->save("c", snapshot));
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(status().events, events);
  expect_verified();
}

TEST_F(CampaignTest, TwoDriversSeeWhatTheOtherDid) {
  start(some_options(4), 4);
  const auto other = Campaign::open(*store_, "c").value();
  const std::string item = item_for("ann");
  const auto handed = other->next("bob", 9, now_).value();
  EXPECT_EQ(handed.assignments.size(), 3U);
  for (const Assignment& one : handed.assignments) EXPECT_NE(one.item, item);
  EXPECT_EQ(other->record(Answer{item, "ann", "yes"}, now_).value(), Outcome::recorded);
  EXPECT_EQ(answer(item, "ann").value(), Outcome::already);
  EXPECT_EQ(status().left, Money());
  expect_verified();
}

TEST_F(CampaignTest, SeveralClassesAndFeatures) {
  Options options = some_options();
  options.classes = {"cat", "dog", "fox"};
  options.features = {"size"};
  start(options, 0);
  const auto with = [](std::vector<ItemDraft> items, std::vector<double> sizes) {
    for (std::size_t n = 0; n < items.size(); ++n) items[n].features = {sizes[n]};
    return items;
  };
  ASSERT_TRUE(campaign_->add_items(with(some_items(4), {1, 2, 3, 4}), now_));
  expect_refusal(campaign_->add_items(some_items(1, 9), now_), ErrorCode::conflict,
                 {"'i9' has 0 features", "expected 1"});
  for (int round = 0; round < 8; ++round) {
    const std::string worker = "w" + std::to_string(round);
    for (const Assignment& one : next(worker, 3).assignments) {
      ASSERT_TRUE(answer(one.item, worker, one.item < "i2" ? "cat" : "fox"));
    }
    if (round == 4) {
      ASSERT_TRUE(campaign_->add_items(with(some_items(2, 4), {0.5, 9}), now_));
    }
  }
  const auto rows = campaign_->answers().value();
  EXPECT_EQ(rows[0].answer, ClassId{0});
  EXPECT_EQ(rows[3].answer, ClassId{2});
  const Explanation why = campaign_->explain("i5", "w0").value();
  for (std::size_t k = 0; k < 3; ++k) {
    double mean = 0;
    for (const IfSaid& one : why.outlook) mean += one.chance * one.probabilities[k];
    EXPECT_NEAR(mean, why.probabilities[k], 1e-12);
  }
  expect_verified();
  ASSERT_TRUE(campaign_->save_snapshot());
  campaign_ = Campaign::open(*store_, "c").value();
  expect_verified();
}

TEST_F(CampaignTest, StopsWhenTheAnswersAreGoodEnoughAndGoesOnWhenTheyAreNot) {
  Options options = some_options();
  options.stop.accuracy = 0.9;
  options.ties = policy::TieBreak::first;
  start(options, 2);
  int labels = 0;
  Result<Handed> handed = campaign_->next("ann", 1, now_);
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
  ASSERT_TRUE(campaign_->replay([&](const Happened& one) {
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

TEST_F(CampaignTest, PausedByHandItStaysPausedWhateverTheRulesSay) {
  Options options = some_options();
  options.stop.accuracy = 0.4;  // before the first label
  start(options);
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::forbidden, {"'accuracy'"});
  ASSERT_TRUE(campaign_->pause(now_));
  EXPECT_EQ(status().reason, "");
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::forbidden, {"is paused, nothing"});
  EXPECT_EQ(status().events, 5U);  // created, items, paused, resumed, paused
  ASSERT_TRUE(campaign_->resume(now_));
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::forbidden, {"'accuracy'"});
  expect_verified();
}

TEST_F(CampaignTest, ItemsWithASureAnswerAreSettled) {
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
  EXPECT_EQ(status().settled, expected);
  const auto answers = campaign_->answers();
  for (const AnswerRow& row : *answers) EXPECT_EQ(row.settled, "certain");
  // Resumed by hand it is looked at again; a new item is asked about alone.
  ASSERT_TRUE(campaign_->resume(now_));
  EXPECT_FALSE(campaign_->next("ann", 1, now_));
  ASSERT_TRUE(campaign_->add_items(some_items(1, 2), now_));
  EXPECT_EQ(item_for("ann"), "i2");
  expect_refusal(campaign_->settle("i2", "certain", now_), ErrorCode::invalid_argument,
                 {"certain"});
  expect_verified();
}

TEST_F(CampaignTest, LabelsThatAreNotWorthTheirPriceAreNotAskedFor) {
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

TEST_F(CampaignTest, RulesThatMakeNoSenseAreRefused) {
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
  expect_refusal(check(options), ErrorCode::invalid_argument, {"several classes"});
}

TEST_F(CampaignTest, WhoeverMayChooseAsksThoseWhoCostLess) {
  start(some_options(3), 4);
  for (const std::string worker : {"ann", "bob", "cy"}) {
    ASSERT_TRUE(campaign_->set_price(worker, Money::whole(2), now_));
  }
  ASSERT_TRUE(campaign_->set_price("bob", Money::whole(1), now_));
  EXPECT_EQ(campaign_->whom_next().value()->first, "bob");
  ASSERT_TRUE(campaign_->set_price("cy", Money(), now_));
  EXPECT_EQ(campaign_->whom_next().value()->first, "cy");
  // A worker whom nobody can pay is left out, and comes back with the money.
  ASSERT_TRUE(campaign_->set_price("cy", Money::whole(9), now_));
  ASSERT_TRUE(campaign_->set_price("bob", Money::whole(9), now_));
  EXPECT_EQ(campaign_->whom_next().value()->first, "ann");
  next("ann", 1);
  EXPECT_FALSE(campaign_->whom_next().value());
  ASSERT_TRUE(campaign_->set_budget(Money::whole(12), now_));
  EXPECT_EQ(campaign_->whom_next().value()->first, "ann");
  EXPECT_EQ(next("bob", 1).assignments.size(), 1U);
  expect_verified();
}

TEST_F(CampaignTest, LearnsWhatWorkersAreLikeBeforeTheyCome) {
  for (const model::Refit refit : {model::Refit::off, model::Refit::em, model::Refit::integrated}) {
    Options options = some_options(400);
    options.refit = refit;
    options.learn_workers = true;
    store_ = store::memory_store();
    start(options, 30);
    for (const std::string worker : {"ann", "bob", "cy", "dee"}) {
      for (const Assignment& one : next(worker, 30).assignments) {
        ASSERT_TRUE(answer(one.item, worker, one.item.size() == 2 ? "yes" : "no"));
      }
    }
    const double usual = 3 / 3.9;
    next("new");
    EXPECT_GT(campaign_->workers()->back().reliability, usual + 0.02);
    ASSERT_TRUE(campaign_->save_snapshot());
    const auto again = Campaign::open(*store_, "c").value();
    EXPECT_EQ(again->workers()->back().reliability, campaign_->workers()->back().reliability);
    expect_verified();
    EXPECT_EQ(again->verify()->differences, std::vector<std::string>{});
  }
}

/// At the start all items are alike; without money nothing can be gained.
TEST_F(CampaignTest, KnowsWhatNoPolicyCanExceed) {
  start(some_options(20), 10);
  const double none = 0;
  const double reliability = 3 / 3.9;
  const double expected =
      policy::coin_budget_curve({&none, 1}, reliability).accuracy_for_budget(2).accuracy;
  EXPECT_NEAR(status().bound.value(), expected, 5e-3);
  ASSERT_TRUE(campaign_->set_price("ann", parse_price("0.5").value(), now_));
  EXPECT_GT(status().bound.value(), expected + 0.02);
  for (const std::string worker : {"ann", "bob"}) {
    for (const Assignment& one : next(worker, 10).assignments) {
      ASSERT_TRUE(answer(one.item, worker, one.item < "i5" ? "yes" : "no"));
    }
    EXPECT_GE(status().bound.value(), status().expected_accuracy - 1e-9);
  }
  ASSERT_TRUE(campaign_->set_budget(status().spent, now_));
  EXPECT_NEAR(status().bound.value(), status().expected_accuracy, 1e-9);
  Options one_pass = some_options();
  one_pass.refit = model::Refit::off;
  store_ = store::memory_store();
  start(one_pass);
  EXPECT_FALSE(status().bound);
}

TEST_F(CampaignTest, VerifyNamesWhatWasTamperedWith) {
  start(some_options(), 8);
  for (int n = 0; n < 6; ++n) {
    const std::string worker = "w" + std::to_string(n);
    ASSERT_TRUE(answer(item_for(worker), worker));
  }
  // A ledger whose decisions are somebody else's.
  const auto copy = store::memory_store();
  std::vector<store::Draft> drafts;
  const auto records = store_->read("c", 0, 1000).value();
  for (const store::Record& record : records) {
    store::Draft draft = record;
    const Event event = decode(record.kind, record.payload).value();
    if (const auto* created = std::get_if<Created>(&event)) {
      Created other = *created;
      other.options.seed = 77;
      draft.payload = encode(other);
    }
    drafts.push_back(draft);
  }
  ASSERT_TRUE(copy->append("c", 0, drafts));
  const auto other = Campaign::open(*copy, "c").value();
  const Verification found = other->verify().value();
  EXPECT_EQ(found.events, drafts.size());
  ASSERT_FALSE(found.differences.empty());
  EXPECT_NE(found.differences.front().find("decided again it is"), std::string::npos);
}

}  // namespace
}  // namespace allot::campaign
