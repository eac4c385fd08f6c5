// The agreement sample: a few random items with a fixed number of labels each.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "allot/aggregate/agreement.hpp"
#include "allot/base/rng.hpp"
#include "campaign/campaign_fixture.hpp"
#include "campaign/sample_order.hpp"

namespace allot::campaign::agreement_sample_test {
namespace {

using aggregate::Coefficient;

class AgreementSamples : public CampaignTest {
 protected:
  static Options sampling(std::uint32_t items, std::uint32_t labels, std::uint64_t budget = 100) {
    Options options = some_options(budget);
    options.agreement_sample = AgreementSample{items, labels};
    return options;
  }

  /// Asks and answers one item of a worker; says why the item was chosen.
  LeaseReason work(const std::string& worker, const std::string& label = "yes") {
    const Handout handout = next(worker);
    const Assignment& one = handout.assignments.at(0);
    EXPECT_TRUE(answer(one.item, worker, label));
    ++labels_[one.item];
    return one.reason;
  }
  AgreementLabels used() const { return campaign_->view().agreement_labels().value(); }

  std::map<std::string, int> labels_;
};

TEST_F(AgreementSamples, GetTheirLabelsFirstAndNoMore) {
  start(sampling(5, 3), 30);
  for (const char* worker : {"ann", "bob", "cyd"})
    for (int n = 0; n < 5; ++n) EXPECT_EQ(work(worker), LeaseReason::sample) << worker << n;
  ASSERT_EQ(labels_.size(), 5U);
  for (const auto& [item, count] : labels_) EXPECT_EQ(count, 3) << item;
  EXPECT_EQ(work("dan"), LeaseReason::chosen);
  EXPECT_EQ(used().sampled, 5U);
  EXPECT_EQ(used().complete, 5U);
  EXPECT_EQ(used().labels.labels.size(), 15U);
  expect_verified();
}

TEST_F(AgreementSamples, LeasesCountAsLabelsUntilTheyEnd) {
  start(sampling(2, 2), 10);
  for (const char* worker : {"ann", "bob"})
    for (const Assignment& one : next(worker, 2).assignments)
      EXPECT_EQ(one.reason, LeaseReason::sample);
  EXPECT_EQ(next("cyd").assignments.at(0).reason, LeaseReason::chosen);
  EXPECT_EQ(used().complete, 0U);
  EXPECT_TRUE(used().labels.labels.empty()) << "half-labelled items do not count";
  now_ += minutes(11);
  EXPECT_EQ(next("dan").assignments.at(0).reason, LeaseReason::sample) << "the leases are over";
  expect_verified();
}

TEST_F(AgreementSamples, UseTheFirstLabelsOnly) {
  start(sampling(2, 2), 2);
  for (const char* worker : {"ann", "bob", "cyd", "dan"})
    for (int n = 0; n < 2; ++n) work(worker);
  EXPECT_EQ(status().labels, 8U);
  const AgreementLabels first = used();
  ASSERT_EQ(first.labels.labels.size(), 4U);
  for (const model::GivenLabel& label : first.labels.labels)
    EXPECT_LT(position(label.worker), 2U) << "ann and bob came first";
}

TEST_F(AgreementSamples, AreNotSettledByAStopRuleTooEarly) {
  Options options = sampling(4, 4);
  options.stop.settled = 0.7;
  start(options, 8);
  for (const char* worker : {"ann", "bob", "cyd", "dan"})
    for (int n = 0; n < 4; ++n) EXPECT_EQ(work(worker), LeaseReason::sample);
  EXPECT_EQ(used().complete, 4U);
  const auto finished = status().finished;
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0], (std::pair<std::string, std::uint32_t>("certain", 4)));
  expect_verified();
}

TEST_F(AgreementSamples, AskARandomWorkerWhereTheCallerChooses) {
  start(sampling(3, 2), 9);
  for (const char* worker : {"ann", "bob", "cyd", "dan"})
    ASSERT_TRUE(campaign_->set_price(worker, Money::whole(1), now_));
  std::set<std::string> workers;
  for (int n = 0; n < 6; ++n) {
    const auto pair = campaign_->view().whom_next().value();
    ASSERT_TRUE(pair);
    const Handout handout = next(pair->first);
    EXPECT_EQ(handout.assignments.at(0).item, pair->second);
    EXPECT_EQ(handout.assignments.at(0).reason, LeaseReason::sample);
    ASSERT_TRUE(answer(pair->second, pair->first));
    workers.insert(pair->first);
  }
  EXPECT_GT(workers.size(), 1U);
  EXPECT_EQ(used().complete, 3U);
  expect_verified();
}

TEST_F(AgreementSamples, SurviveThatTheCampaignIsOpenedAgain) {
  start(sampling(4, 2), 20);
  work("ann");
  ASSERT_TRUE(campaign_->add_items(some_items(20, 20), now_));
  work("bob");
  const auto before = used();
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(used().sampled, 4U);
  EXPECT_EQ(used().labels.labels, before.labels.labels);
  EXPECT_EQ(work("ann"), LeaseReason::sample);
  expect_verified();
}

TEST_F(AgreementSamples, WithoutOneAllLabelsButThoseOfGoldItemsCount) {
  Options options = some_options();
  options.gold_rate = 1;
  start(options, 2);
  auto gold = some_items(2, 10);
  for (ItemDraft& item : gold) item.gold = "yes";
  ASSERT_TRUE(campaign_->add_items(gold, now_));
  for (const char* worker : {"ann", "bob"})
    for (int n = 0; n < 4; ++n) work(worker);
  EXPECT_EQ(status().labels, 8U);
  EXPECT_FALSE(used().sample);
  EXPECT_EQ(used().labels.labels.size(), 4U);
}

TEST_F(AgreementSamples, RefuseNonsense) {
  for (const AgreementSample& sample : {AgreementSample{1, 3}, AgreementSample{3, 1}}) {
    Options options = some_options();
    options.agreement_sample = sample;
    expect_refusal(check(options), ErrorCode::invalid_argument, {"at least 2"});
  }
  Options options = sampling(3, 4);
  options.labels_per_item = 3;
  expect_refusal(check(options), ErrorCode::invalid_argument, {"4 labels", "at most the 3"});
}

TEST(SampleOrder, DrawsEveryItemEquallyOftenAlsoAmongLaterOnes) {
  std::vector<int> drawn(12);
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SampleOrder order({3, 2}, seed);
    for (std::uint32_t i = 0; i < drawn.size(); ++i) order.add(ItemId{i});
    EXPECT_EQ(order.items().size(), 3U);
    for (std::uint32_t i = 0; i < drawn.size(); ++i) drawn[i] += order.has(ItemId{i});
  }
  // 500 expected, standard deviation 19.4.
  for (const int count : drawn) EXPECT_NEAR(count, 500, 80);
}

/// Labels of a crowd that agrees on two items in three and guesses on the third.
std::string coin_label(const std::string& item, Rng& rng) {
  const int number = std::stoi(item.substr(1));
  const bool truth = number % 2 == 0, hard = number % 3 == 0;
  return (uniform(rng) < (hard ? 0.5 : 0.95)) == truth ? "yes" : "no";
}

TEST_F(AgreementSamples, MeasureWhatAdaptiveLabelsGetWrong) {
  // A pair agrees with probability .905 on easy items and .5 on hard ones: .77 in all.
  start(sampling(90, 3, 900), 180);
  Rng rng(5);
  for (int n = 0; n < 900; ++n) {
    const std::string worker = "w" + std::to_string(n % 15);
    const auto handed = campaign_->next(worker, 1, now_);
    if (!handed || handed->assignments.empty()) continue;
    const std::string item = handed->assignments.at(0).item;
    ASSERT_TRUE(answer(item, worker, coin_label(item, rng)));
  }
  const AgreementLabels sampled = used();
  EXPECT_EQ(sampled.complete, 90U);
  const auto fair = aggregate::measure_agreement(sampled.labels).of(Coefficient::percent);
  EXPECT_LT(fair.bounds->low, .77);
  EXPECT_GT(fair.bounds->high, .77);
  // The same measure on all labels must fail, because hard items have more of them.
  model::LabelSet all = sampled.labels;
  all.labels.clear();
  EXPECT_TRUE(campaign_->view().read([&](const State& state) {
    for (std::uint32_t i = 0; i < state.item_count(); ++i)
      for (const Share& share : state.pairs().shares(ItemId{i}))
        if (share.status == PairStatus::labelled)
          all.labels.push_back({ItemId{i}, share.worker, share.label});
  }));
  const aggregate::Agreement biased = aggregate::measure_agreement(all);
  EXPECT_TRUE(biased.varies_widely());
  EXPECT_LT(biased.of(Coefficient::alpha).bounds->high,
            aggregate::measure_agreement(sampled.labels).of(Coefficient::alpha).value);
}

}  // namespace
}  // namespace allot::campaign::agreement_sample_test
