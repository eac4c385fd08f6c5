// Language models first, people where needed: a floor of people's labels, and kinds compared.
#include <map>
#include <set>

#include "campaign_fixture.hpp"

namespace allot::campaign::people_sample_test {
namespace {

class PeopleSample : public CampaignTest {
 protected:
  void start_with(std::uint32_t sample, std::uint64_t budget, int items) {
    Options options = some_options(budget);
    options.people_sample = sample;
    options.gold_rate = 0;
    start(options, items);
    const std::vector<std::pair<std::string, std::string>> groups{{"gpt", "gpt"},
                                                                  {"gpt-mini", "gpt"}};
    ASSERT_TRUE(campaign_->set_groups(groups, now_));
    ASSERT_TRUE(
        campaign_->set_prices(std::vector{std::pair(std::string("gpt"), Money::whole(1)),
                                          std::pair(std::string("gpt-mini"), Money::whole(1))},
                              now_));
  }
  /// Labels as long as the worker gets items; returns the items in order.
  std::vector<std::string> work(const std::string& worker, int most = 1000) {
    std::vector<std::string> items;
    while (static_cast<int>(items.size()) < most) {
      const auto handed = campaign_->next(worker, 1, now_);
      if (!handed) {
        last_ = handed.error();
        break;
      }
      items.push_back(handed->assignments.at(0).item);
      reasons_.insert(handed->assignments.at(0).reason);
      EXPECT_TRUE(answer(items.back(), worker));
      now_ += seconds(1);
    }
    return items;
  }

  Error last_;
  std::set<LeaseReason> reasons_;
};

TEST_F(PeopleSample, KeepsMoneyForPeopleWhoGetRandomItemsFirst) {
  start_with(4, 20, 30);
  EXPECT_EQ(work("gpt").size(), 16U) << "20 of budget, 4 kept";
  EXPECT_EQ(last_.code, ErrorCode::budget_exhausted);
  EXPECT_NE(last_.message.find("4 of it is for the people's sample"), std::string::npos)
      << last_.message;
  EXPECT_TRUE(work("gpt-mini").empty());
  reasons_.clear();
  ASSERT_TRUE(status().people_sample);
  EXPECT_EQ(status().people_sample->items, 4U);
  EXPECT_EQ(status().people_sample->labelled, 0U) << "models do not count";
  const auto by_ann = work("ann", 3);
  EXPECT_EQ(reasons_, std::set<LeaseReason>{LeaseReason::sample});
  EXPECT_NE(by_ann, (std::vector<std::string>{"i0", "i1", "i2"})) << "drawn by the seed";
  EXPECT_EQ(status().people_sample->labelled, 3U);
  const auto by_bob = work("bob");
  ASSERT_EQ(by_bob.size(), 1U) << "the last one, by another person";
  EXPECT_EQ(std::ranges::count(by_ann, by_bob.front()), 0);
  EXPECT_EQ(status().left, Money());
  expect_verified();
}

TEST_F(PeopleSample, IsTheSameAfterARestartAndFollowsTheSeed) {
  std::map<std::uint64_t, std::vector<std::string>> drawn;
  for (const std::uint64_t seed : {1U, 2U}) {
    store_ = store::memory_store();
    Options options = some_options(100);
    options.people_sample = 6;
    options.seed = seed;
    start(options, 40);
    drawn[seed] = work("ann", 3);
    ASSERT_TRUE(campaign_->save_snapshot());
    campaign_ = Campaign::open(*store_, "c").value();
    const auto rest = work("ann", 3);
    drawn[seed].insert(drawn[seed].end(), rest.begin(), rest.end());
    EXPECT_EQ(std::set(drawn[seed].begin(), drawn[seed].end()).size(), 6U);
    expect_verified();
  }
  EXPECT_NE(drawn[1], drawn[2]);
}

TEST_F(PeopleSample, ItsItemsAreNotSettledBeforeAPersonLabelledThem) {
  Options options = some_options(100);
  options.people_sample = 1;
  options.stop.settled = 0.6;
  start(options, 2);
  ASSERT_TRUE(
      campaign_->set_groups(std::vector{std::pair(std::string("gpt"), std::string("gpt"))}, now_));
  EXPECT_EQ(work("gpt").size(), 2U);
  ASSERT_EQ(status().finished.size(), 1U);
  EXPECT_EQ(status().finished.front().second, 1U) << "the other item waits for a person";
  EXPECT_EQ(work("ann").size(), 1U);
  EXPECT_EQ(status().finished.front().second, 2U);
  expect_verified();
}

TEST_F(PeopleSample, NeedsBeliefsThatKnowGroups) {
  Options options = some_options(100);
  options.people_sample = 3;
  ASSERT_TRUE(check(options));
  for (const bool by_refits : {true, false}) {
    Options other = options;
    if (by_refits) {
      other.refit = model::Refit::off;
    } else {
      other.stop.worth = Money::whole(1);
    }
    const auto refused = check(other);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("outside all groups"), std::string::npos);
  }
}

TEST_F(PeopleSample, WhomNextAsksAPersonForIt) {
  start_with(2, 20, 10);
  ASSERT_TRUE(
      campaign_->set_prices(std::vector{std::pair(std::string("ann"), Money::whole(1))}, now_));
  for (int n = 0; n < 2; ++n) {
    const auto pair = campaign_->view().whom_next().value();
    ASSERT_TRUE(pair);
    EXPECT_EQ(pair->first, "ann");
    EXPECT_EQ(work("ann", 1).front(), pair->second);
  }
}

TEST_F(PeopleSample, KindsAreCompared) {
  Options options = some_options(100);
  auto items = some_items(10);
  items[0].gold = "yes";
  items[1].gold = "no";
  const std::vector<std::pair<std::string, std::string>> groups{{"gpt", "models"},
                                                                {"mini", "models"}};
  const std::vector<std::pair<std::string, Money>> prices{{"gpt", Money::whole(2)}};
  campaign_ = Campaign::create(*store_, "c", options, now_, {items, prices, groups}).value();
  const auto import = [&](const std::string& item, const std::string& who,
                          const std::string& label) {
    ASSERT_TRUE(campaign_->import(std::vector{Answer{item, who, label}}, now_).front());
  };
  import("i0", "gpt", "yes");
  import("i1", "gpt", "yes");
  import("i0", "ann", "yes");
  for (const std::string item : {"i2", "i3", "i4"}) {
    import(item, "gpt", "yes");
    import(item, "mini", item == "i4" ? "no" : "yes");
    import(item, "ann", item == "i3" ? "no" : "yes");
  }
  const std::string asked = item_for("gpt");
  ASSERT_TRUE(campaign_->skip(asked, "gpt", now_, "", {0, std::string(kUnsure), ""}, true));
  const auto rows = campaign_->view().kinds().value();
  ASSERT_EQ(rows.size(), 2U);
  const KindRow &models = rows[0], &people = rows[1];
  EXPECT_EQ(models.kind, "models");
  EXPECT_EQ(models.workers, 2U);
  EXPECT_EQ(models.labels, 8U);
  EXPECT_EQ(models.abstained, 1U);
  EXPECT_EQ(models.spent, Money::whole(2));
  EXPECT_EQ(models.known, 2U);
  EXPECT_EQ(models.accuracy(), 0.5);
  EXPECT_EQ(models.cost_per_right(), 2.0 / (8 * 0.5));
  EXPECT_EQ(models.shared, 3U) << "i0, i2 and i3; both models of i4 disagree";
  EXPECT_EQ(models.agreed, 2U);
  EXPECT_EQ(people.kind, "");
  EXPECT_EQ(people.workers, 1U);
  EXPECT_EQ(people.accuracy(), 1);
  EXPECT_EQ(people.shared, 3U);
  EXPECT_EQ(people.agreed, 2U);
  EXPECT_EQ(people.cost_per_right(), 0);
  ASSERT_TRUE(campaign_->set_standing("mini", Standing::excluded, "", now_));
  const KindRow without = campaign_->view().kinds().value().front();
  EXPECT_EQ(without.workers, 1U);
  EXPECT_EQ(without.shared, 4U) << "nobody contradicts gpt about i4 now";
  EXPECT_EQ(without.agreed, 3U);
  EXPECT_EQ(KindRow{}.accuracy(), std::nullopt);
  EXPECT_EQ(KindRow{}.cost_per_right(), std::nullopt);
}

}  // namespace
}  // namespace allot::campaign::people_sample_test
