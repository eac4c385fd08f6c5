// Items without a label have no answer: every report and export says so in the same way.
#include <algorithm>
#include <set>
#include <sstream>

#include "allot/campaign/export.hpp"
#include "campaign_fixture.hpp"

namespace allot::campaign::no_label_test {
namespace {

/// Items i0 to i9. i0 is gold; i1 to i4 have labels; i3 has a verdict too; i5 has a verdict and no
/// label; i6 was skipped; i7 is leased; i8 and i9 were never asked about.
class NoLabel : public CampaignTest {
 protected:
  /// Without refits, answers are the current beliefs.
  void start_mixed() {
    Options options = some_options();
    options.refit = model::Refit::off;
    options.item_prior = "beta:3,1";
    store_ = store::memory_store();
    campaign_ = Campaign::create(*store_, "c", options, now_).value();
    std::vector<ItemDraft> items = some_items(10);
    items[0].gold = "yes";
    for (const std::size_t i : {1U, 2U, 8U}) items[i].truth = "yes";
    ASSERT_TRUE(campaign_->add_items(items, now_));
    std::vector<Answer> labels;
    for (const char* item : {"i0", "i1", "i2", "i3", "i4"}) labels.push_back({item, "ann", "yes"});
    labels.push_back({"i2", "bob", "no"});
    for (const auto& one : campaign_->import(labels, now_)) ASSERT_TRUE(one);
    const std::vector<VerdictDraft> verdicts{{"i3", "no", "irony"}, {"i5", "no"}};
    for (const auto& one : campaign_->review("eve", verdicts, now_)) ASSERT_TRUE(one);
    for (const Assignment& one : next("dan", 20).assignments) {
      if (one.item == "i7") continue;
      ASSERT_TRUE(one.item == "i6" ? campaign_->skip(one.item, "dan", now_)
                                   : campaign_->release(one.item, "dan", now_));
    }
  }

  static bool is_answered(const std::string& item) { return item >= "i1" && item <= "i5"; }

  std::vector<std::vector<std::string>> exported(ExportKind what, ExportFormat format) {
    Export rows(what, format);
    std::string text;
    while (const auto piece = rows.next(campaign_->view()).value()) text += *piece;
    std::vector<std::vector<std::string>> all;
    std::istringstream lines(text);
    for (std::string line, field; std::getline(lines, line);) {
      std::istringstream fields(line);
      all.emplace_back();
      while (std::getline(fields, field, format == ExportFormat::jsonl ? '\n' : ',')) {
        all.back().push_back(field);
      }
    }
    return all;
  }
};

TEST_F(NoLabel, MeansNoAnswerInRowsAndOnTheBoard) {
  start_mixed();
  const auto rows = campaign_->view().answers().value();
  const Board board = campaign_->view().board().value();
  ASSERT_EQ(rows.size(), 9U);
  EXPECT_EQ(board.items[0].answer, ClassId{1}) << "gold";
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const AnswerRow& row = rows[n];
    const Explanation why = campaign_->view().explain(row.item).value();
    EXPECT_EQ(row.answer.has_value(), is_answered(row.item)) << row.item;
    EXPECT_EQ(row.calibrated.has_value(), is_answered(row.item)) << row.item;
    EXPECT_EQ(board.items[n + 1].answer, row.answer) << row.item;
    EXPECT_EQ(why.answered, is_answered(row.item)) << row.item;
    EXPECT_EQ(row.probabilities, why.probabilities) << "the belief stays";
    EXPECT_NEAR(row.probabilities[0] + row.probabilities[1], 1, 1e-12) << row.item;
  }
  EXPECT_EQ(rows[2].answer, ClassId{0}) << "the verdict on i3, against its label";
  EXPECT_EQ(rows[4].answer, ClassId{0}) << "a verdict needs no label";
  const auto ranking = campaign_->view().ranking("bob", 20).value();
  EXPECT_FALSE(ranking.empty());
  for (const RankedItem& one : ranking) {
    EXPECT_EQ(one.answered, is_answered(one.item)) << one.item;
  }
}

TEST_F(NoLabel, CountsApartInTheStatus) {
  start_mixed();
  const Status now = status();
  double of_answers = 0, of_all = 0;
  const auto rows = campaign_->view().answers().value();
  for (const AnswerRow& row : rows) {
    const double sure = std::ranges::max(row.probabilities);
    of_all += sure / 9;
    if (row.answer) of_answers += sure / 5;
  }
  EXPECT_EQ(now.answers.count, 5U);
  EXPECT_EQ(now.answers.unlabelled, 4U);
  EXPECT_NEAR(now.answers.expected_accuracy.value(), of_answers, 1e-12);
  EXPECT_NEAR(now.expected_accuracy, of_all, 1e-12) << "stop rules, bounds and curves";
  EXPECT_GT(std::abs(of_answers - of_all), 0.01) << "the two differ";
  EXPECT_EQ(now.truths, 3U);
  EXPECT_EQ(now.answers.truths, 2U) << "i8 has a truth and no answer";
  EXPECT_EQ(now.answers.accuracy, 1.0);
  EXPECT_TRUE(now.answers.verified);
  expect_verified();
}

TEST_F(NoLabel, AtAllMeansNoAccuracyYet) {
  start(some_options(), 3);
  EXPECT_EQ(status().answers.count, 0U);
  EXPECT_EQ(status().answers.unlabelled, 3U);
  EXPECT_FALSE(status().answers.expected_accuracy);
  EXPECT_FALSE(status().answers.verified);
  ASSERT_TRUE(answer(item_for("ann"), "ann"));
  EXPECT_TRUE(status().answers.expected_accuracy);
  EXPECT_FALSE(status().answers.verified) << "a label is no known answer";
  const VerdictDraft verdict{"i0", "yes"};
  ASSERT_TRUE(campaign_->review("eve", std::span(&verdict, 1), now_).front());
}

TEST_F(NoLabel, LeavesTheAnswerEmptyInExports) {
  start_mixed();
  const auto csv = exported(ExportKind::answers, ExportFormat::csv);
  ASSERT_EQ(csv.size(), 10U);
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(csv[0], name) - csv[0].begin());
  };
  const auto lines = exported(ExportKind::answers, ExportFormat::jsonl);
  for (std::size_t n = 1; n < csv.size(); ++n) {
    const std::string& item = csv[n][0];
    const bool reviewed = item == "i3" || item == "i5";
    for (const char* name : {"answer", "probability", "calibrated", "disagreement"}) {
      EXPECT_EQ(csv[n][column(name)].empty(), !is_answered(item)) << item << " " << name;
    }
    EXPECT_EQ(csv[n][column("status")], reviewed            ? "reviewed"
                                        : is_answered(item) ? "labelled"
                                                            : "no label yet");
    EXPECT_FALSE(csv[n][column("p_yes")].empty()) << "the belief stays";
    const bool null = lines[n - 1][0].find(R"("answer": null)") != std::string::npos;
    EXPECT_EQ(null, !is_answered(item)) << lines[n - 1][0];
  }
  std::set<std::string> tasks;
  for (const auto& row : exported(ExportKind::answers, ExportFormat::crowd_kit)) {
    EXPECT_FALSE(row[1].empty());
    tasks.insert(row[0]);
  }
  EXPECT_EQ(tasks, (std::set<std::string>{"i1", "i2", "i3", "i4", "i5", "task"}));
  EXPECT_EQ(exported(ExportKind::probabilities, ExportFormat::csv).size(), 10U);
  EXPECT_EQ(exported(ExportKind::probabilities, ExportFormat::crowd_kit).size(), 6U);
}

TEST_F(NoLabel, KeepsAnItemOutOfAuditsAndReviews) {
  start_mixed();
  expect_refusal(campaign_->start_audit({.checks = 4}, now_), ErrorCode::invalid_argument,
                 {"4 checks", "only 3 items", "expected at most 3"});
  ASSERT_TRUE(campaign_->start_audit({.checks = 3}, now_));
  const auto drawn = campaign_->view().audit_draws(10).value();
  EXPECT_EQ(std::set<std::string>(drawn.begin(), drawn.end()),
            (std::set<std::string>{"i1", "i2", "i4"}));
  const auto queue = campaign_->view().review_queue(10).value();
  EXPECT_EQ(queue.size(), 3U);
  for (const ReviewItem& one : queue) {
    EXPECT_TRUE(is_answered(one.item)) << one.item;
  }
  expect_verified();
}

TEST_F(NoLabel, MeansNoAnswerEvenWithFeatures) {
  Options options = some_options();
  options.features = {"size"};
  start(options, 0);
  std::vector<ItemDraft> items = some_items(60);
  for (std::size_t i = 0; i < items.size(); ++i) items[i].features = {i % 2 == 0 ? 1.0 : -1.0};
  ASSERT_TRUE(campaign_->add_items(items, now_));
  std::vector<Answer> labels;
  for (int i = 0; i < 59; ++i) {
    for (const char* worker : {"ann", "bob", "cat"}) {
      labels.push_back({"i" + std::to_string(i), worker, i % 2 == 0 ? "yes" : "no"});
    }
  }
  for (const auto& one : campaign_->import(labels, now_)) ASSERT_TRUE(one);
  const AnswerRow last = campaign_->view().answers().value().back();
  EXPECT_GT(last.probabilities[0], 0.6) << "features tell what it may be";
  EXPECT_FALSE(last.answer) << "nobody has looked at it";
  EXPECT_EQ(status().answers.unlabelled, 1U);
}

}  // namespace
}  // namespace allot::campaign::no_label_test
