// Exports in pieces, and options as texts.
#include "allot/campaign/export.hpp"

#include <gtest/gtest.h>

#include "allot/campaign/campaign.hpp"
#include "allot/campaign/option_text.hpp"
#include "allot/store/memory_store.hpp"

namespace allot::campaign::export_test {
namespace {

const Time kStart(std::chrono::microseconds(1'700'000'000'000'000));

class ExportTest : public testing::Test {
 protected:
  std::unique_ptr<store::Store> store_ = store::memory_store();
  std::unique_ptr<Campaign> campaign_;

  void SetUp() override {
    Options options;
    options.budget = Money::whole(100'000);
    options.refit_every = 1'000'000;
    campaign_ = Campaign::create(*store_, "c", options, kStart).value();
  }
  void add(int count) {
    std::vector<ItemDraft> items;
    for (int i = 0; i < count; ++i) items.push_back({.id = "i" + std::to_string(i)});
    items.front().gold = "yes";
    ASSERT_TRUE(campaign_->add_items(items, kStart));
  }
  std::string all(ExportKind what, ExportFormat format, std::size_t* pieces = nullptr) {
    Export rows(what, format);
    std::string text;
    while (true) {
      const auto piece = rows.next(campaign_->view());
      EXPECT_TRUE(piece) << piece.error().message;
      if (!piece || !*piece) return text;
      EXPECT_LT((*piece)->size(), 2'000'000U);  // all items of one event
      text += **piece;
      if (pieces) ++*pieces;
    }
  }
};

TEST_F(ExportTest, LabelsAsTheyStandNow) {
  add(3);
  std::vector<Answer> answers;
  const Handout handed = campaign_->next("ann", 2, kStart).value();
  for (const Assignment& one : handed.assignments) {
    answers.push_back({one.item, "ann", "no"});
  }
  ASSERT_EQ(answers.size(), 2U);
  for (const auto& outcome : campaign_->record(answers, kStart)) ASSERT_TRUE(outcome);
  const Time later = kStart + std::chrono::seconds(1);
  ASSERT_TRUE(campaign_->record({answers[0].item, "ann", "yes"}, later, true));
  EXPECT_EQ(all(ExportKind::labels, ExportFormat::csv),
            "item,worker,label,time,price,how,truth,seconds,note,counts,confidence\n" + answers[0].item +
                ",ann,yes,2023-11-14T22:13:21Z,1,leased,,,,true,\n" + answers[1].item +
                ",ann,no,2023-11-14T22:13:20Z,1,leased,,,,true,\n");
  EXPECT_EQ(all(ExportKind::labels, ExportFormat::crowd_kit),
            "task,worker,label\n" + answers[0].item + ",ann,yes\n" + answers[1].item + ",ann,no\n");
  EXPECT_NE(all(ExportKind::events, ExportFormat::jsonl).find(R"("event": "revised")"),
            std::string::npos);
}

TEST_F(ExportTest, ComesInPieces) {
  add(5001);
  std::vector<Answer> labels;
  for (int i = 1; i < 5001; ++i) labels.push_back({"i" + std::to_string(i), "ann", "yes"});
  for (const auto& outcome : campaign_->import(labels, kStart)) ASSERT_TRUE(outcome);
  const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
  for (const ExportKind what :
       {ExportKind::labels, ExportKind::answers, ExportKind::probabilities, ExportKind::events}) {
    std::size_t pieces = 0;
    const auto csv = lines(all(what, ExportFormat::csv, &pieces));
    EXPECT_GE(pieces, 3U);
    EXPECT_EQ(csv, lines(all(what, ExportFormat::jsonl)) + 1);
    EXPECT_EQ(csv, what == ExportKind::events ? 1 + 1 + 5001 + 1 + 5000 : 5001);
  }
}

TEST_F(ExportTest, LeavesOutWhatHappensMeanwhile) {
  add(10);
  Export rows(ExportKind::events, ExportFormat::jsonl);
  const auto first = rows.next(campaign_->view());
  ASSERT_TRUE(first && *first);
  ASSERT_TRUE(campaign_->next("ann", 1, kStart));
  EXPECT_FALSE(rows.next(campaign_->view()).value());
}

TEST_F(ExportTest, AnEmptyCampaignHasAHead) {
  EXPECT_EQ(all(ExportKind::labels, ExportFormat::csv),
            "item,worker,label,time,price,how,truth,seconds,note,counts,confidence\n");
  EXPECT_EQ(all(ExportKind::workers, ExportFormat::jsonl), "");
  EXPECT_EQ(export_kind_named("workers"), ExportKind::workers);
  EXPECT_FALSE(export_kind_named("truths"));
}

TEST(OptionTexts, ChooseTheModelByTheItems) {
  const auto named = [](std::string_view name) { return std::string(name); };
  OptionTexts texts{.classes = {"no", "yes"}, .features = {"size"}};
  const auto binary = parse_options(texts, named);
  ASSERT_TRUE(binary);
  EXPECT_EQ(binary->refit, model::Refit::integrated);
  EXPECT_TRUE(has_binary_beliefs(*binary));
  Options before = *binary;
  before.learn_features = false;
  EXPECT_FALSE(has_binary_beliefs(before)) << "campaigns from when no strength was learned";
  texts.refit_by = "pooled";
  EXPECT_FALSE(has_binary_beliefs(parse_options(texts, named).value()));
  texts.refit_by = "vote";
  EXPECT_EQ(parse_options(texts, named).error().message,
            "refit-by 'vote' is no method for these items; expected bp or em or pooled");
  texts = {.classes = {"no", "yes", "maybe"}};
  EXPECT_EQ(parse_options(texts, named)->refit, model::Refit::pooled);
}

TEST(OptionTexts, NameOptionsAsTheirUserDoes) {
  const auto named = [](std::string_view name) { return "<" + std::string(name) + ">"; };
  OptionTexts texts{.classes = {"no", "yes"}};
  const auto usual = parse_options(texts, named);
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->lease, std::chrono::minutes(10));
  EXPECT_EQ(usual->gold_rate, 0.1);
  const auto refused = [&](auto change) {
    OptionTexts wrong = texts;
    change(wrong);
    const auto read = parse_options(wrong, named);
    return read ? "" : read.error().message.substr(0, read.error().message.find('>') + 1);
  };
  EXPECT_EQ(refused([](OptionTexts& t) { t.lease = "soon"; }), "<lease>");
  EXPECT_EQ(refused([](OptionTexts& t) { t.gold_rate = "2"; }), "<gold-rate>");
  for (const char* text : {"200", "200:1", "1:3", "a:3", "200:3:4", ""}) {
    EXPECT_EQ(refused([&](OptionTexts& t) { t.agreement_sample = text; }), "<agreement-sample>");
  }
  EXPECT_EQ(refused([](OptionTexts& t) { t.labels_per_item = "0"; }), "<labels-per-item>");
  EXPECT_EQ(refused([](OptionTexts& t) { t.refit = "often"; }), "<refit>");
  EXPECT_EQ(refused([](OptionTexts& t) { t.coins = "3"; }), "<coins>");
  EXPECT_EQ(refused([](OptionTexts& t) { t.stop = {"never"}; }), "<stop>");
  EXPECT_EQ(refused([](OptionTexts& t) { t.ties = "last"; }), "<ties>");
}

}  // namespace
}  // namespace allot::campaign::export_test
