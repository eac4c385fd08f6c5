// What teaches a campaign how far its probabilities hold: gold items, verdicts, draws of audits.
#include <algorithm>
#include <set>

#include "campaign/campaign_fixture.hpp"

namespace allot::campaign::known_answers_test {
namespace {

std::string id(int i) { return "i" + std::to_string(i); }

class KnownAnswers : public CampaignTest {
 protected:
  /// Items from `gold` on are gold, with the answer `known`. Three workers agree on "yes" for most
  /// items; each is alone on some.
  void start_with_gold(int items, int gold, const std::string& known, Options options) {
    campaign_ = Campaign::create(*store_, "c", options, now_).value();
    auto drafts = some_items(items);
    for (int i = gold; i < items; ++i) drafts[static_cast<std::size_t>(i)].gold = known;
    ASSERT_TRUE(campaign_->add_items(drafts, now_));
    label(items);
  }
  void label(int items) {
    std::vector<Answer> labels;
    const std::vector<std::string> workers{"ann", "bob", "cat"};
    for (int i = 0; i < items; ++i) {
      for (int j = 0; j < 3; ++j) {
        labels.push_back(
            {id(i), workers[static_cast<std::size_t>(j)], i % 7 == j || i % 2 == 0 ? "no" : "yes"});
      }
    }
    for (const auto& one : campaign_->import(labels, now_)) ASSERT_TRUE(one);
  }
  /// Whether the next request finds the campaign paused by a rule.
  bool stops() {
    static_cast<void>(campaign_->next("dan", 1, now_));
    return status().phase == Phase::paused;
  }
  GoldReading reading() {
    return campaign_->view().read([](const State& state) { return state.gold_reading(); }).value();
  }
  void decide(int item, const std::string& answer) {
    const VerdictDraft verdict{id(item), answer};
    ASSERT_TRUE(campaign_->review("eve", std::span(&verdict, 1), now_).front());
  }
};

TEST_F(KnownAnswers, OfGoldItemsAreReadAsIfNobodyKnewThem) {
  start_with_gold(40, 30, "yes", some_options());
  next("dan");
  const GoldReading right = reading();
  EXPECT_EQ(status().known_answers, 10U);
  expect_verified();
  // Other known answers change nothing.
  store_ = store::memory_store();
  start_with_gold(40, 30, "no", some_options());
  next("dan");
  EXPECT_EQ(reading().beliefs, right.beliefs);
  // By another road: the answers of a campaign without gold items.
  store_ = store::memory_store();
  start(some_options(), 40);
  label(40);
  const auto rows = campaign_->view().answers().value();
  ASSERT_EQ(right.beliefs.size(), 10U);
  for (const GoldBelief& belief : right.beliefs) {
    EXPECT_EQ(belief.stated, rows[position(belief.item)].probabilities);
    EXPECT_EQ(belief.labels, 3U);
  }
}

TEST_F(KnownAnswers, OfGoldItemsAreReadAgainAsLabelsCome) {
  Options options = some_options(1000);
  options.gold_rate = 0.5;
  auto drafts = some_items(60);
  for (int i = 40; i < 60; ++i) drafts[static_cast<std::size_t>(i)].gold = "yes";
  campaign_ = Campaign::create(*store_, "c", options, now_, {drafts, {}}).value();
  for (int n = 0; n < 100; ++n) {
    const std::string worker = "w" + std::to_string(n % 8);
    ASSERT_TRUE(answer(item_for(worker), worker, n % 5 ? "yes" : "no"));
  }
  std::vector<std::uint64_t> at;
  std::uint64_t labels = 0;
  ASSERT_TRUE(campaign_->view().replay([&](const LedgerEntry& one) {
    if (std::holds_alternative<Answered>(one.event)) ++labels;
    if (std::holds_alternative<GoldStated>(one.event)) at.push_back(labels);
  }));
  EXPECT_EQ(at, (std::vector<std::uint64_t>{20, 40, 60, 80, 100}));
  expect_verified();
  // The map survives a snapshot.
  const double before = status().calibrated->mean;
  ASSERT_TRUE(campaign_->save_snapshot());
  campaign_.reset();
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(status().calibrated->mean, before);
}

TEST_F(KnownAnswers, OfGoldItemsTellTheStopRuleWhatAnswersAreWorth) {
  const auto with = [&](bool right) {
    store_ = store::memory_store();
    Options options = some_options(1000);
    options.stop.accuracy = 0.8;
    campaign_ = Campaign::create(*store_, "c", options, now_).value();
    auto drafts = some_items(200);
    std::vector<Answer> labels;
    for (int i = 0; i < 200; ++i) {
      const char *const said = i % 2 ? "yes" : "no", *const other = i % 2 ? "no" : "yes";
      // The crowd agrees; on a third of the gold items it may be wrong.
      if (i >= 100) drafts[static_cast<std::size_t>(i)].gold = right || i % 3 ? said : other;
      for (const char* worker : {"ann", "bob", "cat"}) labels.push_back({id(i), worker, said});
    }
    EXPECT_TRUE(campaign_->add_items(drafts, now_));
    for (const auto& one : campaign_->import(labels, now_)) EXPECT_TRUE(one);
    const bool stopped = stops();
    EXPECT_EQ(status().known_answers, 100U);
    expect_verified();
    return stopped;
  };
  EXPECT_TRUE(with(true));
  EXPECT_FALSE(with(false));
}

TEST_F(KnownAnswers, TheStopRuleWaitsForTheLowerEndOfTheRange) {
  Options options = some_options(1000);
  options.stop.accuracy = 0.9;
  start(options, 150);
  std::vector<Answer> labels;
  for (int i = 0; i < 150; ++i)
    for (const char* worker : {"ann", "bob", "cat"}) labels.push_back({id(i), worker, "yes"});
  for (const auto& one : campaign_->import(labels, now_)) ASSERT_TRUE(one);
  bool passed_mean = false;
  for (int i = 0; i < 100 && !stops(); ++i) {
    const Status now = status();
    EXPECT_LT(now.calibrated->low, 0.9);
    passed_mean = passed_mean || now.calibrated->mean >= 0.9;
    decide(i, "yes");
  }
  EXPECT_TRUE(passed_mean) << "negative control: the mean would have stopped earlier";
  EXPECT_EQ(status().reason, "accuracy");
  EXPECT_GE(status().calibrated->low, 0.9);
  expect_verified();
}

TEST_F(KnownAnswers, DrawnAtRandomCountAloneOnceThereAreEnough) {
  start(some_options(1000), 200);
  label(200);
  for (int i = 0; i < 20; ++i) decide(i, "no");
  ASSERT_TRUE(campaign_->start_audit({.checks = 40}, now_));
  const auto draws = campaign_->view().audit_draws(100).value();
  ASSERT_EQ(draws.size(), 40U);
  const auto check = [&](std::size_t from, std::size_t to) {
    std::vector<VerdictDraft> verdicts;
    for (std::size_t n = from; n < to; ++n) verdicts.push_back({draws[n], "yes"});
    for (const auto& one : campaign_->review("eve", verdicts, now_)) ASSERT_TRUE(one);
  };
  check(0, 29);
  EXPECT_EQ(status().known_answers, 49U);
  EXPECT_FALSE(campaign_->view().known_calibration()->only_drawn);
  check(29, 30);
  EXPECT_EQ(status().known_answers, 30U);
  const KnownCalibration known = campaign_->view().known_calibration().value();
  EXPECT_TRUE(known.only_drawn);
  EXPECT_EQ(known.items.size(), 30U);
  EXPECT_EQ(known.map.known(), 30U);
  // A verdict on another item counts no longer.
  const std::set<std::string> drawn(draws.begin(), draws.end());
  int other = 30;
  while (drawn.contains(id(other))) ++other;
  decide(other, "no");
  EXPECT_EQ(status().known_answers, 30U);
  // Without the verdict, one draw is missing.
  ASSERT_TRUE(campaign_->undo_review(draws[0], "eve", now_));
  EXPECT_EQ(status().known_answers, 50U);
  expect_verified();
}

TEST_F(KnownAnswers, OfASequentialAuditAreDrawnIfTheyAreNext) {
  start(some_options(1000), 200);
  label(200);
  ASSERT_TRUE(campaign_->start_audit({.target = 0.999}, now_));
  const auto draws = campaign_->view().audit_draws(100).value();
  std::vector<VerdictDraft> verdicts;
  for (std::size_t n = 0; n < 31; ++n) verdicts.push_back({draws[n], "yes"});
  verdicts.push_back({draws[99], "yes"});  // too far ahead
  for (const auto& one : campaign_->review("eve", verdicts, now_)) ASSERT_TRUE(one);
  EXPECT_EQ(status().known_answers, 31U);
  expect_verified();
}

TEST_F(KnownAnswers, ThatAreForgedAreFoundByVerify) {
  start_with_gold(40, 30, "yes", some_options());
  next("dan");
  ASSERT_TRUE(campaign_->start_audit({.checks = 5}, now_));
  const auto draws = campaign_->view().audit_draws(5).value();
  int other = 0;
  while (std::ranges::find(draws, id(other)) != draws.end()) ++other;
  decide(other, "yes");
  const auto records = store_->read("c", 0, 1000).value();
  const auto differences = [&](const auto& forge) {
    const auto store = store::memory_store();
    std::vector<store::Draft> drafts(records.begin(), records.end());
    for (store::Draft& draft : drafts) {
      Event event = decode(draft.kind, draft.payload).value();
      forge(event);
      draft.payload = encode(event);
    }
    EXPECT_TRUE(store->append("c", 0, drafts, store_->contents("c", 0, 1000).value()));
    return Campaign::open(*store, "c").value()->verify().value().differences.size();
  };
  EXPECT_EQ(differences([](Event&) {}), 0U);
  const auto surer = [](Event& event) {
    if (auto* gold = std::get_if<GoldStated>(&event)) gold->beliefs[3].stated = {1, 0};
  };
  const auto marked = [](Event& event) {
    if (auto* reviewed = std::get_if<Reviewed>(&event)) reviewed->verdicts[0].drawn = true;
  };
  EXPECT_EQ(differences(surer), 1U);
  EXPECT_EQ(differences(marked), 1U);
}

}  // namespace
}  // namespace allot::campaign::known_answers_test
