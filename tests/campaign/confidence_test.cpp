// Labels whose workers say how sure they are, or that they do not know, in a campaign.
#include <cmath>
#include <limits>

#include "allot/aggregate/pooled.hpp"
#include "allot/base/rng.hpp"
#include "allot/campaign/export.hpp"
#include "campaign_fixture.hpp"

namespace allot::campaign::confidence_test {
namespace {

constexpr std::uint64_t kSeed = 24;

class ConfidenceTest : public CampaignTest {
 protected:
  void start_with(std::size_t classes, int items, std::uint64_t budget = 2000) {
    Options options = some_options(budget);
    options.classes = {"a", "b", "c"};
    options.classes.resize(classes);
    options.learn_workers = classes > 2;
    start(options, items);
  }

  /// Six workers take turns. They are right three times in four, and surer where they are right.
  void work(int rounds, bool confident = true) {
    const std::size_t classes = names().size();
    for (int n = 0; n < rounds; ++n, now_ += seconds(3)) {
      const std::string worker = "w" + std::to_string(n % 6);
      const auto handed = campaign_->next(worker, 1, now_);
      if (!handed) continue;
      const std::string& item = handed->assignments.at(0).item;
      const std::size_t truth = static_cast<std::size_t>(std::stoi(item.substr(1))) % classes;
      const bool right = uniform(rng_) < 0.75;
      const double u = uniform(rng_), odds = (right ? 2.5 : 0) + std::log(u / (1 - u));
      Answer answer{item, worker, names()[(truth + (right ? 0 : 1)) % classes]};
      if (confident && n % 5 != 0)
        answer.confidence = static_cast<float>(1 / (1 + std::exp(-odds)));
      const auto done = campaign_->record(answer, now_);
      ASSERT_TRUE(done) << done.error().message;
    }
  }

  std::vector<std::string> names() const {
    return campaign_->view()
        .read([](const State& state) { return state.options().classes; })
        .value();
  }
  /// The labels of the campaign, item by item.
  model::LabelSet labels() const {
    return campaign_->view()
        .read([](const State& state) {
          const auto classes = static_cast<std::uint32_t>(state.options().classes.size());
          model::LabelSet set{state.item_count(), state.worker_count(), classes, {}, {}};
          for (std::uint32_t i = 0; i < state.item_count(); ++i) {
            for (const Share& share : state.pairs().shares(ItemId{i})) {
              if (share.status != PairStatus::labelled) continue;
              set.labels.push_back({ItemId{i}, share.worker, share.label});
              set.confidences.push_back(share.confidence);
            }
          }
          return set;
        })
        .value();
  }
  /// A label with a confidence.
  Answer some_label() const {
    return campaign_->view()
        .read([](const State& state) -> Answer {
          for (std::uint32_t i = 0;; ++i) {
            for (const Share& share : state.pairs().shares(ItemId{i})) {
              if (!model::has_confidence(share.confidence)) continue;
              return {state.id(ItemId{i}),
                      state.name(share.worker),
                      class_name(state.options(), share.label),
                      {},
                      share.confidence};
            }
          }
        })
        .value();
  }
  std::string exported(ExportKind what) const {
    Export rows(what, ExportFormat::csv);
    std::string text;
    while (const auto piece = rows.next(campaign_->view()).value()) text += *piece;
    return text;
  }
  Rng rng_{kSeed};
};

TEST_F(ConfidenceTest, AnswersAreThoseOfPooledWithTheConfidences) {
  for (const std::size_t classes : {2U, 3U}) {
    SCOPED_TRACE(classes);
    store_ = store::memory_store();
    start_with(classes, 100);
    work(40, false);
    work(320);
    model::LabelSet given = labels();
    const auto with = aggregate::pooled(given).value();
    EXPECT_NE(with.confidences, aggregate::ConfidenceUse::useless);
    expect_near(stated(*campaign_), with.answers.probabilities);
    given.confidences.clear();
    EXPECT_NE(aggregate::pooled(given)->answers.probabilities, with.answers.probabilities);
    expect_verified();
  }
}

TEST_F(ConfidenceTest, DecisionsAreMadeAgainByVerifyAndFromSnapshots) {
  start_with(2, 60);
  work(50, false);
  work(150);
  ASSERT_TRUE(campaign_->save_snapshot());
  const auto live = stated(*campaign_);
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(stated(*campaign_), live);
  work(40);
  ASSERT_TRUE(campaign_->set_standing("w1", Standing::excluded, "", now_));
  work(30);
  ASSERT_TRUE(campaign_->set_standing("w1", Standing::active, "", now_));
  expect_verified();
  expect_equal_from_the_ledger();
}

TEST_F(ConfidenceTest, FollowsRevisionsAndReviews) {
  start_with(3, 60);
  work(220);
  const auto before = stated(*campaign_);
  const Answer one = some_label();
  Answer other = one;
  other.label = one.label == "a" ? "b" : "a";
  other.confidence = 0.25F;
  EXPECT_EQ(campaign_->record(other, now_, true).value(), Outcome::revised);
  expect_near(stated(*campaign_), aggregate::pooled(labels())->answers.probabilities);
  EXPECT_NE(exported(ExportKind::labels).find("0.25"), std::string::npos);
  EXPECT_EQ(campaign_->record(one, now_, true).value(), Outcome::revised);
  expect_near(stated(*campaign_), before);
  const std::vector<VerdictDraft> verdict{{one.item, "c"}};
  ASSERT_TRUE(campaign_->review("eve", verdict, now_).front());
  ASSERT_TRUE(campaign_->undo_review(one.item, "eve", now_));
  expect_near(stated(*campaign_), before);
  expect_verified();
}

TEST_F(ConfidenceTest, IsKeptWhereBeliefsCannotReadIt) {
  Options worth = some_options();
  worth.stop.worth = Money::whole(100);
  Options one_pass = some_options();
  one_pass.refit = model::Refit::off;
  one_pass.worker_prior = "beta:4,1";
  for (const Options& options : {worth, one_pass}) {
    std::vector<double> beliefs;
    for (const std::optional<float> confidence : {std::optional<float>(), std::optional(0.5F)}) {
      store_ = store::memory_store();
      start(options);
      const std::string item = item_for("ann");
      ASSERT_TRUE(campaign_->record(Answer{item, "ann", "yes", {}, confidence}, now_));
      if (confidence) {
        EXPECT_EQ(stated(*campaign_), beliefs);
      }
      beliefs = stated(*campaign_);
      expect_verified();
    }
    EXPECT_EQ(some_label().confidence, 0.5F);
    ASSERT_TRUE(campaign_->set_options(
        [&] {
          Options other = options;
          other.stop = {};
          return other;
        }(),
        now_));
    expect_verified();
  }
}

TEST_F(ConfidenceTest, RefusesWhatIsNoProbability) {
  start();
  const std::string item = item_for("ann");
  for (const float wrong : {-0.1F, 1.5F, std::numeric_limits<float>::quiet_NaN()}) {
    const Answer answer{item, "ann", "yes", {}, wrong};
    expect_refusal(campaign_->record(answer, now_), ErrorCode::invalid_argument,
                   {"expected a number from 0 to 1"});
    expect_refusal(campaign_->import(std::vector{answer}, now_).front(),
                   ErrorCode::invalid_argument, {"expected a number from 0 to 1"});
  }
  Answer answer{item, "ann", "yes", {}, 0.75F};
  EXPECT_EQ(campaign_->record(answer, now_, false, "k").value(), Outcome::recorded);
  EXPECT_EQ(campaign_->record(answer, now_, false, "k").value(), Outcome::recorded);
  answer.confidence = 0.5F;
  expect_refusal(campaign_->record(answer, now_, false, "k"), ErrorCode::key_reused, {"'k'"});
  EXPECT_EQ(campaign_->record(answer, now_).value(), Outcome::already);
  EXPECT_EQ(some_label().confidence, 0.75F) << "that of the first time";
  expect_verified();
}

TEST_F(ConfidenceTest, AProbabilityPerClassIsTheMostProbableLabel) {
  Options options;
  options.classes = {"a", "b", "c"};
  using Probabilities = std::vector<std::pair<std::string, double>>;
  const auto best = most_probable(options, Probabilities{{"c", 0.25}, {"b", 0.5}, {"a", 0.25}});
  ASSERT_TRUE(best);
  EXPECT_EQ(best->label, "b");
  EXPECT_EQ(best->confidence, 0.5F);
  EXPECT_EQ(most_probable(options, Probabilities{{"c", 0.4}, {"a", 0.4}})->label, "c");
  for (const auto& [wrong, words] : std::vector<std::pair<Probabilities, std::string>>{
           {{}, "expected one per class"},
           {{{"d", 1}}, "unknown label 'd'"},
           {{{"a", 0.5}, {"a", 0.5}}, "two probabilities"},
           {{{"a", -0.5}}, "out of range"},
           {{{"a", 0.6}, {"b", 0.6}}, "expected at most 1"}}) {
    expect_refusal(most_probable(options, wrong), ErrorCode::invalid_argument, {words});
  }
}

TEST_F(ConfidenceTest, AnAbstentionMovesNoBeliefAndIsPaidIfItMust) {
  start_with(2, 4, 5);
  ASSERT_TRUE(
      campaign_->set_prices(std::vector{std::pair(std::string("gpt"), Money::whole(2))}, now_));
  const auto before = stated(*campaign_);
  const Remark unsure{0, std::string(kUnsure), "cannot tell"};
  const std::string first = item_for("gpt");
  ASSERT_TRUE(campaign_->skip(first, "gpt", now_, "k", unsure, true));
  ASSERT_TRUE(campaign_->skip(first, "gpt", now_, "k", unsure, true)) << "the same request";
  EXPECT_EQ(status().spent, Money::whole(2));
  EXPECT_EQ(stated(*campaign_), before);
  expect_refusal(answer(first, "gpt", "a"), ErrorCode::conflict, {"skipped"});
  const std::string second = item_for("gpt");
  EXPECT_NE(second, first) << "it is not asked again";
  expect_refusal(campaign_->skip(second, "gpt", now_, "", {0, "broken", ""}, true),
                 ErrorCode::invalid_argument, {"'broken' is not paid", "'unsure'"});
  ASSERT_TRUE(campaign_->skip(second, "gpt", now_, "", unsure));
  EXPECT_EQ(status().spent, Money::whole(2));
  EXPECT_EQ(status().reserved, Money());
  const WorkerRow row = campaign_->view().workers()->front();
  EXPECT_EQ(row.facts.skips, 2U);
  EXPECT_EQ(row.facts.abstained, 2U);
  EXPECT_EQ(row.facts.spent, Money::whole(2));
  EXPECT_NE(exported(ExportKind::skips).find("unsure,cannot tell,,2\n"), std::string::npos);
  ASSERT_TRUE(campaign_->skip(item_for("gpt"), "gpt", now_, "", unsure, true));
  EXPECT_FALSE(campaign_->next("gpt", 1, now_)) << "the budget holds";
  expect_verified();
  ASSERT_TRUE(campaign_->save_snapshot());
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(status().spent, Money::whole(4));
  expect_verified();
}

}  // namespace
}  // namespace allot::campaign::confidence_test
