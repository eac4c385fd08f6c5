// Models that change behind their names, against a stand-in of a chat endpoint.
#include "bridge/model_versions.hpp"

#include <gtest/gtest.h>

#include <set>

#include "allot/store/memory_store.hpp"
#include "bridge/chat_worker.hpp"
#include "support/chat_endpoint.hpp"

namespace allot::bridge::model_versions_test {
namespace {

using campaign::Campaign;
using campaign::State;
using test::ChatEndpoint;

class VersionsTest : public testing::Test {
 protected:
  std::unique_ptr<store::Store> store_ = store::memory_store();
  std::unique_ptr<Campaign> campaign_;
  StopFlag stop_;
  ChatOptions options_{.models = {"small"},
                       .prompt = PromptTemplate::parse("{{item}}\n{{classes}}").value(),
                       .at_once = 4};
  std::vector<std::string> lines_;
  std::mutex mutex_;

  void create(int items, std::uint64_t budget = 1000) {
    campaign::Options options;
    options.classes = {"no", "yes"};
    options.budget = Money::whole(budget);
    std::vector<campaign::ItemDraft> drafts;
    for (int i = 0; i < items; ++i) drafts.push_back({"r" + std::to_string(i), "{}"});
    campaign_ = Campaign::create(*store_, "c", options, campaign::now(), {drafts}).value();
  }
  Result<ChatReport> run(ChatEndpoint& endpoint) {
    options_.say = [this](const std::string& line) {
      const std::scoped_lock lock(mutex_);
      lines_.push_back(line);
    };
    const auto web = WebApi::open({.base = endpoint.url()}, stop_).value();
    return ChatWorkers(*campaign_, *web, options_, stop_).run();
  }
  template <typename Look>
  auto read(Look look) const {
    return campaign_->view().read(look).value();
  }
  std::vector<std::string> workers() const {
    return read([](const State& state) { return version_workers(state, "small"); });
  }
  campaign::WorkerFacts facts(const std::string& worker) const {
    return read([&](const State& state) { return state[state.find_worker(worker).value()]; });
  }
  /// Lines about new versions.
  std::vector<std::string> changes() const {
    std::vector<std::string> found;
    for (const std::string& line : lines_)
      if (line.find("now serves") != std::string::npos) found.push_back(line);
    return found;
  }
  void expect_sound() {
    const auto checked = campaign_->verify().value();
    EXPECT_TRUE(checked.differences.empty()) << checked.differences.front();
    EXPECT_EQ(campaign_->view().status(false)->leases, 0U);
  }
};

ChatEndpoint::Reply yes_by(const std::string& version) {
  return ChatEndpoint::by_version(ChatEndpoint::says("yes"), version);
}

TEST_F(VersionsTest, TheFirstVersionIsThatOfTheWorkerOfTheName) {
  create(12);
  ChatEndpoint endpoint([](const auto&) { return yes_by("small-2024-05"); });
  ASSERT_TRUE(run(endpoint));
  EXPECT_EQ(workers(), std::vector<std::string>{"small"});
  EXPECT_EQ(facts("small").version, "small-2024-05");
  EXPECT_EQ(facts("small").labels, 12U);
  EXPECT_TRUE(changes().empty());
  expect_sound();
}

TEST_F(VersionsTest, AnotherVersionIsAnotherWorkerWhoFollows) {
  create(40);
  ASSERT_TRUE(campaign_->set_price("small", Money::whole(2), campaign::now()));
  const std::vector<std::pair<std::string, std::string>> groups{{"small", "models"}};
  ASSERT_TRUE(campaign_->set_groups(groups, campaign::now()));
  ChatEndpoint endpoint([](const ChatEndpoint::Asked& asked) {
    return yes_by(asked.number <= 25 ? "small-2024-05" : "small-2024-08");
  });
  const auto report = run(endpoint);
  ASSERT_TRUE(report) << report.error().message;
  const std::string next = "small@small-2024-08";
  EXPECT_EQ(workers(), (std::vector<std::string>{"small", next}));
  // The old version has labelled 25 items; the new one labels the rest, and these 25 as well.
  EXPECT_EQ(facts("small").labels, 25U);
  EXPECT_EQ(facts(next).labels, 40U);
  EXPECT_EQ(facts(next).price, Money::whole(2));
  EXPECT_EQ(facts(next).group, "models");
  EXPECT_EQ(facts(next).version, "small-2024-08");
  EXPECT_FALSE(facts(next).inherited.empty());
  const WorkerId before = facts(next).follows.value();
  EXPECT_EQ(read([&](const State& state) { return state.name(before); }), "small");
  EXPECT_EQ(campaign_->view().status(false)->spent, Money::whole(2 * 65));
  EXPECT_EQ(report->models.at("small").labels, 65U);
  ASSERT_EQ(changes().size(), 1U);
  EXPECT_EQ(
      changes().front(),
      "the endpoint now serves small as 'small-2024-08': worker 'small@small-2024-08' follows "
      "'small'");
  EXPECT_EQ(endpoint.asked().back().model, "small") << "the endpoint knows it by its name";
  expect_sound();
  // Another run finds the same workers, and nothing is left to ask.
  const std::size_t asked = endpoint.asked().size();
  ASSERT_TRUE(run(endpoint));
  EXPECT_EQ(endpoint.asked().size(), asked);
  EXPECT_EQ(workers().size(), 2U);
}

TEST_F(VersionsTest, VersionsThatTakeTurnsLabelNothingTwice) {
  create(60);
  options_.at_once = 8;
  ChatEndpoint endpoint(
      [](const ChatEndpoint::Asked& asked) { return yes_by(asked.number % 3 == 0 ? "b" : "a"); });
  const auto report = run(endpoint);
  ASSERT_TRUE(report) << report.error().message;
  const campaign::WorkerFacts a = facts(workers().front()), b = facts(workers().back());
  EXPECT_EQ(workers().size(), 2U);
  EXPECT_LE(a.labels, 60U);
  EXPECT_LE(b.labels, 60U);
  EXPECT_EQ(campaign_->view().status(false)->spent, Money::whole(a.labels + b.labels));
  expect_sound();
}

TEST_F(VersionsTest, ARunThatWasKilledResumesItsLeasesUnderTheVersionsThatHaveThem) {
  create(10);
  ASSERT_TRUE(campaign_->set_version({"small", "a"}, campaign::now()));
  ASSERT_TRUE(campaign_->set_version({"small@b", "b", "small"}, campaign::now()));
  ASSERT_TRUE(campaign_->next("small", 3, campaign::now()));
  ASSERT_TRUE(campaign_->next("small@b", 2, campaign::now()));
  ChatEndpoint endpoint([](const auto&) { return yes_by("b"); });
  ASSERT_TRUE(run(endpoint));
  EXPECT_NE(lines_.front().find("goes on with 5 items"), std::string::npos) << lines_.front();
  EXPECT_EQ(facts("small").labels, 0U);
  EXPECT_EQ(facts("small@b").labels, 10U);
  EXPECT_EQ(campaign_->view().status(false)->spent, Money::whole(10));
  expect_sound();
}

TEST_F(VersionsTest, BudgetAndCapHoldAcrossAChange) {
  create(40, 30);
  ChatEndpoint endpoint(
      [](const ChatEndpoint::Asked& asked) { return yes_by(asked.number <= 10 ? "a" : "b"); });
  ASSERT_TRUE(run(endpoint));
  EXPECT_EQ(campaign_->view().status(false)->spent, Money::whole(30));
  expect_sound();
}

TEST_F(VersionsTest, ARefusalOfAnotherVersionGivesTheItemBack) {
  create(8);
  options_.at_once = 1;
  ChatEndpoint endpoint([](const ChatEndpoint::Asked& asked) {
    if (asked.number <= 3) return yes_by("a");
    return ChatEndpoint::by_version(ChatEndpoint::refuses("no"), "b");
  });
  const auto report = run(endpoint);
  ASSERT_TRUE(report);
  EXPECT_EQ(facts("small").labels, 3U);
  EXPECT_EQ(facts("small").abstained, 0U);
  EXPECT_EQ(facts("small@b").abstained, 8U);
  EXPECT_EQ(campaign_->view().status(false)->spent, Money::whole(11));
  expect_sound();
}

TEST_F(VersionsTest, AnEndpointThatNamesSomethingElseEachTimeEndsTheRun) {
  create(30);
  const auto reply = [](const ChatEndpoint::Asked& asked) {
    return yes_by("build-" + std::to_string(asked.number));
  };
  ChatEndpoint endpoint(reply);
  const auto report = run(endpoint);
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("--one-version"), std::string::npos);
  EXPECT_EQ(workers().size(), 6U);
  expect_sound();
  options_.one_version = true;
  ChatEndpoint again(reply);
  ASSERT_TRUE(run(again));
  EXPECT_EQ(workers().size(), 6U);
  expect_sound();
}

TEST_F(VersionsTest, WhatCannotBePartOfANameIsIgnored) {
  create(10);
  ChatEndpoint endpoint([](const ChatEndpoint::Asked& asked) {
    return yes_by(asked.number % 3 == 0   ? std::string(200, 'x')
                  : asked.number % 3 == 1 ? "two words\n"
                                          : "");
  });
  ASSERT_TRUE(run(endpoint));
  EXPECT_EQ(workers(), std::vector<std::string>{"small"});
  EXPECT_EQ(facts("small").version, "");
  EXPECT_EQ(facts("small").labels, 10U);
  expect_sound();
}

}  // namespace
}  // namespace allot::bridge::model_versions_test
