// One campaign in a file, driven by many threads and processes, some of them killed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "allot/base/rng.hpp"
#include "allot/campaign/campaign.hpp"
#include "allot/store/sqlite_store.hpp"
#include "support/folder.hpp"

namespace allot::campaign {
namespace {

Time now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

/// ALLOT_STRESS=1 asks for a long run.
int rounds(int usual, int stress) { return std::getenv("ALLOT_STRESS") ? stress : usual; }

class SharedFile : public testing::Test {
 protected:
  test::Folder folder_;
  const std::string path_ = folder_ / "c.db";

  void create(std::uint64_t budget, int items) const {
    const auto store = store::open_sqlite(path_, {.mode = store::OpenMode::create}).value();
    Options options;
    options.budget = Money::whole(budget);
    options.labels_an_item = 3;
    const auto campaign = Campaign::create(*store, "c", options, now()).value();
    std::vector<ItemDraft> drafts(static_cast<std::size_t>(items));
    for (std::size_t i = 0; i < drafts.size(); ++i) drafts[i].id = "i" + std::to_string(i);
    ASSERT_TRUE(campaign->add_items(drafts, now()));
  }

  void expect_sound(std::uint64_t least_labels) const {
    const auto store = store::open_sqlite(path_).value();
    const auto campaign = Campaign::open(*store, "c").value();
    const Status status = campaign->status().value();
    EXPECT_GE(status.labels, least_labels);
    EXPECT_LE(status.spent + status.reserved, status.budget);
    EXPECT_EQ(status.spent, Money::whole(status.labels));
    const Verification verified = campaign->verify().value();
    for (const std::string& line : verified.differences) ADD_FAILURE() << line;
  }
};

/// Asks and answers as long as there is something to ask; the number of labels acknowledged.
std::uint64_t work(Campaign& campaign, const std::string& worker, int rounds) {
  std::uint64_t labels = 0;
  for (int n = 0; n < rounds; ++n) {
    const auto handed = campaign.next(worker, 2, now());
    if (!handed) break;
    for (const Assignment& one : handed->assignments) {
      const auto outcome = campaign.record(Answer{one.item, worker, "yes"}, now());
      EXPECT_TRUE(outcome) << outcome.error().message;
      labels += outcome && *outcome == Outcome::recorded;
    }
  }
  return labels;
}

TEST_F(SharedFile, ThreadsSpendTheBudgetAndNoMore) {
  create(100, 60);
  std::atomic<std::uint64_t> labels = 0;
  {
    const auto store = store::open_sqlite(path_).value();
    const auto campaign = Campaign::open(*store, "c").value();
    std::vector<std::jthread> threads;
    for (int t = 0; t < 16; ++t) {
      threads.emplace_back([&, t] { labels += work(*campaign, "w" + std::to_string(t), 20); });
    }
  }
  EXPECT_EQ(labels, 100U);
  expect_sound(100);
}

TEST_F(SharedFile, ProcessesAndThreadsShareACampaign) {
  const int labels = rounds(80, 30'000);
  create(static_cast<std::uint64_t>(labels), rounds(60, 20'000));
  std::vector<pid_t> children;
  for (int n = 0; n < rounds(3, 4); ++n) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    const auto store = store::open_sqlite(path_);
    if (!store) _exit(1);
    auto campaign = Campaign::open(**store, "c");
    if (!campaign) _exit(2);
    std::atomic<bool> failed = false;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < rounds(4, 32); ++t) {
        threads.emplace_back([&, t] {
          work(**campaign, "p" + std::to_string(n) + "t" + std::to_string(t), labels);
          if (testing::Test::HasFailure()) failed = true;
        });
      }
    }
    _exit(failed ? 3 : 0);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  expect_sound(static_cast<std::uint64_t>(labels));
}

TEST_F(SharedFile, KilledBetweenAppendAndAcknowledgeNothingIsLostOrCountedTwice) {
  create(100'000, 3000);
  Rng rng(1);
  std::uint64_t acknowledged = 0;
  for (int round = 0; round < rounds(8, 200); ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      const auto store = store::open_sqlite(path_);
      auto campaign = Campaign::open(**store, "c");
      const std::string worker = "w" + std::to_string(round);
      while (true) {
        const auto handed = (*campaign)->next(worker, 1, now());
        if (!handed) _exit(1);
        if (!(*campaign)->record(Answer{handed->assignments[0].item, worker, "yes"}, now()))
          _exit(2);
        if (write(ends[1], "x", 1) != 1) _exit(3);
      }
    }
    close(ends[1]);
    std::this_thread::sleep_for(std::chrono::milliseconds(30 + below(rng, 100)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    char one = 0;
    while (read(ends[0], &one, 1) == 1) ++acknowledged;
    close(ends[0]);
    const auto store = store::open_sqlite(path_).value();
    const std::uint64_t labels = Campaign::open(*store, "c").value()->status()->labels;
    EXPECT_GE(labels, acknowledged);
    EXPECT_LE(labels, acknowledged + static_cast<std::uint64_t>(round) + 1);
  }
  expect_sound(acknowledged);
}

TEST_F(SharedFile, KilledWhileItIsMadeThereIsACampaignWithAllItsItemsOrNone) {
  std::vector<ItemDraft> items(20'000);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].id = "i" + std::to_string(i);
    items[i].fields = "text of " + items[i].id;
  }
  const std::vector<std::pair<std::string, Money>> prices{{"ann", Money::whole(2)}};
  Options options;
  options.budget = Money::whole(10);
  Rng rng(1);
  for (int round = 0; round < rounds(8, 200); ++round) {
    const std::string name = "c" + std::to_string(round);
    const pid_t child = fork();
    if (child == 0) {
      const auto store = store::open_sqlite(path_, {.mode = store::OpenMode::create});
      if (!store) _exit(1);
      _exit(Campaign::create(**store, name, options, now(), {items, prices}) ? 0 : 2);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(below(rng, 150)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const auto store = store::open_sqlite(path_, {.mode = store::OpenMode::create}).value();
    auto campaign = Campaign::open(*store, name);
    if (!campaign) {
      EXPECT_EQ(campaign.error().code, ErrorCode::not_found) << campaign.error().message;
      campaign = Campaign::create(*store, name, options, now(), {items, prices});
      ASSERT_TRUE(campaign) << campaign.error().message;
    }
    EXPECT_EQ((*campaign)->status()->items, items.size());
    EXPECT_EQ((*campaign)->workers()->at(0).price, Money::whole(2));
    EXPECT_EQ(store->content(name, 19'999).value(), "text of i19999");
  }
}

TEST_F(SharedFile, AFullDiskRefusesAndGoesOnLater) {
  create(100'000, 100);
  const auto store = store::open_sqlite(path_, {.largest_file = 100'000}).value();
  const auto campaign = Campaign::open(*store, "c").value();
  std::vector<ItemDraft> many(3000);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].id = "m" + std::to_string(i);
    many[i].fields = std::string(100, 'x');
  }
  const auto refused = campaign->add_items(many, now());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("the disk is full"), std::string::npos);
  EXPECT_EQ(campaign->status()->items, 100U);
  EXPECT_TRUE(campaign->next("ann", 1, now()));
  EXPECT_TRUE(campaign->verify()->differences.empty());
}

}  // namespace
}  // namespace allot::campaign
