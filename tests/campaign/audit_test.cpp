// Audits of campaigns: what is drawn, what the checks prove, and what the ledger keeps of it.
#include <set>

#include "campaign_fixture.hpp"

namespace allot::campaign::audit_test {
namespace {

class CampaignAudit : public CampaignTest {
 protected:
  static bool is_yes(const std::string& item) { return std::stoi(item.substr(1)) % 2 == 0; }

  /// Every item gets two labels; ann and bob err together on every tenth item.
  void start_labelled(int items, const Options& options = some_options(1000)) {
    start(options, items);
    std::vector<Answer> labels;
    for (int i = 0; i < items; ++i) {
      const std::string id = "i" + std::to_string(i);
      const std::string said = is_yes(id) == (i % 10 != 7) ? "yes" : "no";
      labels.push_back({id, "ann", said});
      labels.push_back({id, "bob", said});
    }
    for (const auto& outcome : campaign_->import(labels, now_)) ASSERT_TRUE(outcome);
  }
  std::string next_item() {
    const ItemId next = report().next.value();
    return campaign_->view().read([&](const State& state) { return state.id(next); }).value();
  }
  AuditReport report() { return campaign_->view().audit().value().value(); }
  std::vector<std::string> draws(std::size_t count = 1000) {
    return campaign_->view().audit_draws(count).value();
  }
  void check(const std::string& item) {
    const VerdictDraft verdict{item, is_yes(item) ? "yes" : "no"};
    const auto outcome = campaign_->review("eve", std::span(&verdict, 1), now_).front();
    ASSERT_TRUE(outcome) << outcome.error().message;
  }
};

TEST_F(CampaignAudit, OfAFixedNumberProvesTheAccuracy) {
  start_labelled(200);
  EXPECT_FALSE(campaign_->view().audit().value());
  ASSERT_TRUE(campaign_->start_audit({.checks = 80}, now_));
  const auto drawn = draws();
  EXPECT_EQ(drawn.size(), 80U);
  EXPECT_EQ(std::set<std::string>(drawn.begin(), drawn.end()).size(), 80U);
  std::uint64_t wrong = 0;
  for (const std::string& item : drawn) {
    check(item);
    wrong += std::stoi(item.substr(1)) % 10 == 7;
  }
  const AuditReport found = report();
  EXPECT_EQ(found.answers, 200U);
  EXPECT_EQ(found.checked, 80U);
  EXPECT_EQ(found.right, 80 - wrong);
  EXPECT_LT(found.accuracy.lower, 0.9);
  EXPECT_GT(found.accuracy.lower, 0.7);
  EXPECT_GT(found.accuracy.high, 0.9);
  EXPECT_TRUE(draws().empty());
  expect_verified();
}

TEST_F(CampaignAudit, JudgesTheAnswersAsTheyStood) {
  start_labelled(200);
  ASSERT_TRUE(campaign_->start_audit({.checks = 80}, now_));
  const auto drawn = draws();
  for (const std::string& item : drawn) check(item);
  const AuditReport before = report();
  // Now every answer of the item is what the reviewer said, and still the audit judges the labels.
  EXPECT_LT(before.right, before.checked);
  std::vector<Answer> more;
  for (int i = 0; i < 200; ++i) more.push_back({"i" + std::to_string(i), "cat", "yes"});
  for (const auto& outcome : campaign_->import(more, now_)) ASSERT_TRUE(outcome);
  EXPECT_EQ(report().right, before.right);
  EXPECT_EQ(report().accuracy.lower, before.accuracy.lower);
}

TEST_F(CampaignAudit, UntilATargetStopsWhenItIsProven) {
  start_labelled(400);
  ASSERT_TRUE(campaign_->start_audit({.target = 0.7}, now_));
  EXPECT_FALSE(report().certified_after);
  std::uint64_t checks = 0;
  for (auto next = draws(1); !next.empty() && checks < 400; next = draws(1), ++checks) {
    check(next.front());
  }
  EXPECT_EQ(report().certified_after, checks);
  EXPECT_LT(checks, 100U);
  expect_verified();
}

TEST_F(CampaignAudit, CountsVerdictsInTheOrderOfTheDraws) {
  start_labelled(100);
  ASSERT_TRUE(campaign_->start_audit({.target = 0.85}, now_));
  const auto next = draws(5);
  ASSERT_EQ(next.size(), 5U);
  check(next[0]);
  check(next[2]);
  EXPECT_EQ(report().checked, 1U);
  EXPECT_EQ(report().waiting, 1U);
  EXPECT_EQ(report().missing(), 1U);
  EXPECT_EQ(next_item(), next[1]);
  check(next[1]);
  EXPECT_EQ(report().checked, 3U);
  EXPECT_EQ(report().waiting, 0U);
  for (const std::string& item : draws(12)) check(item);
  ASSERT_TRUE(campaign_->undo_review(next[0], "eve", now_));
  EXPECT_EQ(report().checked, 0U) << "the first draw has no verdict";
  EXPECT_EQ(report().waiting, 14U) << "however many there are";
  EXPECT_EQ(next_item(), next[0]);
}

TEST_F(CampaignAudit, WithVerdictsIsReplacedOnlyOnRequest) {
  start_labelled(40);
  ASSERT_TRUE(campaign_->start_audit({.checks = 4}, now_));
  ASSERT_TRUE(campaign_->start_audit({.checks = 5}, now_)) << "no work is lost";
  const auto drawn = draws();
  check(drawn[0]);
  const auto events = store_->last("c").value();
  expect_refusal(campaign_->start_audit({.checks = 3}, now_), ErrorCode::conflict,
                 {"audit 2", "1 verdict;", "'replace'"});
  EXPECT_EQ(store_->last("c").value(), events);
  EXPECT_EQ(report().checked, 1U);
  ASSERT_TRUE(campaign_->start_audit({.target = 0.7, .replace = true}, now_));
  EXPECT_EQ(report().number, 3U);
  check(draws(1).front());
  expect_refusal(campaign_->start_audit({.checks = 3}, now_), ErrorCode::conflict, {"audit 3"});
  for (auto next = draws(1); !next.empty(); next = draws(1)) check(next.front());
  ASSERT_TRUE(report().certified_after);
  ASSERT_TRUE(campaign_->start_audit({.checks = 3}, now_)) << "the one before is finished";
  expect_verified();
}

TEST_F(CampaignAudit, RepeatedUnderItsKeyGivesTheSameAnswer) {
  start_labelled(40);
  const auto first = campaign_->start_audit({.checks = 10}, now_, "k").value();
  check(draws().front());
  const auto expect_same = [&](const AuditDraft& draft) {
    const auto events = store_->last("c").value();
    const auto again = campaign_->start_audit(draft, now_, "k").value();
    EXPECT_EQ(again.number, first.number);
    EXPECT_EQ(again.started, first.started);
    EXPECT_EQ(again.plan, first.plan);
    EXPECT_EQ(again.checked, 0U) << "as it was then";
    EXPECT_EQ(again.next, first.next);
    EXPECT_EQ(store_->last("c").value(), events);
  };
  expect_same({.checks = 10});
  ASSERT_TRUE(campaign_->start_audit({.target = 0.6, .replace = true}, now_, "other"));
  campaign_ = Campaign::open(*store_, "c").value();
  expect_same({.checks = 10});
  expect_refusal(campaign_->start_audit({.checks = 9}, now_, "k"), ErrorCode::key_reused, {"'k'"});
  expect_refusal(campaign_->start_audit({.checks = 10, .confidence = 0.9}, now_, "k"),
                 ErrorCode::key_reused, {"'k'"});
  expect_refusal(campaign_->undo_review("i1", "eve", now_, "k"), ErrorCode::key_reused, {"'k'"});
  EXPECT_EQ(report().number, 2U);
}

TEST_F(CampaignAudit, DrawsNoItemWhoseAnswerIsKnownOrMissing) {
  start_labelled(30);
  ASSERT_TRUE(campaign_->add_items(some_items(5, 30), now_));
  check("i3");
  ASSERT_TRUE(campaign_->start_audit({.checks = 29}, now_));
  const auto drawn = draws();
  EXPECT_EQ(drawn.size(), 29U);
  EXPECT_EQ(std::ranges::count(drawn, "i3"), 0);
  EXPECT_EQ(std::ranges::count(drawn, "i31"), 0);
}

TEST_F(CampaignAudit, DrawsAreInTheQueueForTheAuditOnly) {
  start_labelled(50);
  ASSERT_TRUE(campaign_->start_audit({.checks = 30}, now_));
  const auto drawn = draws();
  const auto queue = campaign_->view().review_queue(50).value();
  for (const ReviewItem& one : queue) {
    EXPECT_EQ(one.reason == ReviewReason::audit, std::ranges::count(drawn, one.item) > 0)
        << "a reviewer would see the labels of a draw";
  }
}

TEST_F(CampaignAudit, DrawsComeFirstInTheQueue) {
  start_labelled(50);
  ASSERT_TRUE(campaign_->start_audit({.checks = 4}, now_));
  const auto drawn = draws();
  const auto queue = campaign_->view().review_queue(20).value();
  ASSERT_EQ(queue.size(), 20U);
  for (std::size_t n = 0; n < queue.size(); ++n) {
    EXPECT_EQ(queue[n].reason, n < 4 ? ReviewReason::audit : ReviewReason::uncertain);
    if (n < 4) {
      EXPECT_EQ(queue[n].item, drawn[n]);
    }
    for (std::size_t other = 0; other < n; ++other) EXPECT_NE(queue[other].item, queue[n].item);
  }
}

TEST_F(CampaignAudit, IsRefusedWithOneSentence) {
  start(some_options(), 5);
  expect_refusal(campaign_->start_audit({.checks = 3}, now_), ErrorCode::conflict,
                 {"no answer to check"});
  for (const auto& one : campaign_->import(std::vector{Answer{"i0", "ann", "yes"}}, now_)) {
    ASSERT_TRUE(one);
  }
  expect_refusal(campaign_->start_audit({.checks = 2}, now_), ErrorCode::invalid_argument,
                 {"2 checks", "expected at most 1"});
  expect_refusal(campaign_->start_audit({.checks = 0}, now_), ErrorCode::invalid_argument,
                 {"0 checks"});
  expect_refusal(campaign_->start_audit({.target = 1.0}, now_), ErrorCode::invalid_argument,
                 {"between 0 and 1"});
  expect_refusal(campaign_->start_audit({.checks = 1, .confidence = 0.2}, now_),
                 ErrorCode::invalid_argument, {"0.2"});
  expect_refusal(campaign_->start_audit({}, now_), ErrorCode::invalid_argument, {"one of them"});
}

TEST_F(CampaignAudit, SurvivesReopeningAndTheClose) {
  start_labelled(60);
  ASSERT_TRUE(campaign_->close("done", now_));
  ASSERT_TRUE(campaign_->start_audit({.checks = 10}, now_));
  const auto drawn = draws();
  for (int n = 0; n < 4; ++n) check(drawn[static_cast<std::size_t>(n)]);
  const double lower = report().accuracy.lower;
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(report().accuracy.lower, lower);
  ASSERT_TRUE(campaign_->save_snapshot());
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(report().accuracy.lower, lower);
  EXPECT_EQ(draws().size(), 6U);
  expect_verified();
}

TEST_F(CampaignAudit, StopsTheCampaignThatItCertifies) {
  Options options = some_options(1000);
  options.stop.certified = 0.5;
  start_labelled(100, options);
  ASSERT_TRUE(campaign_->next("cat", 1, now_)) << "nothing is certified yet";
  ASSERT_TRUE(campaign_->start_audit({.checks = 30}, now_));
  for (const std::string& item : draws()) check(item);
  EXPECT_GE(report().accuracy.lower, 0.5);
  expect_refusal(campaign_->next("dan", 1, now_), ErrorCode::forbidden, {"certified"});
  EXPECT_EQ(status().reason, "certified");
  expect_verified();
}

TEST_F(CampaignAudit, ThatLosesItsProofLetsTheCampaignResume) {
  Options options = some_options(1000);
  options.stop.certified = 0.5;
  start_labelled(100, options);
  ASSERT_TRUE(campaign_->start_audit({.checks = 12}, now_));
  const auto drawn = draws();
  std::string last;
  for (const std::string& item : drawn) {
    if (status().phase == Phase::running) check(last = item);
  }
  ASSERT_EQ(status().reason, "certified");
  ASSERT_TRUE(campaign_->undo_review(last, "eve", now_));
  EXPECT_EQ(status().phase, Phase::running) << "what stopped it no longer holds";
  check(last);
  EXPECT_EQ(status().reason, "certified");
  ASSERT_TRUE(campaign_->start_audit({.checks = 12, .replace = true}, now_));
  EXPECT_EQ(status().phase, Phase::running) << "the new audit proves nothing yet";
  ASSERT_TRUE(campaign_->pause(now_));
  for (const std::string& item : draws()) check(item);
  ASSERT_TRUE(campaign_->undo_review(draws().empty() ? drawn[0] : drawn[1], "eve", now_));
  EXPECT_EQ(status().phase, Phase::paused) << "the caller paused it";
  expect_verified();
}

TEST_F(CampaignAudit, WithForgedAnswersIsFoundByVerify) {
  start_labelled(20);
  ASSERT_TRUE(campaign_->start_audit({.checks = 5}, now_));
  const auto start =
      campaign_->view().read([](const State& state) { return state.audit()->start; }).value();
  const auto verify_with = [&](const AuditStarted& event) {
    const auto store = store::memory_store();
    const auto records = store_->read("c", 0, 1000).value();
    std::vector<store::Draft> drafts(records.begin(), records.end());
    drafts.back().payload = encode(event);
    EXPECT_TRUE(store->append("c", 0, drafts, store_->contents("c", 0, 1000).value()));
    return Campaign::open(*store, "c").value()->verify().value().differences.size();
  };
  EXPECT_EQ(verify_with(start), 0U);
  AuditStarted other_seed = start, other_answer = start;
  ++other_seed.plan.seed;
  other_answer.answers[7] = other_answer.answers[7] == 1 ? 2 : 1;
  EXPECT_EQ(verify_with(other_seed), 1U);
  EXPECT_EQ(verify_with(other_answer), 1U);
}

}  // namespace
}  // namespace allot::campaign::audit_test
