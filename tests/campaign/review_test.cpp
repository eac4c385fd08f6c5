// Reviewers decide items: what that changes, what is refused, and how it is taken back.
#include "campaign_fixture.hpp"

namespace allot::campaign::review_test {
namespace {

class Review : public CampaignTest {
 protected:
  /// Items i0 to i8 are "yes" for even numbers. The workers are right but for bob, who always errs.
  void work(int rounds) {
    const std::vector<std::string> workers{"ann", "bob", "cat", "dan"};
    for (int n = 0; n < rounds; ++n) {
      const std::string& worker = workers[static_cast<std::size_t>(n) % workers.size()];
      const auto handed = campaign_->next(worker, 1, now_);
      if (!handed) continue;
      const std::string& item = handed->assignments.at(0).item;
      const bool yes = ((item.back() - '0') % 2 == 0) != (worker == "bob");
      given_.push_back({item, worker, yes ? "yes" : "no"});
      ASSERT_TRUE(campaign_->record(given_.back(), now_));
    }
  }

  AnswerRow row_of(const std::string& item) {
    const auto rows = campaign_->view().answers().value();
    return *std::ranges::find(rows, item, &AnswerRow::item);
  }
  WorkerRow worker(const std::string& name) {
    const auto rows = campaign_->view().workers().value();
    return *std::ranges::find(rows, name, &WorkerRow::worker);
  }
  Result<void> decide(const std::string& item, const std::string& answer,
                      const std::string& reviewer = "eve", const std::string& reason = "") {
    const VerdictDraft draft{item, answer, reason};
    return campaign_->review(reviewer, std::span(&draft, 1), now_).front();
  }
  /// Labels of items that have the verdict.
  std::vector<Answer> labels_of(const std::string& item) const {
    std::vector<Answer> labels;
    std::ranges::copy_if(given_, std::back_inserter(labels),
                         [&](const Answer& one) { return one.item == item; });
    return labels;
  }

  std::vector<Answer> given_;
};

TEST_F(Review, SetsTheAnswerWithItsReasonAndAuthor) {
  start(some_options(), 9);
  work(30);
  const AnswerRow before = row_of("i0");
  const std::string other = before.answer == ClassId{0} ? "yes" : "no";
  ASSERT_TRUE(decide("i0", other, "eve", "irony"));
  const AnswerRow after = row_of("i0");
  EXPECT_NE(after.answer, before.answer);
  EXPECT_EQ(after.probabilities[position(after.answer.value())], 1);
  EXPECT_EQ(after.reviewer, "eve");
  EXPECT_EQ(after.review_reason, "irony");
  EXPECT_EQ(after.finish_reason, "reviewed");
  EXPECT_EQ(after.labels, before.labels);
  EXPECT_EQ(status().reviewed, 1U);
  expect_verified();
}

TEST_F(Review, JudgesTheWorkersOfTheItem) {
  start(some_options(), 9);
  work(30);
  const double bob = worker("bob").reliability, ann = worker("ann").reliability;
  std::vector<VerdictDraft> all;
  for (int i = 0; i < 9; ++i) all.push_back({"i" + std::to_string(i), i % 2 ? "no" : "yes"});
  for (const auto& outcome : campaign_->review("eve", all, now_)) ASSERT_TRUE(outcome);
  EXPECT_LT(worker("bob").reliability, bob);
  EXPECT_GT(worker("ann").reliability, ann);
  EXPECT_EQ(worker("bob").facts.reviewed, worker("bob").facts.labels);
  EXPECT_EQ(worker("bob").facts.reviewed_right, 0U);
  EXPECT_EQ(worker("ann").facts.reviewed_right, worker("ann").facts.labels);
  expect_verified();
}

TEST_F(Review, EqualsACampaignInWhichTheItemWasGold) {
  start(some_options(), 9);
  work(30);
  ASSERT_FALSE(labels_of("i1").empty());
  ASSERT_TRUE(decide("i1", "no"));
  const auto other = store::memory_store();
  const auto fresh = Campaign::create(*other, "c", some_options(), now_).value();
  auto items = some_items(9);
  items[1].gold = "no";
  ASSERT_TRUE(fresh->add_items(items, now_));
  for (const auto& result : fresh->import(given_, now_)) ASSERT_TRUE(result);
  const auto wanted = fresh->view().answers().value();
  for (const AnswerRow& one : wanted) {
    EXPECT_NEAR(row_of(one.item).probabilities[1], one.probabilities[1], 1e-9) << one.item;
  }
}

TEST_F(Review, RemembersWhatTheLabelsSaidBefore) {
  start(some_options(), 9);
  work(30);
  const auto explained = campaign_->view().explain("i2").value();
  ASSERT_TRUE(decide("i2", "no"));
  const auto verdict =
      campaign_->view()
          .read([](const State& state) { return *state.verdicts().find(*state.find_item("i2")); })
          .value();
  EXPECT_EQ(verdict.stated, explained.probabilities);
  EXPECT_EQ(verdict.labels, labels_of("i2").size());
  ASSERT_TRUE(campaign_->add_items(some_items(1, 9), now_));
  ASSERT_TRUE(decide("i9", "yes"));
  const auto unlabelled = campaign_->view()
                              .read([](const State& state) {
                                return state.verdicts().find(*state.find_item("i9"))->stated;
                              })
                              .value();
  EXPECT_TRUE(unlabelled.empty()) << "no label, no answer";
}

TEST_F(Review, TakesTheItemOutOfTheSearch) {
  start(some_options(), 2);
  ASSERT_TRUE(decide("i0", "yes"));
  for (const char* worker : {"ann", "bob", "cat"}) EXPECT_EQ(item_for(worker), "i1");
  expect_refusal(campaign_->next("ann", 1, now_), ErrorCode::not_found, {"ann"});
}

TEST_F(Review, RaisesTheBoundByWhatItKnows) {
  start(some_options(), 9);
  work(30);
  const double before = *status().bound;
  for (const char* item : {"i0", "i2", "i4", "i6"}) ASSERT_TRUE(decide(item, "yes"));
  const Status after = status();
  EXPECT_GE(*after.bound, before - 1e-3);
  EXPECT_GE(*after.bound, after.expected_accuracy - 1e-3);
}

TEST_F(Review, CanBeTakenBack) {
  start(some_options(), 9);
  work(30);
  const auto before = campaign_->view().answers().value();
  const auto workers = campaign_->view().workers().value();
  ASSERT_TRUE(decide("i3", "yes"));
  ASSERT_TRUE(campaign_->undo_review("i3", "mia", now_));
  const auto after = campaign_->view().answers().value();
  for (std::size_t n = 0; n < before.size(); ++n) {
    EXPECT_NEAR(after[n].probabilities[1], before[n].probabilities[1], 1e-9);
    EXPECT_EQ(after[n].reviewer, "");
    EXPECT_EQ(after[n].finish_reason, before[n].finish_reason);
  }
  for (const WorkerRow& one : workers) EXPECT_EQ(worker(one.worker).facts.reviewed, 0U);
  ASSERT_TRUE(decide("i3", "no")) << "it can be decided again";
  expect_verified();
}

TEST_F(Review, RefusesWhatMakesNoSense) {
  start(some_options(), 4);
  ItemDraft gold;
  gold.id = "known";
  gold.gold = "yes";
  ASSERT_TRUE(campaign_->add_items(std::span(&gold, 1), now_));
  const std::string item = item_for("ann");
  ASSERT_TRUE(answer(item, "ann"));
  ASSERT_TRUE(decide("i3", "yes", "eve"));
  const auto events = store_->last("c").value();
  expect_refusal(decide("nowhere", "yes"), ErrorCode::not_found, {"nowhere"});
  expect_refusal(decide("i1", "perhaps"), ErrorCode::invalid_argument,
                 {"perhaps", "'no' or 'yes'"});
  expect_refusal(decide("i3", "yes"), ErrorCode::conflict, {"'i3'", "'yes'", "'eve'", "undo"});
  expect_refusal(decide("known", "yes"), ErrorCode::conflict, {"gold"});
  expect_refusal(decide(item, "yes", "ann"), ErrorCode::forbidden, {"'ann'", "as a worker"});
  expect_refusal(decide(item, "yes", ""), ErrorCode::invalid_argument, {"reviewer"});
  expect_refusal(campaign_->undo_review(item, "eve", now_), ErrorCode::conflict, {"no verdict"});
  EXPECT_EQ(store_->last("c").value(), events);
}

TEST_F(Review, KeepsTheGoodVerdictsOfARequest) {
  start(some_options(), 4);
  const std::vector<VerdictDraft> drafts{{"i0", "yes"}, {"nowhere", "yes"}, {"i1", "no"}};
  const auto outcomes = campaign_->review("eve", drafts, now_, "k");
  EXPECT_TRUE(outcomes[0]);
  expect_refusal(outcomes[1], ErrorCode::not_found, {"nowhere"});
  EXPECT_TRUE(outcomes[2]);
  const auto events = store_->last("c").value();
  const auto again = campaign_->review("eve", drafts, now_, "k");
  EXPECT_TRUE(again[0]);
  EXPECT_TRUE(again[2]);
  EXPECT_FALSE(again[1]);
  EXPECT_EQ(store_->last("c").value(), events) << "the same key changes nothing";
  EXPECT_FALSE(campaign_->review("mia", drafts, now_, "k").front()) << "another reviewer's key";
  EXPECT_EQ(status().reviewed, 2U);
}

TEST_F(Review, RepeatedUnderItsKeyIsRefusedForOtherVerdicts) {
  start(some_options(), 4);
  const std::vector<VerdictDraft> drafts{{"i0", "yes"}, {"i1", "no"}};
  for (const auto& outcome : campaign_->review("eve", drafts, now_, "k")) ASSERT_TRUE(outcome);
  campaign_ = Campaign::open(*store_, "c").value();
  for (const auto& outcome : campaign_->review("eve", drafts, now_, "k")) EXPECT_TRUE(outcome);
  const std::vector<VerdictDraft> fewer{drafts[0]}, other{drafts[0], {"i1", "yes"}};
  for (const auto& one : {fewer, other}) {
    for (const auto& outcome : campaign_->review("eve", one, now_, "k")) {
      expect_refusal(outcome, ErrorCode::key_reused, {"'k'"});
    }
  }
  EXPECT_EQ(status().reviewed, 2U);
}

TEST_F(Review, RepeatedUnderItsKeyWithAnotherVerdictIsAnotherRequest) {
  start(some_options(), 4);
  const std::vector<VerdictDraft> drafts{{"i0", "yes"}, {"zz", "no"}};
  const auto first = campaign_->review("eve", drafts, now_, "k");
  const auto again = campaign_->review("eve", drafts, now_, "k");
  for (const auto& outcomes : {first, again}) {
    EXPECT_TRUE(outcomes[0]);
    EXPECT_FALSE(outcomes[1]);
  }
  const std::vector<VerdictDraft> more{{"i0", "yes"}, {"i2", "no"}};
  for (const auto& outcome : campaign_->review("eve", more, now_, "k"))
    expect_refusal(outcome, ErrorCode::key_reused, {"'k'"});
  EXPECT_EQ(status().reviewed, 1U);
}

TEST_F(Review, TakesNoneOfTwoVerdictsOnOneItem) {
  start(some_options(), 4);
  const std::vector<VerdictDraft> drafts{{"i0", "yes"}, {"i1", "no"}, {"i0", "no"}};
  const auto outcomes = campaign_->review("eve", drafts, now_);
  expect_refusal(outcomes[0], ErrorCode::conflict, {"'i0'", "2 verdicts"});
  EXPECT_TRUE(outcomes[1]);
  expect_refusal(outcomes[2], ErrorCode::conflict, {"'i0'", "2 verdicts"});
  EXPECT_EQ(status().reviewed, 1U);
}

TEST_F(Review, TakenBackTwiceUnderOneKeyIsTakenBackOnce) {
  start(some_options(), 4);
  ASSERT_TRUE(decide("i0", "yes"));
  ASSERT_TRUE(decide("i1", "yes"));
  ASSERT_TRUE(campaign_->undo_review("i0", "eve", now_, "k"));
  ASSERT_TRUE(decide("i0", "no")) << "decided again meanwhile";
  campaign_ = Campaign::open(*store_, "c").value();
  const auto events = store_->last("c").value();
  EXPECT_TRUE(campaign_->undo_review("i0", "eve", now_, "k"));
  expect_refusal(campaign_->undo_review("i1", "eve", now_, "k"), ErrorCode::key_reused, {"'k'"});
  expect_refusal(campaign_->undo_review("i0", "mia", now_, "k"), ErrorCode::key_reused, {"'k'"});
  EXPECT_EQ(store_->last("c").value(), events);
  EXPECT_EQ(status().reviewed, 2U);
}

TEST_F(Review, KeepsAReviewerFromLabellingTheItem) {
  start(some_options(), 2);
  const std::string item = item_for("ann"), other = item == "i0" ? "i1" : "i0";
  ASSERT_TRUE(answer(item, "ann"));
  ASSERT_TRUE(decide(item, "yes", "eve"));
  ASSERT_TRUE(campaign_->undo_review(item, "mia", now_));
  const auto expect_barred = [&] {
    for (const char* reviewer : {"eve", "mia"}) {
      const auto handed = campaign_->next(reviewer, 5, now_).value();
      ASSERT_EQ(handed.assignments.size(), 1U) << reviewer;
      EXPECT_EQ(handed.assignments[0].item, other);
      ASSERT_TRUE(campaign_->release(other, reviewer, now_));
      expect_refusal(campaign_->record({item, reviewer, "yes"}, now_), ErrorCode::forbidden,
                     {item, reviewer, "another worker"});
      const Answer label{item, reviewer, "yes"};
      expect_refusal(campaign_->import(std::span(&label, 1), now_).front(), ErrorCode::forbidden,
                     {"has reviewed"});
    }
  };
  expect_barred();
  EXPECT_EQ(campaign_->next("bob", 2, now_)->assignments.size(), 2U) << "others get it";
  campaign_ = Campaign::open(*store_, "c").value();
  expect_barred();
  ASSERT_TRUE(campaign_->save_snapshot());
  campaign_ = Campaign::open(*store_, "c").value();
  expect_barred();
  Options options = some_options();
  options.policy = "kg";
  ASSERT_TRUE(campaign_->set_model(options, now_));
  expect_barred();
  ASSERT_TRUE(decide(item, "no", "eve"));
  ASSERT_TRUE(campaign_->undo_review(item, "eve", now_)) << "a second time";
  expect_barred();
  expect_verified();
}

TEST_F(Review, KeepsAWorkerWithALeaseFromConfirmingTheirOwnVerdict) {
  start(some_options(), 1);
  ASSERT_EQ(item_for("eve"), "i0");
  ASSERT_TRUE(decide("i0", "yes", "eve"));
  expect_refusal(campaign_->record({"i0", "eve", "yes"}, now_), ErrorCode::forbidden,
                 {"has reviewed"});
  ASSERT_TRUE(campaign_->undo_review("i0", "eve", now_));
  ASSERT_TRUE(campaign_->release("i0", "eve", now_));
  expect_refusal(campaign_->next("eve", 1, now_), ErrorCode::not_found, {"'eve'"});
  EXPECT_EQ(item_for("bob"), "i0");
  expect_verified();
}

TEST_F(Review, GoesOnAfterTheClose) {
  start(some_options(), 4);
  ASSERT_TRUE(campaign_->close("done", now_));
  ASSERT_TRUE(decide("i0", "yes"));
  ASSERT_TRUE(campaign_->undo_review("i0", "eve", now_));
  expect_verified();
}

TEST_F(Review, SurvivesReopeningAndSnapshots) {
  start(some_options(), 9);
  work(20);
  ASSERT_TRUE(decide("i4", "yes", "eve", "clear"));
  work(10);
  const auto live = campaign_->view().answers().value();
  const auto expect_same = [&] {
    const auto rows = campaign_->view().answers().value();
    for (std::size_t n = 0; n < live.size(); ++n) {
      EXPECT_EQ(rows[n].probabilities, live[n].probabilities);
      EXPECT_EQ(rows[n].review_reason, live[n].review_reason);
    }
  };
  campaign_ = Campaign::open(*store_, "c").value();
  expect_same();
  ASSERT_TRUE(campaign_->save_snapshot());
  campaign_ = Campaign::open(*store_, "c").value();
  expect_same();
  expect_verified();
}

TEST_F(Review, IsCheckedByVerify) {
  start(some_options(), 4);
  const std::string item = item_for("ann");
  ASSERT_TRUE(answer(item, "ann"));
  const auto which =
      campaign_->view().read([&](const State& state) { return *state.find_item(item); }).value();
  // A ledger in which somebody made the answer look surer than it was.
  const Event forged = Reviewed{"eve", {{which, ClassId{1}, "", {0.0001, 0.9999}, 1}}};
  const auto last = store_->last("c").value();
  const store::Draft draft{now_.time_since_epoch().count(), kind(forged), "", encode(forged)};
  campaign_.reset();
  ASSERT_TRUE(store_->append("c", last, std::span(&draft, 1)));
  campaign_ = Campaign::open(*store_, "c").value();
  const auto result = campaign_->verify().value();
  ASSERT_EQ(result.differences.size(), 1U);
  EXPECT_NE(result.differences.front().find("before its review"), std::string::npos);
}

TEST_F(Review, CalibratesWhatTheCampaignStates) {
  start(some_options(1000), 200);
  std::vector<Answer> labels;
  std::vector<VerdictDraft> verdicts;
  for (int i = 0; i < 200; ++i) {
    const std::string id = "i" + std::to_string(i);
    // Both workers are wrong on a third of the items, together.
    for (const char* worker : {"ann", "bob"}) labels.push_back({id, worker, i % 3 ? "yes" : "no"});
    if (i < 60) verdicts.push_back({id, "yes"});
  }
  for (const auto& one : campaign_->import(labels, now_)) ASSERT_TRUE(one);
  const Status before = status();
  ASSERT_TRUE(before.calibrated);
  EXPECT_EQ(before.known_answers, 0U);
  EXPECT_LT(before.calibrated->mean, before.expected_accuracy) << "the prior";
  for (const auto& one : campaign_->review("eve", verdicts, now_)) ASSERT_TRUE(one);
  const Status after = status();
  EXPECT_EQ(after.known_answers, 60U);
  // Two thirds of 140 answers are right, and 60 are known.
  const double truth = (140 * 2.0 / 3 + 60) / 200;
  EXPECT_NEAR(after.calibrated->mean, truth, 0.05);
  EXPECT_LT(after.calibrated->low, truth);
  EXPECT_GT(after.calibrated->high, truth);
  EXPECT_LT(after.calibrated->high - after.calibrated->low,
            before.calibrated->high - before.calibrated->low);
  EXPECT_GT(after.expected_accuracy, after.calibrated->high) << "the model is too sure";
  const AnswerRow row = row_of("i100");
  EXPECT_LT(row.calibrated, row.probabilities[position(row.answer.value())]);
  EXPECT_EQ(row_of("i1").calibrated, 1) << "reviewed";
}

TEST_F(Review, TellsTheStopRuleWhatTheAccuracyIs) {
  // Two workers agree on everything, which convinces the model.
  const auto stops = [&](bool calibrated, int verdicts, const char* truth) {
    store_ = store::memory_store();
    Options options = some_options(1000);
    options.stop.accuracy = 0.9;
    options.calibrated = calibrated;
    start(options, 100);
    std::vector<Answer> labels;
    std::vector<VerdictDraft> known;
    for (int i = 0; i < 100; ++i) {
      const std::string id = "i" + std::to_string(i);
      for (const char* worker : {"ann", "bob", "cat"}) labels.push_back({id, worker, "yes"});
      if (i < verdicts) known.push_back({id, i % 4 == 0 ? truth : "yes"});
    }
    for (const auto& one : campaign_->import(labels, now_)) EXPECT_TRUE(one);
    for (const auto& one : campaign_->review("eve", known, now_)) EXPECT_TRUE(one);
    static_cast<void>(campaign_->next("dan", 1, now_));
    expect_verified();
    return status().phase == Phase::paused;
  };
  EXPECT_TRUE(stops(false, 0, "yes")) << "campaigns of older versions";
  EXPECT_TRUE(stops(true, 60, "yes")) << "the checks confirm it";
  EXPECT_FALSE(stops(true, 60, "no")) << "a quarter of the checked answers is wrong";
}

TEST_F(Review, QueueStartsWithTheLeastCertain) {
  start(some_options(), 9);
  work(24);
  ASSERT_TRUE(decide("i0", "yes"));
  const auto queue = campaign_->view().review_queue(100).value();
  ASSERT_FALSE(queue.empty());
  double before = 0;
  for (const ReviewItem& one : queue) {
    EXPECT_NE(one.item, "i0");
    EXPECT_FALSE(one.labels.empty());
    const double sure = one.probabilities[position(one.answer)];
    EXPECT_GE(sure, before - 1e-12);
    before = sure;
  }
  const auto disputed = campaign_->view().review_queue(100, ReviewOrder::disputed).value();
  EXPECT_EQ(disputed.size(), queue.size());
  for (std::size_t n = 1; n < disputed.size(); ++n) {
    EXPECT_LE(disputed[n].disagreement, disputed[n - 1].disagreement);
  }
  EXPECT_EQ(campaign_->view().review_queue(2).value().size(), 2U);
}

}  // namespace
}  // namespace allot::campaign::review_test
