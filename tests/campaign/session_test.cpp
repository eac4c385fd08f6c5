// Participants of recruiting links: who they are, what they get, how their sessions end, and what
// the campaign learns from them.
#include <gtest/gtest.h>

#include "allot/campaign/export.hpp"
#include "campaign_fixture.hpp"

namespace allot::campaign::session_test {
namespace {

RecruitingTerms some_terms(std::uint32_t labels = 3, Qualification qualification = {}) {
  RecruitingTerms terms = usual_terms(Platform::prolific);
  terms.labels = labels;
  terms.codes = {"CDONE", "COUT", "CNONE", "CPART"};
  terms.secret = std::string(64, '5');
  terms.qualification = qualification;
  return terms;
}

class SessionTest : public CampaignTest {
 protected:
  /// Items i0, i1, ... and gold items g0, g1, ... whose answer is yes.
  void start_study(const RecruitingTerms& terms, int items = 10, int gold = 6,
                   Options options = some_options()) {
    options.gold_rate = 0;
    start(options, items);
    std::vector<ItemDraft> known = some_items(gold);
    for (ItemDraft& item : known) {
      item.id[0] = 'g';
      item.gold = "yes";
    }
    ASSERT_TRUE(campaign_->add_items(known, now_));
    const auto made = campaign_->set_recruiting("link", terms, now_);
    ASSERT_TRUE(made) << made.error().message;
  }

  Result<JoinedSession> arrive(const std::string& id, const std::string& session = "s") {
    return campaign_->join({"link", id, session, {{"STUDY_ID", "st"}}}, now_);
  }
  /// Answers the next item so; its id, or nothing if there was none.
  std::string work(const std::string& worker, const std::string& label = "yes") {
    now_ += seconds(2);
    const auto handed = campaign_->next(worker, 1, now_);
    if (!handed) return "";
    const std::string item = handed->assignments.at(0).item;
    EXPECT_TRUE(answer(item, worker, label)) << item;
    return item;
  }
  std::vector<Assignment> leased(const std::string& worker) {
    return campaign_->view().leases(worker).value();
  }
  Session session(std::size_t place) { return campaign_->view().sessions()->at(place).session; }
  std::string exported(ExportKind what) {
    Export rows(what, ExportFormat::csv);
    std::string text;
    while (auto piece = rows.next(campaign_->view()).value()) text += *piece;
    return text;
  }
  void reopen() {
    ASSERT_TRUE(campaign_->save_snapshot());
    campaign_ = Campaign::open(*store_, "c").value();
  }
};

TEST_F(SessionTest, TheSameIdIsTheSameWorkerWithTheSameItems) {
  start_study(some_terms());
  const auto first = arrive("ann");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->worker, "prolific:ann");
  EXPECT_FALSE(first->back);
  const std::string item = item_for("prolific:ann");
  const auto again = arrive("ann");
  EXPECT_TRUE(again->back);
  EXPECT_EQ(again->worker, first->worker);
  EXPECT_EQ(again->session, first->session);
  EXPECT_EQ(campaign_->view().leases("prolific:ann")->at(0).item, item);
  EXPECT_EQ(status().workers, 1U);
  EXPECT_EQ(campaign_->view().sessions()->size(), 1U);
  expect_verified();
}

TEST_F(SessionTest, EndsWithItsLastLabelAndAsksForNoMore) {
  start_study(some_terms(3));
  ASSERT_TRUE(arrive("ann"));
  EXPECT_EQ(next("prolific:ann", 8).assignments.size(), 3U) << "never more than the session has";
  for (const Assignment& one : leased("prolific:ann")) {
    EXPECT_FALSE(session(0).outcome);
    ASSERT_TRUE(answer(one.item, "prolific:ann"));
  }
  EXPECT_EQ(session(0).outcome, SessionOutcome::done);
  EXPECT_EQ(session(0).labels, 3U);
  EXPECT_EQ(session(0).earned, Money::whole(3));
  EXPECT_FALSE(campaign_->next("prolific:ann", 1, now_));
  EXPECT_TRUE(arrive("ann")->back) << "a reload shows the same code";
  expect_refusal(arrive("ann", "another"), ErrorCode::conflict, {"taken part already"});
  reopen();
  EXPECT_EQ(session(0).outcome, SessionOutcome::done);
  expect_verified();
}

TEST_F(SessionTest, ManySessionsIfTheLinkAllowsThem) {
  RecruitingTerms terms = some_terms(2);
  terms.sessions_per_id = 2;
  start_study(terms);
  for (const std::string visit : {"v1", "v2"}) {
    EXPECT_FALSE(arrive("ann", visit)->back);
    work("prolific:ann");
    work("prolific:ann");
  }
  EXPECT_EQ(session(1).outcome, SessionOutcome::done);
  EXPECT_TRUE(arrive("ann", "v1")->back);
  expect_refusal(arrive("ann", "v3"), ErrorCode::conflict, {"taken part"});
  EXPECT_EQ(exported(ExportKind::bonuses), "ann,4.00\n");
  expect_verified();
}

TEST_F(SessionTest, AnOpenSessionGoesOnUnderItsNameOrWithoutOne) {
  start_study(some_terms(2));
  ASSERT_TRUE(arrive("ann", ""));
  EXPECT_TRUE(arrive("ann", "first")->back);
  EXPECT_EQ(session(0).name, "first") << "it had none";
  work("prolific:ann");
  EXPECT_TRUE(arrive("ann", "")->back);
  EXPECT_EQ(session(0).name, "first");
  EXPECT_EQ(session(0).labels, 1U);
  expect_refusal(arrive("ann", "second"), ErrorCode::conflict, {"taken part already"});
  work("prolific:ann");
  EXPECT_EQ(session(0).outcome, SessionOutcome::done);
  EXPECT_EQ(campaign_->view().sessions()->size(), 1U);
  expect_verified();
}

TEST_F(SessionTest, AnotherSessionOfThePlatformCountsAndEndsTheOpenOne) {
  RecruitingTerms terms = some_terms(2);
  terms.sessions_per_id = 2;
  start_study(terms);
  ASSERT_TRUE(arrive("ann", "first"));
  work("prolific:ann");
  static_cast<void>(item_for("prolific:ann"));
  EXPECT_FALSE(arrive("ann", "second")->back);
  EXPECT_EQ(session(0).outcome, SessionOutcome::incomplete);
  EXPECT_TRUE(leased("prolific:ann").empty());
  EXPECT_FALSE(session(1).outcome);
  EXPECT_EQ(session(1).labels, 0U);
  expect_refusal(arrive("ann", "third"), ErrorCode::conflict, {"taken part already"});
  EXPECT_FALSE(session(1).outcome) << "a refused arrival ends nothing";
  reopen();
  expect_verified();
}

TEST_F(SessionTest, WhoSkipsTheRestIsNotSentAwayForLackOfWork) {
  start_study(some_terms(4), 4, 0);
  ASSERT_TRUE(arrive("ann"));
  for (int n = 0; n < 2; ++n) work("prolific:ann");
  for (int n = 0; n < 2; ++n)
    ASSERT_TRUE(campaign_->skip(item_for("prolific:ann"), "prolific:ann", now_));
  EXPECT_EQ(work("prolific:ann"), "");
  EXPECT_EQ(session(0).outcome, SessionOutcome::incomplete);
  EXPECT_EQ(session(0).skipped.size(), 2U);
  EXPECT_EQ(some_terms().codes.of(SessionOutcome::incomplete), "CPART");
  EXPECT_EQ((CompletionCodes{"D", "S", "N", ""}.of(SessionOutcome::incomplete)), "N")
      << "links of older versions have three codes";
  EXPECT_NE(exported(ExportKind::sessions).find("incomplete"), std::string::npos);
  reopen();
  EXPECT_EQ(session(0).skipped.size(), 2U);
  expect_verified();
}

TEST_F(SessionTest, APaidAbstentionIsOwed) {
  start_study(some_terms(3));
  ASSERT_TRUE(arrive("ann"));
  ASSERT_TRUE(campaign_->skip(item_for("prolific:ann"), "prolific:ann", now_, {},
                              {0, std::string(kUnsure), ""}, true));
  EXPECT_EQ(session(0).earned, Money::whole(1));
  EXPECT_EQ(status().spent, Money::whole(1));
  EXPECT_EQ(exported(ExportKind::bonuses), "ann,1.00\n");
  reopen();
  expect_verified();
}

TEST_F(SessionTest, WhoSkippedSomethingThatIsDoneIsSentAwayForLackOfWork) {
  start_study(some_terms(4), 2, 0, some_options(2));
  ASSERT_TRUE(arrive("ann"));
  ASSERT_TRUE(campaign_->skip(item_for("prolific:ann"), "prolific:ann", now_));
  work("prolific:ann");
  ASSERT_TRUE(arrive("bob"));
  work("prolific:bob");
  EXPECT_EQ(work("prolific:ann"), "") << "the budget is spent";
  EXPECT_EQ(session(0).outcome, SessionOutcome::no_work);
  expect_verified();
}

TEST_F(SessionTest, EndsWithACodeThatPaysWhereNothingIsLeft) {
  start_study(some_terms(3), 2, 0, some_options(2));
  ASSERT_TRUE(arrive("ann"));
  work("prolific:ann");
  work("prolific:ann");
  EXPECT_FALSE(session(0).outcome) << "one label is missing";
  EXPECT_EQ(work("prolific:ann"), "");
  EXPECT_EQ(session(0).outcome, SessionOutcome::no_work);
  EXPECT_EQ(session(0).labels, 2U);
  ASSERT_TRUE(arrive("bob")) << "the budget is spent";
  EXPECT_EQ(work("prolific:bob"), "");
  EXPECT_EQ(session(1).outcome, SessionOutcome::no_work);
  EXPECT_EQ(session(1).earned, Money());
  ASSERT_TRUE(campaign_->close("over", now_));
  ASSERT_TRUE(arrive("cat")) << "after the end";
  EXPECT_EQ(work("prolific:cat"), "");
  EXPECT_EQ(session(2).outcome, SessionOutcome::no_work);
  EXPECT_EQ(exported(ExportKind::bonuses), "ann,2.00\n");
  expect_verified();
}

TEST_F(SessionTest, DoesNotEndWhileItsWorkerHasItems) {
  start_study(some_terms(5), 2, 0);
  ASSERT_TRUE(arrive("ann"));
  EXPECT_EQ(next("prolific:ann", 2).assignments.size(), 2U);
  EXPECT_FALSE(campaign_->next("prolific:ann", 1, now_)) << "there are but two";
  EXPECT_FALSE(session(0).outcome);
  for (const Assignment& one : leased("prolific:ann")) {
    ASSERT_TRUE(answer(one.item, "prolific:ann"));
  }
  EXPECT_FALSE(campaign_->next("prolific:ann", 1, now_));
  EXPECT_EQ(session(0).outcome, SessionOutcome::no_work);
}

TEST_F(SessionTest, LimitsParticipants) {
  RecruitingTerms terms = some_terms();
  terms.most_participants = 2;
  start_study(terms);
  ASSERT_TRUE(arrive("ann"));
  ASSERT_TRUE(arrive("bob"));
  expect_refusal(arrive("cat"), ErrorCode::forbidden, {"takes no more participants"});
  EXPECT_EQ(status().workers, 2U) << "who is refused does not join";
  EXPECT_TRUE(arrive("ann")->back);
  terms.most_participants = 3;
  ASSERT_TRUE(campaign_->set_recruiting("link", terms, now_));
  EXPECT_TRUE(arrive("cat"));
  terms.most_participants = 0;
  terms.open = false;
  ASSERT_TRUE(campaign_->set_recruiting("link", terms, now_));
  expect_refusal(arrive("dan"), ErrorCode::forbidden, {"takes no more"});
  EXPECT_NE(work("prolific:ann"), "") << "those who are in go on";
  expect_verified();
}

TEST_F(SessionTest, RefusesIdsAndTermsThatMakeNoSense) {
  start_study(some_terms());
  for (const char* const id : {"", "a b", "../x", "<b>", "ä"}) {
    expect_refusal(arrive(id), ErrorCode::invalid_argument, {"PROLIFIC_PID", "expected 1 to 64"});
  }
  EXPECT_FALSE(arrive(std::string(65, 'a')));
  EXPECT_FALSE(arrive("ann", "no spaces"));
  expect_refusal(campaign_->join({"other", "ann"}, now_), ErrorCode::not_found, {"link"});
  expect_refusal(campaign_->join({"link", "ann", "s", {{"x", "y"}}}, now_),
                 ErrorCode::invalid_argument, {"'x'"});
  const auto refused = [&](auto change, const char* word) {
    RecruitingTerms terms = some_terms();
    change(terms);
    expect_refusal(campaign_->set_recruiting("l2", terms, now_), ErrorCode::invalid_argument,
                   {word, "expected"});
  };
  refused([](auto& terms) { terms.labels = 0; }, "labels per session 0");
  refused([](auto& terms) { terms.codes.no_work = ""; }, "'no-work'");
  refused([](auto& terms) { terms.return_url = "javascript:alert(1)"; }, "javascript:alert(1)");
  refused([](auto& terms) { terms.return_url = "http://example.com/"; }, "https://");
  refused([](auto& terms) { terms.capture = {"a&b"}; }, "'a&b'");
  refused([](auto& terms) { terms.capture = {"SESSION_ID"}; }, "comes twice");
  refused([](auto& terms) { terms.qualification.least_right = 1.5; }, "1.5");
  refused([](auto& terms) { terms.secret = "short"; }, "secret");
  RecruitingTerms terms = some_terms(3, {7, 0.5});
  expect_refusal(campaign_->set_recruiting("l2", terms, now_), ErrorCode::conflict,
                 {"7 items", "at most 6"});
}

TEST_F(SessionTest, QualifiesOnKnownItemsFirst) {
  start_study(some_terms(2, {4, 0.75}));
  ASSERT_TRUE(arrive("ann"));
  EXPECT_EQ(next("prolific:ann", 8).assignments.size(), 4U);
  bool first = true;
  for (const Assignment& one : leased("prolific:ann")) {
    EXPECT_EQ(one.item[0], 'g');
    ASSERT_TRUE(answer(one.item, "prolific:ann", first ? "no" : "yes"));
    first = false;
  }
  EXPECT_EQ(session(0).tried, 4U);
  EXPECT_EQ(campaign_->view().sessions()->at(0).known_right, 3U);
  EXPECT_FALSE(session(0).outcome) << "3 of 4 pass";
  EXPECT_EQ(work("prolific:ann")[0], 'i');
  EXPECT_EQ(work("prolific:ann")[0], 'i');
  EXPECT_EQ(session(0).outcome, SessionOutcome::done);
  EXPECT_EQ(session(0).earned, Money::whole(6)) << "the qualification is paid";
  reopen();
  expect_verified();
}

TEST_F(SessionTest, LearnsNothingFromThoseWhoAreScreenedOut) {
  start_study(some_terms(4, {3, 0.6}));
  for (const char* const id : {"ann", "bob"}) {
    ASSERT_TRUE(arrive(id));
    for (int n = 0; n < 7; ++n) work(std::string("prolific:") + id);
  }
  const auto before = campaign_->view().answers().value();
  const auto workers = campaign_->view().workers().value();
  ASSERT_TRUE(arrive("eve"));
  for (const std::string label : {"no", "yes", "no"}) work("prolific:eve", label);
  EXPECT_EQ(session(2).outcome, SessionOutcome::screened_out);
  EXPECT_EQ(work("prolific:eve"), "");
  EXPECT_FALSE(arrive("eve", "again"));
  EXPECT_TRUE(arrive("eve")->back);
  const auto compare = [&] {
    const auto after = campaign_->view().answers().value();
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(before[i].probabilities, after[i].probabilities) << before[i].item;
    }
    const auto now = campaign_->view().workers().value();
    for (std::size_t j = 0; j < workers.size(); ++j) {
      EXPECT_EQ(now[j].reliability, workers[j].reliability) << now[j].worker;
    }
    EXPECT_EQ(now[2].facts.gold, 3U) << "the ledger has the labels";
  };
  compare();
  EXPECT_EQ(status().spent, Money::whole(17)) << "and they were paid";
  EXPECT_EQ(session(2).earned, Money::whole(3));
  expect_refusal(campaign_->import(std::vector{Answer{"i1", "prolific:eve", "yes"}}, now_).front(),
                 ErrorCode::conflict, {"qualification"});
  reopen();
  compare();
  expect_verified();
}

TEST_F(SessionTest, LearnsFromTheQualificationOnceItIsPassed) {
  start_study(some_terms(3, {4, 0.5}));
  ASSERT_TRUE(arrive("ann"));
  const double newcomer = campaign_->view().workers()->at(0).reliability;
  for (int n = 0; n < 3; ++n) work("prolific:ann");
  EXPECT_EQ(campaign_->view().workers()->at(0).reliability, newcomer);
  work("prolific:ann");
  EXPECT_GT(campaign_->view().workers()->at(0).reliability, newcomer);
  for (int n = 0; n < 3; ++n) work("prolific:ann");
  const auto beliefs = campaign_->view().answers().value();
  // The same labels without any link.
  const auto other_store = store::memory_store();
  Options options = some_options();
  options.gold_rate = 0;
  auto other = Campaign::create(*other_store, "c", options, kStart).value();
  ASSERT_TRUE(other->add_items(some_items(10), kStart));
  std::vector<ItemDraft> known = some_items(6);
  for (ItemDraft& item : known) {
    item.id[0] = 'g';
    item.gold = "yes";
  }
  ASSERT_TRUE(other->add_items(known, kStart));
  const auto events = campaign_->view().events(0, 1000).value();
  for (const LedgerEntry& one : events) {
    const auto* const given = std::get_if<Answered>(&one.event);
    if (given == nullptr) continue;
    const std::string item =
        campaign_->view().read([&](const State& state) { return state.id(given->item); }).value();
    ASSERT_TRUE(other->import(std::vector{Answer{item, "ann", "yes"}}, kStart).front());
  }
  const auto plain = other->view().answers().value();
  for (std::size_t i = 0; i < beliefs.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(beliefs[i].probabilities[k], plain[i].probabilities[k], 1e-9);
    }
  }
  expect_verified();
}

TEST_F(SessionTest, ASkipInTheQualificationCountsAsWrong) {
  start_study(some_terms(3, {3, 0.6}));
  ASSERT_TRUE(arrive("ann"));
  for (int n = 0; n < 2; ++n)
    ASSERT_TRUE(campaign_->skip(item_for("prolific:ann"), "prolific:ann", now_));
  work("prolific:ann");
  EXPECT_EQ(session(0).outcome, SessionOutcome::screened_out);
  expect_verified();
}

TEST_F(SessionTest, WhoHasSeenTheRightAnswerCannotChangeTheirs) {
  for (const bool feedback : {false, true}) {
    store_ = store::memory_store();
    start_study(some_terms(3, {3, 0.6, feedback}));
    ASSERT_TRUE(arrive("ann"));
    work("prolific:ann", "no");
    const bool may_revise =
        campaign_->view()
            .read([](const State& state) { return state[WorkerId{0}].last.has_value(); })
            .value();
    EXPECT_NE(may_revise, feedback);
  }
}

TEST_F(SessionTest, LateAnswersAfterTheEndAreRefused) {
  start_study(some_terms(2));
  ASSERT_TRUE(arrive("ann"));
  const std::string late = item_for("prolific:ann");
  now_ += minutes(11);
  work("prolific:ann");
  work("prolific:ann");
  ASSERT_EQ(session(0).outcome, SessionOutcome::done);
  const auto labelled = campaign_->view().explain(late);
  bool has_label = false;
  for (const Share& share : labelled->shares) has_label |= share.status == PairStatus::labelled;
  if (!has_label) {
    EXPECT_FALSE(answer(late, "prolific:ann"));
  }
  EXPECT_EQ(session(0).labels, 2U);
  expect_verified();
}

TEST_F(SessionTest, ExportsWhatIsOwed) {
  Options options = some_options();
  options.price = Money::billionths(55'500'000);  // 0.0555
  start_study(some_terms(2, {2, 0.5}), 10, 6, options);
  ASSERT_TRUE(arrive("ann", "visit-1"));
  for (int n = 0; n < 4; ++n) work("prolific:ann");
  ASSERT_TRUE(arrive("bob", "visit-2"));
  const std::string rows = exported(ExportKind::sessions);
  EXPECT_NE(rows.find("link,worker,id,session,outcome,joined,seconds,labels,skipped,qualification,"
                      "known,known_right,owed,parameters\n"),
            std::string::npos)
      << rows;
  EXPECT_NE(rows.find("link,prolific:ann,ann,visit-1,done,"), std::string::npos) << rows;
  EXPECT_NE(rows.find(",8,2,0,2,2,2,0.222,STUDY_ID=st\n"), std::string::npos) << rows;
  EXPECT_NE(rows.find("link,prolific:bob,bob,visit-2,open,"), std::string::npos) << rows;
  EXPECT_EQ(exported(ExportKind::bonuses), "ann,0.22\n") << "rounded to hundredths";
  const std::string events = exported(ExportKind::events);
  EXPECT_NE(events.find("session-joined"), std::string::npos);
  EXPECT_EQ(events.find("5555"), std::string::npos) << "secrets stay in the ledger";
  EXPECT_EQ(events.find("CDONE"), std::string::npos) << "so do codes";
}

TEST_F(SessionTest, VerifyFindsForgedSessions) {
  start_study(some_terms(2, {2, 1}), 4, 3);
  ASSERT_TRUE(arrive("ann"));
  for (int n = 0; n < 4; ++n) work("prolific:ann");
  ASSERT_TRUE(arrive("bob"));
  for (int n = 0; n < 2; ++n) work("prolific:bob", "no");
  ASSERT_TRUE(arrive("cat"));
  ASSERT_TRUE(campaign_->pause(now_));
  EXPECT_EQ(work("prolific:cat"), "");
  expect_verified();
  const auto records = store_->read("c", 0, 1000).value();
  const auto is_found = [&](const auto& forge) {
    const auto store = store::memory_store();
    std::vector<store::Draft> drafts;
    for (const store::Record& record : records) {
      Event event = decode(record.kind, record.payload).value();
      if (!forge(event)) continue;
      drafts.push_back(record);
      drafts.back().payload = encode(event);
    }
    EXPECT_TRUE(store->append("c", 0, drafts, store_->contents("c", 0, 1000).value()));
    const auto open = Campaign::open(*store, "c");
    return !open || !(*open)->verify()->differences.empty();
  };
  EXPECT_FALSE(is_found([](Event&) { return true; }));
  EXPECT_TRUE(is_found([](Event& event) {
    if (auto* one = std::get_if<Qualified>(&event)) one->passed = true;
    return true;
  }));
  EXPECT_TRUE(is_found([](Event& event) {
    if (auto* one = std::get_if<SessionEnded>(&event)) one->outcome = SessionOutcome::done;
    return true;
  }));
  EXPECT_TRUE(is_found([](Event& event) { return !std::holds_alternative<Paused>(event); }))
      << "there was work, and the participant was sent away";
  EXPECT_TRUE(is_found([](Event& event) {
    auto* const one = std::get_if<SessionEnded>(&event);
    if (one && one->outcome == SessionOutcome::no_work) one->outcome = SessionOutcome::incomplete;
    return true;
  })) << "the participant had skipped nothing, and has not left";
}

}  // namespace
}  // namespace allot::campaign::session_test
