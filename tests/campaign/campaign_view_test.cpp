// Reports: status, board, answers, workers, explanations, bounds.
#include <algorithm>

#include "allot/store/memory_store.hpp"
#include "campaign/campaign_fixture.hpp"

namespace allot::campaign::campaign_view_test {
namespace {

using CampaignReports = CampaignTest;

TEST_F(CampaignReports, ReportsWhatItKnows) {
  start();
  for (const char* worker : {"a", "b", "c"}) {
    for (const Assignment& one : next(worker, 5).assignments) {
      ASSERT_TRUE(answer(one.item, worker, one.item == "i0" && worker[0] == 'c' ? "no" : "yes"));
    }
  }
  const auto rows = campaign_->view().answers().value();
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0].labels, 3U);
  EXPECT_EQ(rows[0].answer, ClassId{1});
  EXPECT_NEAR(rows[0].disagreement, 1.0 / 3, 1e-12);
  EXPECT_NEAR(rows[0].probabilities[0] + rows[0].probabilities[1], 1, 1e-12);
  EXPECT_GT(rows[0].entropy, rows[1].entropy);
  const auto workers = campaign_->view().workers().value();
  EXPECT_NEAR(*workers[0].agreement, 0.9, 1e-12);  // of b and c about i0, one
  EXPECT_NEAR(*workers[2].agreement, 0.8, 1e-12);
  EXPECT_LT(workers[0].low, workers[0].reliability);
  EXPECT_GT(workers[0].high, workers[0].reliability);
  const Explanation why = campaign_->view().explain("i0", "a").value();
  EXPECT_EQ(why.shares.size(), 3U);
  EXPECT_TRUE(why.value.has_value());
  // The belief now is the mean of what it may become.
  ASSERT_EQ(why.outlook.size(), 2U);
  EXPECT_NEAR(why.outlook[0].chance + why.outlook[1].chance, 1, 1e-12);
  EXPECT_NEAR(why.outlook[0].chance * why.outlook[0].probabilities[1] +
                  why.outlook[1].chance * why.outlook[1].probabilities[1],
              why.probabilities[1], 1e-12);
  ASSERT_TRUE(campaign_->add_items(some_items(3, 7), now_));
  const auto ranking = campaign_->view().ranking("a", 9).value();
  ASSERT_EQ(ranking.size(), 3U);
  EXPECT_GE(ranking[0].value, ranking[2].value);
  EXPECT_TRUE(campaign_->view().whom_next().value().has_value());
  std::uint64_t events = 0;
  ASSERT_TRUE(campaign_->view().replay([&](const LedgerEntry& one) {
    const std::uint64_t sequence = one.sequence;
    EXPECT_EQ(sequence, ++events);
  }));
  EXPECT_EQ(events, status().events);
  expect_verified();
}

TEST_F(CampaignReports, AgreementIsWithTheOtherWorkers) {
  start();
  const std::vector<Answer> labels{{"i0", "ann", "yes"}, {"i0", "bob", "yes"}, {"i0", "cid", "no"},
                                   {"i1", "ann", "no"},  {"i1", "bob", "yes"}, {"i2", "cid", "no"}};
  for (const auto& outcome : campaign_->import(labels, now_)) ASSERT_TRUE(outcome);
  const auto rows = campaign_->view().workers().value();
  // i0: of bob and cid one says yes, so half; i1: bob says no such thing.
  EXPECT_DOUBLE_EQ(rows[0].agreement.value(), 0.25);
  EXPECT_DOUBLE_EQ(rows[1].agreement.value(), 0.25);
  EXPECT_DOUBLE_EQ(rows[2].agreement.value(), 0);
}

TEST_F(CampaignReports, TruthsMeasureAnswersAndDecideNothing) {
  const auto play = [&](bool known) {
    store_ = store::memory_store();
    auto items = some_items(8);
    for (std::size_t n = 0; n < items.size(); ++n) {
      if (known && n != 3) items[n].truth = n % 2 == 0 ? "yes" : "no";
    }
    items[7].gold = "yes";
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
  EXPECT_EQ(status().truths, 0U);
  EXPECT_FALSE(status().accuracy);
  EXPECT_EQ(play(true), without);
  EXPECT_EQ(status().truths, 6U) << "gold apart";
  double right = 0;
  for (const char* item : {"i0", "i1", "i2", "i4", "i5", "i6"}) {
    const auto p = campaign_->view().explain(item)->probabilities;
    right += (p[1] > p[0]) == ((item[1] - '0') % 2 == 0);
  }
  EXPECT_DOUBLE_EQ(*status().accuracy, right / 6);
  expect_verified();
  // They are in snapshots as well.
  ASSERT_TRUE(campaign_->save_snapshot());
  const auto opened = *Campaign::open(*store_, "c");
  EXPECT_EQ(opened->view().status()->accuracy, status().accuracy);
  auto wrong = some_items(1);
  wrong[0].id = "new";
  wrong[0].truth = "maybe";
  expect_refusal(campaign_->add_items(wrong, now_), ErrorCode::invalid_argument, {"'maybe'"});
}

TEST_F(CampaignReports, KnowsWhenTheLeaseOfTheLastLabelWouldHaveEnded) {
  start();
  const std::string first = item_for("ann"), second = item_for("ann");
  const auto last = [&] {
    std::optional<std::pair<std::string, Time>> found;
    EXPECT_TRUE(campaign_->view().read([&](const State& state) {
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

TEST_F(CampaignReports, ABoardHoldsTheBeliefAboutEveryItem) {
  for (const bool several : {false, true}) {
    store_ = store::memory_store();
    Options options = some_options();
    if (several) options.classes = {"no", "yes", "maybe"};
    options.gold_rate = 0;
    auto items = some_items(6);
    items[2].gold = "yes";
    now_ = kStart;
    campaign_ = *Campaign::create(*store_, "c", options, now_, {items, {}});
    std::vector<WorkerLabel> said;
    ItemId most{};
    for (int n = 0; n < 15; ++n) {
      const std::string worker = "w" + std::to_string(n % 3);
      const std::string item = item_for(worker);
      ASSERT_TRUE(answer(item, worker, n % 4 == 0 ? "no" : "yes"));
    }
    const Board board = *campaign_->view().board();
    ASSERT_EQ(board.items.size(), 6U);
    std::uint32_t labels = 0;
    for (std::uint32_t i = 0; i < 6; ++i) {
      const auto why = *campaign_->view().explain("i" + std::to_string(i));
      labels += board.items[i].labels;
      if (i == 2) {
        EXPECT_EQ(board.items[i].probability, 1);
        continue;
      }
      EXPECT_EQ(board.items[i].probability, std::ranges::max(why.probabilities));
      EXPECT_EQ(board.items[i].probability,
                why.probabilities[position(board.items[i].answer.value())]);
      if (board.items[i].labels > board.items[position(most)].labels) most = ItemId{i};
    }
    EXPECT_EQ(labels, 15U);
    // Along the labels of an item: each step is what the outlook of its worker says it does.
    const std::string id = "i" + std::to_string(position(most));
    const auto now = *campaign_->view().explain(id);
    for (const Share& one : now.shares) said.push_back({one.worker, one.label});
    const auto along = *campaign_->view().belief_history(most, said);
    ASSERT_EQ(along.size(), said.size());
    for (std::size_t k = 0; k < now.probabilities.size(); ++k) {
      EXPECT_NEAR(along.back()[k], now.probabilities[k], 1e-9) << "the last is what is believed";
    }
    for (std::size_t n = 1; n < said.size(); ++n) {
      const std::string worker = "w" + std::to_string(position(said[n].worker));
      const auto outlook = campaign_->view().explain(id, worker)->outlook[position(said[n].label)];
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
    EXPECT_TRUE(campaign_->view().belief_history(ItemId{2}, {})->empty()) << "gold";
  }
}

TEST_F(CampaignReports, SeveralClassesAndFeatures) {
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
  const auto rows = campaign_->view().answers().value();
  EXPECT_EQ(rows[0].answer, ClassId{0});
  EXPECT_EQ(rows[3].answer, ClassId{2});
  const Explanation why = campaign_->view().explain("i5", "w0").value();
  for (std::size_t k = 0; k < 3; ++k) {
    double mean = 0;
    for (const LabelOutcome& one : why.outlook) mean += one.chance * one.probabilities[k];
    EXPECT_NEAR(mean, why.probabilities[k], 1e-12);
  }
  expect_verified();
  ASSERT_TRUE(campaign_->save_snapshot());
  campaign_ = Campaign::open(*store_, "c").value();
  expect_verified();
}

TEST_F(CampaignReports, LearnsFromWorkersWhatNewOnesAreLike) {
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
    EXPECT_GT(campaign_->view().workers()->back().reliability, usual + 0.02);
    ASSERT_TRUE(campaign_->save_snapshot());
    const auto again = Campaign::open(*store_, "c").value();
    EXPECT_EQ(again->view().workers()->back().reliability,
              campaign_->view().workers()->back().reliability);
    expect_verified();
    EXPECT_EQ(again->verify()->differences, std::vector<std::string>{});
  }
}

/// Nobody can be asked at the start; without money nothing can be gained.
TEST_F(CampaignReports, KnowsWhatNoPolicyCanExceed) {
  start(some_options(20), 10);
  EXPECT_FALSE(status().bound) << "nobody has joined";
  ASSERT_TRUE(campaign_->set_price("ann", parse_price("1").value(), now_));
  // One label per item at most, by one worker whose reliability has this mean.
  EXPECT_GT(status().bound.value(), 3 / 3.9);
  EXPECT_LT(status().bound.value(), 0.87);
  const double alone = status().bound.value();
  ASSERT_TRUE(campaign_->set_price("bob", parse_price("1").value(), now_));
  EXPECT_GT(status().bound.value(), alone + 0.02) << "others can raise it";
  EXPECT_LT(status().bound.value(), 0.95);
  for (const std::string worker : {"ann", "bob"}) {
    for (const Assignment& one : next(worker, 10).assignments) {
      ASSERT_TRUE(answer(one.item, worker, one.item < "i5" ? "yes" : "no"));
    }
    EXPECT_GE(status().bound.value(), status().expected_accuracy - 1e-9);
  }
  ASSERT_TRUE(campaign_->set_budget(Money::whole(1000), now_));
  EXPECT_NEAR(status().bound.value(), status().expected_accuracy, 1e-4)
      << "everybody has labelled everything";
  ASSERT_TRUE(campaign_->set_price("cy", parse_price("2").value(), now_));
  EXPECT_GT(status().bound.value(), status().expected_accuracy + 2e-4);
  EXPECT_LT(status().bound.value(), 0.999) << "once per item, whatever the budget";
  ASSERT_TRUE(campaign_->set_budget(status().spent, now_));
  EXPECT_NEAR(status().bound.value(), status().expected_accuracy, 1e-9);
  Options one_pass = some_options();
  one_pass.refit = model::Refit::off;
  store_ = store::memory_store();
  start(one_pass);
  next("ann");
  EXPECT_FALSE(status().bound);
}

}  // namespace
}  // namespace allot::campaign::campaign_view_test
