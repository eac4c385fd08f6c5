// Workers who err together, in a campaign.
#include <algorithm>
#include <cmath>
#include <map>

#include "allot/aggregate/group_errors.hpp"
#include "allot/aggregate/pooled.hpp"
#include "allot/base/rng.hpp"
#include "campaign_fixture.hpp"

namespace allot::campaign::groups_test {
namespace {

using Groups = std::vector<std::pair<std::string, std::string>>;

class GroupsTest : public CampaignTest {
 protected:
  /// Workers take turns: judges j0 to j2 repeat one view, p0 to p2 speak for themselves.
  void work(int rounds, const std::vector<std::string>& classes = {"no", "yes"}) {
    static constexpr std::array<const char*, 6> kWorkers{"j0", "p0", "j1", "p1", "j2", "p2"};
    for (int n = 0; n < rounds; ++n, now_ += seconds(3)) {
      const std::string worker = kWorkers[static_cast<std::size_t>(n) % kWorkers.size()];
      const auto handed = campaign_->next(worker, 1, now_);
      if (!handed) continue;
      const std::string& item = handed->assignments.at(0).item;
      const auto number = static_cast<std::size_t>(std::stoi(item.substr(1)));
      const bool view_errs = number % 3 == 0, errs = (number + position_of(worker)) % 5 == 1;
      const std::size_t truth = number % classes.size();
      const bool wrong = worker[0] == 'j' ? view_errs : errs;
      const std::string& label = classes[(truth + (wrong ? 1 : 0)) % classes.size()];
      given_.push_back({item, worker, label});
      ASSERT_TRUE(campaign_->record(given_.back(), now_));
    }
  }
  static std::size_t position_of(const std::string& worker) {
    return static_cast<std::size_t>(worker.back() - '0');
  }

  void group(const Groups& groups) {
    const auto done = campaign_->set_groups(groups, now_);
    ASSERT_TRUE(done) << done.error().message;
  }
  static Groups judges() { return {{"j0", "judges"}, {"j1", "judges"}, {"j2", "judges"}}; }

  /// The same labels given to the method `pooled`, item by item as a campaign keeps them.
  std::vector<double> aggregated(const std::vector<std::string>& classes) const {
    const GroupLabels found = campaign_->view().group_labels().value();
    EXPECT_EQ(found.labels.labels.size(), given_.size());
    aggregate::PooledOptions how;
    how.groups = found.groups.of_worker;
    EXPECT_EQ(found.labels.class_count, classes.size());
    return aggregate::pooled(found.labels, how)->answers.probabilities;
  }

  std::vector<Answer> given_;
};

TEST_F(GroupsTest, AnswersAreThoseOfPooledWithTheGroups) {
  for (const std::vector<std::string>& classes :
       {std::vector<std::string>{"no", "yes"}, std::vector<std::string>{"a", "b", "c"}}) {
    SCOPED_TRACE(classes.size());
    store_ = store::memory_store();
    given_.clear();
    Options options = some_options(400);
    options.classes = classes;
    options.learn_workers = classes.size() > 2;
    start(options, 20);
    work(70, classes);
    const auto alone = stated(*campaign_);
    group(judges());
    EXPECT_NE(stated(*campaign_), alone);
    expect_near(stated(*campaign_), aggregated(classes));
    work(30, classes);
    expect_near(stated(*campaign_), aggregated(classes));
    expect_verified();
  }
}

TEST_F(GroupsTest, DecisionsAreMadeAgainByVerifyAndFromSnapshots) {
  Options options = some_options(600);
  options.refit_every = 7;
  start(options, 12);
  work(30);
  group(judges());
  work(25);
  ASSERT_TRUE(campaign_->save_snapshot());
  const auto live = stated(*campaign_);
  campaign_ = Campaign::open(*store_, "c").value();
  EXPECT_EQ(stated(*campaign_), live);
  work(10);
  group({{"p0", "desk"}, {"p2", "desk"}, {"j2", ""}});
  work(20);
  expect_verified();
  expect_equal_from_the_ledger();
}

TEST_F(GroupsTest, GroupsOfOneAndGroupsThatAreGoneChangeNothing) {
  start(some_options(400), 15);
  work(60);
  const auto alone = stated(*campaign_);
  group({{"j0", "judges"}, {"p0", "people"}});
  EXPECT_EQ(stated(*campaign_), alone);
  EXPECT_EQ(campaign_->view().group_labels()->groups.names,
            (std::vector<std::string>{"judges", "people"}));
  group({{"j1", "judges"}});
  EXPECT_NE(stated(*campaign_), alone);
  group({{"j1", ""}, {"p0", ""}});
  expect_near(stated(*campaign_), alone);
  const std::uint64_t events = status().events;
  group({{"j0", "judges"}, {"p0", ""}});
  EXPECT_EQ(status().events, events) << "nothing new";
  expect_verified();
}

TEST_F(GroupsTest, ASecondMemberIsWorthLessThanSomebodyElse) {
  start(some_options(400), 30);
  work(100);
  group(judges());
  ASSERT_TRUE(campaign_->add_items(some_items(1, 30), now_));
  ASSERT_TRUE(campaign_->import(std::vector<Answer>{{"i30", "j0", "yes"}}, now_).front());
  const auto gain = [&](const std::string& worker) {
    const auto why = campaign_->view().explain("i30", worker).value();
    double sum = 0;  // expected square of the change of the probability
    for (const LabelOutcome& one : why.outlook)
      sum += one.chance * std::pow(one.probabilities[1] - why.probabilities[1], 2);
    return sum;
  };
  EXPECT_LT(gain("j1"), 0.7 * gain("p1"));
  expect_verified();
}

TEST_F(GroupsTest, ItemsThatAStopRuleSettledOpenAgain) {
  Options options = some_options(100);
  options.stop.settled = 0.9;
  start(options, 2);
  for (const std::string who : {"j0", "j1"}) {
    for (const Assignment& one : next(who, 2).assignments) ASSERT_TRUE(answer(one.item, who));
  }
  ASSERT_EQ(status().finished.size(), 1U);
  EXPECT_EQ(status().finished.front().first, "certain");
  group({{"j0", "judges"}, {"j1", "judges"}});
  EXPECT_TRUE(status().finished.empty()) << "two judges of one view are not certain";
  EXPECT_EQ(status().phase, Phase::running);
  expect_verified();
}

TEST_F(GroupsTest, ReportTheirErrorsAndWhoChecksThem) {
  Options options = some_options(100);
  auto items = some_items(40);
  items[0].gold = "yes";
  const Groups groups{{"j0", "judges"}, {"j1", "judges"}};
  const auto made = Campaign::create(*store_, "c", options, now_, {items, {}, groups});
  ASSERT_TRUE(made) << made.error().message;
  std::vector<Answer> labels;
  for (int i = 1; i < 40; ++i) {
    for (const char* const judge : {"j0", "j1"})
      labels.push_back({"i" + std::to_string(i), judge, i % 4 == 0 ? "yes" : "no"});
  }
  for (const auto& one : (*made)->import(labels, now_)) ASSERT_TRUE(one);
  const auto errors = [&] {
    const GroupLabels found = (*made)->view().group_labels().value();
    const aggregate::ClassAnswers answers{found.labels.class_count, {}, found.probabilities};
    return aggregate::group_errors(found.labels, found.groups.of_worker, answers, found.known)
        .front();
  };
  EXPECT_EQ(errors().members, 2U);
  EXPECT_EQ(errors().items, 39U);
  EXPECT_EQ(errors().outside, 0U) << "nobody checks them";
  ASSERT_TRUE((*made)->import(std::vector<Answer>{{"i0", "j0", "yes"}}, now_).front());
  EXPECT_EQ(errors().outside, 1U) << "a known answer does";
  ASSERT_TRUE((*made)->import(std::vector<Answer>{{"i1", "ann", "yes"}}, now_).front());
  EXPECT_EQ(errors().outside, 2U) << "and so does a person";
  const std::vector<VerdictDraft> verdict{{"i2", "yes"}};
  ASSERT_TRUE((*made)->review("eve", verdict, now_).front());
  EXPECT_EQ(errors().outside, 3U);
}

TEST_F(GroupsTest, RefuseWhatKnowsNoGroups) {
  Options one_pass = some_options();
  one_pass.refit = model::Refit::off;
  one_pass.worker_prior = "beta:4,1";
  start(one_pass);
  expect_refusal(campaign_->set_groups(judges(), now_), ErrorCode::invalid_argument,
                 {"groups of workers need refits"});
  EXPECT_EQ(status().workers, 0U) << "nothing happened";
  store_ = store::memory_store();
  Options worth = some_options();
  worth.stop.worth = Money::whole(3);
  start(worth);
  expect_refusal(campaign_->set_groups(judges(), now_), ErrorCode::invalid_argument, {"'worth'"});
  store_ = store::memory_store();
  start();
  group(judges());
  worth.stop.worth = Money::whole(3);
  expect_refusal(campaign_->set_options(worth, now_), ErrorCode::invalid_argument, {"'worth'"});
  expect_refusal(campaign_->set_model(one_pass, now_), ErrorCode::invalid_argument, {"refits"});
  expect_refusal(campaign_->set_groups(Groups{{"a", std::string(201, 'x')}}, now_),
                 ErrorCode::invalid_argument, {"201 bytes"});
  expect_refusal(campaign_->set_groups(Groups{{"", "g"}}, now_), ErrorCode::invalid_argument,
                 {"needs a name"});
  ASSERT_TRUE(campaign_->close("done", now_));
  group({{"j2", ""}});
  expect_verified();
}

}  // namespace
}  // namespace allot::campaign::groups_test
