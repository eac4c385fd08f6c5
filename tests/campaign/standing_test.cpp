// Workers who are blocked, excluded and restored while a campaign runs.
#include <algorithm>
#include <functional>

#include "allot/base/rng.hpp"
#include "campaign_fixture.hpp"

namespace allot::campaign::standing_test {
namespace {

class StandingTest : public CampaignTest {
 protected:
  /// Workers take turns; w0 says "yes" to everything.
  void work(int rounds, const std::vector<std::string>& classes = {"no", "yes"}) {
    for (int n = 0; n < rounds; ++n, now_ += seconds(3)) {
      const std::string worker = "w" + std::to_string(n % 6);
      const auto handed = campaign_->next(worker, 1, now_);
      if (!handed) continue;
      const std::string& item = handed->assignments.at(0).item;
      const std::size_t truth = static_cast<std::size_t>(item.back() - '0') % classes.size();
      const std::size_t wrong = (truth + 1) % classes.size();
      const std::string label = n % 6 == 0 ? classes.back() : classes[n % 7 == 3 ? wrong : truth];
      given_.push_back({item, worker, label});
      ASSERT_TRUE(campaign_->record(given_.back(), now_));
    }
  }

  static std::vector<std::uint32_t> label_counts(const Campaign& campaign) {
    std::vector<std::uint32_t> all;
    const auto rows = campaign.view().answers().value();
    for (const AnswerRow& row : rows) all.push_back(row.labels);
    return all;
  }

  /// A campaign with the labels of all workers that `counts` names, and no other history.
  std::vector<double> answers_from(const Options& options, std::span<const ItemDraft> items,
                                   const std::function<bool(const std::string&)>& counts) {
    const auto store = store::memory_store();
    const auto fresh = Campaign::create(*store, "c", options, now_, {items}).value();
    std::vector<Answer> labels = given_;
    std::erase_if(labels, [&](const Answer& one) { return !counts(one.worker); });
    for (const auto& result : fresh->import(labels, now_)) EXPECT_TRUE(result);
    return stated(*fresh);
  }

  Result<void> set(const std::string& worker, Standing standing) {
    return campaign_->set_standing(worker, standing, "always says yes", now_);
  }

  std::vector<Answer> given_;
};

/// Options of several kinds of models, by name.
std::vector<std::pair<std::string, Options>> models() {
  Options binary = some_options(200), three = some_options(200), one_pass = some_options(200);
  binary.refit_every = 7;
  three.classes = {"a", "b", "c"};
  three.refit = model::Refit::pooled;
  three.learn_workers = true;
  one_pass.refit = model::Refit::em;
  one_pass.refit_every = 5;
  return {{"binary", binary}, {"pooled", three}, {"em", one_pass}};
}

TEST_F(StandingTest, ExcludingGivesTheAnswersOfACampaignThatNeverHadTheLabels) {
  for (const auto& [name, options] : models()) {
    SCOPED_TRACE(name);
    store_ = store::memory_store();
    given_.clear();
    auto items = some_items(12);
    items[11].gold = options.classes.back();
    campaign_ = Campaign::create(*store_, "c", options, now_, {items}).value();
    work(60, options.classes);
    const auto with_all = stated(*campaign_);
    const auto counts = label_counts(*campaign_);
    const Money spent = status().spent;
    ASSERT_TRUE(set("w0", Standing::excluded));
    const auto without = stated(*campaign_);
    expect_near(without, answers_from(options, items, [](const auto& who) { return who != "w0"; }));
    EXPECT_NE(without, with_all);
    EXPECT_EQ(status().spent, spent) << "what was paid stays paid";
    EXPECT_EQ(status().labels, given_.size());
    EXPECT_EQ(status().excluded, std::ranges::count(given_, "w0", &Answer::worker));
    expect_verified();
    ASSERT_TRUE(set("w0", Standing::active));
    expect_near(stated(*campaign_), with_all);
    expect_near(with_all, answers_from(options, items, [](const auto&) { return true; }));
    EXPECT_EQ(label_counts(*campaign_), counts);
    EXPECT_EQ(status().excluded, 0U);
    expect_verified();
  }
}

TEST_F(StandingTest, DecisionsAfterAnExclusionAreMadeAgainByVerifyAndFromSnapshots) {
  start(models()[0].second, 10);
  work(40);
  ASSERT_TRUE(set("w0", Standing::excluded));
  work(20);
  ASSERT_TRUE(set("w1", Standing::blocked));
  work(20);
  ASSERT_TRUE(campaign_->save_snapshot());
  const auto live = stated(*campaign_);
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(stated(*campaign_), live);
  expect_verified();
  ASSERT_TRUE(set("w0", Standing::active));
  work(20);
  ASSERT_TRUE(set("w1", Standing::active));
  work(20);
  expect_verified();
  expect_equal_from_the_ledger();
}

TEST_F(StandingTest, ItemsOfAnExcludedWorkerAreAskedAgain) {
  Options options = some_options(100);
  options.labels_per_item = 2;
  start(options, 2);
  for (const std::string who : {"ann", "bob"}) {
    for (const Assignment& one : next(who, 2).assignments) ASSERT_TRUE(answer(one.item, who));
  }
  EXPECT_EQ(status().finished, (std::vector<std::pair<std::string, std::uint32_t>>{{"full", 2}}));
  expect_refusal(campaign_->next("cid", 1, now_), ErrorCode::not_found, {"no item left"});
  ASSERT_TRUE(set("bob", Standing::excluded));
  EXPECT_TRUE(status().finished.empty());
  EXPECT_EQ(next("cid", 2).assignments.size(), 2U);
  expect_refusal(campaign_->next("bob", 1, now_), ErrorCode::forbidden, {"'bob'", "excluded"});
  expect_verified();
}

TEST_F(StandingTest, ItemsThatAStopRuleSettledOpenAgain) {
  Options options = some_options(100);
  options.stop.settled = 0.9;
  start(options, 2);
  for (const std::string who : {"ann", "bob"}) {
    for (const Assignment& one : next(who, 2).assignments) ASSERT_TRUE(answer(one.item, who));
  }
  const auto settled = status().finished;
  ASSERT_EQ(settled.size(), 1U);
  ASSERT_EQ(settled[0].first, kCertain);
  ASSERT_EQ(status().phase, Phase::paused);
  ASSERT_TRUE(set("bob", Standing::excluded));
  EXPECT_TRUE(status().finished.empty());
  EXPECT_EQ(status().phase, Phase::running) << "the rule asks for more";
  EXPECT_FALSE(next("dan", 1).assignments.empty());
  ASSERT_TRUE(set("bob", Standing::active));
  EXPECT_EQ(status().finished, settled);
  expect_verified();
}

TEST_F(StandingTest, ABlockedWorkersLabelsCount) {
  start();
  const std::string item = item_for("bob");
  ASSERT_TRUE(answer(item, "bob"));
  const std::string leased = item_for("bob");
  const auto before = stated(*campaign_);
  ASSERT_TRUE(set("bob", Standing::blocked));
  EXPECT_EQ(stated(*campaign_), before);
  EXPECT_EQ(status().reserved, Money()) << "the leases end";
  expect_refusal(campaign_->next("bob", 1, now_), ErrorCode::forbidden, {"'bob'", "blocked"});
  expect_refusal(answer(leased, "bob"), ErrorCode::forbidden, {"'bob'", "blocked"});
  expect_refusal(answer(item, "bob", "no", true), ErrorCode::forbidden, {"blocked"});
  EXPECT_EQ(answer(item, "bob").value(), Outcome::already);
  ASSERT_TRUE(campaign_->import(std::vector<Answer>{{leased, "bob", "no"}}, now_)[0]);
  ASSERT_TRUE(set("bob", Standing::active));
  EXPECT_FALSE(next("bob").assignments.empty());
  expect_verified();
}

TEST_F(StandingTest, RefusesWhatCannotBe) {
  start();
  ASSERT_TRUE(answer(item_for("bob"), "bob"));
  const auto events = store_->last("c").value();
  expect_refusal(set("eve", Standing::blocked), ErrorCode::not_found, {"'eve'"});
  expect_refusal(campaign_->set_standing("bob", Standing::blocked, std::string(501, 'x'), now_),
                 ErrorCode::invalid_argument, {"501", "500"});
  ASSERT_TRUE(set("bob", Standing::active)) << "the standing that it has";
  EXPECT_EQ(store_->last("c").value(), events);
  ASSERT_TRUE(set("bob", Standing::excluded));
  const auto imported =
      campaign_->import(std::vector<Answer>{{"i0", "bob", "no"}, {"i1", "bob", "no"}}, now_);
  EXPECT_FALSE(imported[0] && imported[1]) << "one of them is new";
  ASSERT_TRUE(campaign_->close("done", now_));
  ASSERT_TRUE(set("bob", Standing::active)) << "also after the close";
  expect_verified();
}

TEST_F(StandingTest, FactsAndReviewsOfAnExcludedWorkerStayInStep) {
  start();
  const std::string item = item_for("bob");
  ASSERT_TRUE(answer(item, "bob", "no"));
  ASSERT_TRUE(answer(item_for("ann"), "ann"));
  ASSERT_TRUE(set("bob", Standing::excluded));
  ASSERT_TRUE(campaign_->review("eve", std::vector<VerdictDraft>{{item, "no"}}, now_)[0]);
  ASSERT_TRUE(set("bob", Standing::active));
  const auto rows = campaign_->view().workers().value();
  EXPECT_EQ(rows[0].facts.reviewed_right, 1U);
  ASSERT_TRUE(campaign_->undo_review(item, "eve", now_));
  EXPECT_EQ(campaign_->view().workers().value()[0].facts.reviewed, 0U);
  expect_verified();
}

TEST_F(StandingTest, ConfusionCountsLabelsByTheAnswers) {
  Options options = some_options(100);
  options.gold_rate = 0;
  auto items = some_items(3);
  items.push_back({.id = "g", .gold = "no"});
  campaign_ = Campaign::create(*store_, "c", options, now_, {items}).value();
  std::vector<Answer> labels;
  for (const char* item : {"i0", "i1"})
    for (const char* who : {"ann", "bob", "cid", "dan"}) labels.push_back({item, who, "yes"});
  labels[1].label = "no";                 // bob on i0
  labels.push_back({"g", "bob", "yes"});  // known to be "no"
  for (const auto& result : campaign_->import(labels, now_)) ASSERT_TRUE(result);
  const Confusion expected{{0, 1}, {1, 1}};
  EXPECT_EQ(campaign_->view().confusion("bob").value(), expected);
  const auto rows = campaign_->view().workers().value();
  EXPECT_EQ(rows[1].answer_agreement, 0.5) << "gold apart";
  EXPECT_EQ(rows[0].answer_agreement, 1.0);
  expect_refusal(campaign_->view().confusion("eve"), ErrorCode::not_found, {"'eve'"});
}

}  // namespace
}  // namespace allot::campaign::standing_test
