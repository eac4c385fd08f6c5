// One campaign in a file, driven by many threads and processes, some of them killed.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <set>
#include <thread>

#include "allot/base/rng.hpp"
#include "allot/campaign/campaign.hpp"
#include "allot/store/sqlite_store.hpp"
#include "support/folder.hpp"

namespace allot::campaign::shared_file_test {
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

  void create(std::uint64_t budget, int items, Options options = {}) const {
    const auto store = store::open_sqlite(path_, {.mode = store::OpenMode::create}).value();
    options.budget = Money::whole(budget);
    options.labels_per_item = 3;
    std::vector<ItemDraft> drafts(static_cast<std::size_t>(items));
    for (std::size_t i = 0; i < drafts.size(); ++i) drafts[i].id = "i" + std::to_string(i);
    ASSERT_TRUE(Campaign::create(*store, "c", options, now(), {drafts}));
  }

  /// No more spent than there is, a unit for every label, and every decision as it would be made.
  void expect_sound(std::uint64_t least_labels) const {
    const auto store = store::open_sqlite(path_).value();
    const auto campaign = Campaign::open(*store, "c").value();
    const Status status = campaign->view().status().value();
    EXPECT_GE(status.labels, least_labels);
    EXPECT_LE(status.spent + status.reserved, status.budget);
    EXPECT_EQ(status.spent, Money::whole(status.labels));
    const Verification verified = campaign->verify().value();
    for (const std::string& line : verified.differences) ADD_FAILURE() << line;
  }

  /// Every label that a process was told is kept as it was given, and at most `unsaid` more are.
  void expect_kept(const std::set<std::string>& said, std::uint64_t unsaid) const {
    const auto store = store::open_sqlite(path_).value();
    std::set<std::string> kept;
    std::uint64_t labels = 0;
    ASSERT_TRUE(Campaign::open(*store, "c").value()->view().read([&](const State& state) {
      labels = state.label_counts().all;
      for (std::uint32_t i = 0; i < state.item_count(); ++i) {
        for (const Share& share : state.pairs().shares(ItemId{i})) {
          if (share.status != PairStatus::labelled) continue;
          kept.insert(state.id(ItemId{i}) + " " + state.name(share.worker) + " " +
                      state.options().classes[position(share.label)]);
        }
      }
    }));
    EXPECT_EQ(kept.size(), labels);
    EXPECT_TRUE(std::ranges::includes(kept, said)) << "a label was lost";
    EXPECT_LE(kept.size(), said.size() + unsaid);
  }
};

/// What the worker says about the item: mostly what is right.
std::string answer_of(const std::vector<std::string>& classes, const std::string& item,
                      const std::string& worker) {
  const std::size_t right = std::hash<std::string>()(item) % classes.size();
  const bool wrong = std::hash<std::string>()(item + "/" + worker) % 5 == 0;
  return classes[(right + (wrong ? 1 : 0)) % classes.size()];
}

/// Asks and answers as long as there is something to ask; told(label) for each that was
/// acknowledged. False if an answer was refused.
bool work(Campaign& campaign, const std::string& worker, int rounds,
          const std::function<void(const std::string&)>& told) {
  std::vector<std::string> classes;
  if (!campaign.view().read([&](const State& state) { classes = state.options().classes; }))
    return false;
  for (int n = 0; n < rounds; ++n) {
    const auto handed = campaign.next(worker, 2, now());
    if (!handed) return handed.error().code != ErrorCode::store_failure;
    for (const Assignment& one : handed->assignments) {
      const std::string label = answer_of(classes, one.item, worker);
      const auto outcome = campaign.record(Answer{one.item, worker, label}, now());
      if (!outcome || *outcome != Outcome::recorded) return false;
      told(one.item + " " + worker + " " + label);
    }
  }
  return true;
}

/// The first lines that processes wrote into a pipe, as soon as there are so many.
std::string first_lines(int end, std::ptrdiff_t count) {
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t size = 1; size > 0 && std::ranges::count(text, '\n') < count;) {
    size = read(end, part.data(), part.size());
    if (size > 0) text.append(part.data(), static_cast<std::size_t>(size));
  }
  return text;
}
/// The lines that processes wrote into a pipe, after what was read of it, once all of them have
/// ended.
std::set<std::string> lines_from(int end, std::string text = {}) {
  std::array<char, 4096> part;
  for (ssize_t size = 0; (size = read(end, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(size));
  close(end);
  std::set<std::string> lines;
  // What a process was killed in the middle of was not said.
  for (std::size_t at = 0, next = 0; (next = text.find('\n', at)) != std::string::npos;
       at = next + 1)
    EXPECT_TRUE(lines.insert(text.substr(at, next - at)).second) << "said twice";
  return lines;
}
void say(int end, const std::string& line) {
  const std::string text = line + "\n";
  if (write(end, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(9);
}

TEST_F(SharedFile, ThreadsSpendTheBudgetAndNoMore) {
  create(100, 60);
  std::atomic<std::uint64_t> labels = 0;
  {
    const auto store = store::open_sqlite(path_).value();
    const auto campaign = Campaign::open(*store, "c").value();
    std::vector<std::jthread> threads;
    for (int t = 0; t < 16; ++t) {
      threads.emplace_back([&, t] {
        EXPECT_TRUE(work(*campaign, "w" + std::to_string(t), 20, [&](const auto&) { ++labels; }));
      });
    }
  }
  EXPECT_EQ(labels, 100U);
  expect_sound(100);
}

/// Campaigns of all kinds: their beliefs are worked out in different ways, and stop rules add
/// events that nobody asked for.
struct Kind {
  const char* name;
  std::vector<std::string> classes;
  policy::StopRules stop;
};

class SharedKinds : public SharedFile, public testing::WithParamInterface<Kind> {
 protected:
  static Options options() {
    Options options;
    options.classes = GetParam().classes;
    options.stop = GetParam().stop;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(
    , SharedKinds,
    testing::Values(Kind{"TwoClasses", {"no", "yes"}, {}},
                    Kind{"TwoClassesAndRules", {"no", "yes"}, {0.95, 0.9, Money::whole(40)}},
                    Kind{"Classes", {"red", "green", "blue"}, {}},
                    Kind{"ClassesAndRules", {"red", "green", "blue"}, {0.95, 0.85, {}}}),
    [](const auto& kind) { return kind.param.name; });

TEST_P(SharedKinds, ProcessesAndThreadsShareACampaign) {
  const int labels = rounds(80, 20'000);
  create(static_cast<std::uint64_t>(labels), rounds(60, 10'000), options());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::vector<pid_t> children;
  for (int n = 0; n < rounds(3, 4); ++n) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    close(ends[0]);
    const auto store = store::open_sqlite(path_);
    if (!store) _exit(1);
    auto campaign = Campaign::open(**store, "c");
    if (!campaign) _exit(2);
    std::atomic<bool> failed = false;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < rounds(4, 32); ++t) {
        threads.emplace_back([&, t] {
          const std::string worker = "p" + std::to_string(n) + "t" + std::to_string(t);
          const bool fine =
              work(**campaign, worker, labels, [&](const auto& line) { say(ends[1], line); });
          if (!fine) failed = true;
        });
      }
    }
    _exit(failed ? 3 : 0);
  }
  close(ends[1]);
  const std::set<std::string> said = lines_from(ends[0]);
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  expect_kept(said, 0);
  expect_sound(GetParam().stop.any() ? 1 : static_cast<std::uint64_t>(labels));
}

TEST_P(SharedKinds, KilledBetweenAppendAndAcknowledgeNothingIsLostOrCountedTwice) {
  create(5'000'000, rounds(3000, 60'000), options());
  Rng rng(1);
  std::set<std::string> said;
  for (int round = 0; round < rounds(5, 200); ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      const auto store = store::open_sqlite(path_);
      if (!store) _exit(1);
      auto campaign = Campaign::open(**store, "c");
      if (!campaign) _exit(2);
      const std::string worker = "w" + std::to_string(round);
      _exit(work(**campaign, worker, 100'000, [&](const auto& line) { say(ends[1], line); }) ? 0
                                                                                             : 3);
    }
    close(ends[1]);
    const std::string first = first_lines(ends[0], 1 + static_cast<int>(below(rng, 60)));
    kill(child, SIGKILL);
    said.merge(lines_from(ends[0], first));
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended before it was killed, with " << status;
    expect_kept(said, static_cast<std::uint64_t>(round) + 1);
  }
  expect_sound(said.size());
}

TEST_F(SharedFile, KilledWhileItIsMadeThereIsACampaignWithAllItsItemsOrNone) {
  std::vector<ItemDraft> items(20'000);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].id = "i" + std::to_string(i);
    items[i].fields = R"({"text": ")" + items[i].id + R"("})";
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
    EXPECT_EQ((*campaign)->view().status()->items, items.size());
    EXPECT_EQ((*campaign)->view().workers()->at(0).price, Money::whole(2));
    EXPECT_EQ(store->content(name, 19'999).value(), R"({"text": "i19999"})");
  }
}

TEST_F(SharedFile, AFullDiskRefusesAndGoesOnLater) {
  create(100'000, 100);
  const auto store = store::open_sqlite(path_, {.largest_file = 100'000}).value();
  const auto campaign = Campaign::open(*store, "c").value();
  std::vector<ItemDraft> many(3000);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i].id = "m" + std::to_string(i);
    many[i].fields = R"({"text": ")" + std::string(100, 'x') + R"("})";
  }
  const auto refused = campaign->add_items(many, now());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("the disk is full"), std::string::npos);
  EXPECT_EQ(campaign->view().status()->items, 100U);
  EXPECT_TRUE(campaign->next("ann", 1, now()));
  EXPECT_TRUE(campaign->verify()->differences.empty());
}

}  // namespace
}  // namespace allot::campaign::shared_file_test
