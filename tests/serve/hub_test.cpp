// Many campaigns of one folder at work for many requests.
#include "serve/hub.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <future>
#include <latch>

#include "store/sqlite.hpp"
#include "support/folder.hpp"

namespace allot::test::hub_test {
namespace {

using campaign::Options;
using http::Response;
using serve::Hub;
using serve::OpenBatch;
using serve::OpenCampaign;

std::unique_ptr<Hub> opened(const std::string& folder, serve::HubOptions options = {}) {
  options.folder = folder;
  auto hub = Hub::open(std::move(options));
  EXPECT_TRUE(hub) << hub.error().message;
  return *std::move(hub);
}

Options some_options(std::uint64_t budget = 1000) {
  Options options;
  options.budget = Money::whole(budget);
  return options;
}

std::string created(Hub& hub, const std::string& name = "Reviews") {
  const auto entry = hub.create({.name = name, .owner = "owner"}, some_options());
  EXPECT_TRUE(entry) << entry.error().message;
  return entry->id;
}

/// The response, waited for.
Response command(Hub& hub, const std::string& campaign, Hub::Command command) {
  std::promise<Response> promise;
  hub.command(campaign, std::move(command),
              [&](Response response) { promise.set_value(std::move(response)); });
  return promise.get_future().get();
}

Response look(Hub& hub, const std::string& campaign, Hub::Look look) {
  std::promise<Response> promise;
  hub.look(campaign, std::move(look),
           [&](Response response) { promise.set_value(std::move(response)); });
  return promise.get_future().get();
}

Hub::Command add_items(int from, int count, const Hub& hub) {
  return [from, count, &hub](OpenBatch& batch) {
    std::vector<campaign::ItemDraft> items;
    for (int n = from; n < from + count; ++n) items.push_back({.id = "i" + std::to_string(n)});
    return Response{.status = batch->add_items(items, hub.now()) ? 201 : 409};
  };
}

std::uint32_t items_of(Hub& hub, const std::string& campaign) {
  std::uint32_t count = 0;
  look(hub, campaign, [&](OpenCampaign& open) {
    count = open.read([](const campaign::State& state) { return state.item_count(); }).value();
    return Response();
  });
  return count;
}

TEST(Hub, KeepsWhatItAnswered) {
  const Folder folder;
  std::string id;
  {
    const auto hub = opened(folder / "data");
    id = created(*hub);
    EXPECT_EQ(command(*hub, id, add_items(0, 5, *hub)).status, 201);
    EXPECT_EQ(command(*hub, id, add_items(0, 5, *hub)).status, 409);
  }
  const auto hub = opened(folder / "data");
  EXPECT_EQ(hub->vault().campaign(id)->name, "Reviews");
  EXPECT_EQ(items_of(*hub, id), 5U);
}

TEST(Hub, ASecondServerOfAFolderIsRefused) {
  const Folder folder;
  auto hub = opened(folder / "data");
  const auto second = Hub::open({.folder = folder / "data"});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_NE(second.error().message.find("process " + std::to_string(::getpid())), std::string::npos)
      << second.error().message;
  hub.reset();
  EXPECT_TRUE(Hub::open({.folder = folder / "data"}));
}

TEST(Hub, RefusesAFolderThatCannotBe) {
  const Folder folder;
  const auto hub = Hub::open({.folder = folder.file("file", "text") + "/data"});
  ASSERT_FALSE(hub);
  EXPECT_EQ(hub.error().code, ErrorCode::write_failure);
}

TEST(Hub, TakesAwayWhatIsLeftOfACampaignThatWasNeverFinished) {
  const Folder folder;
  const std::string campaigns = folder / "data/campaigns/";
  std::string whole;
  {
    const auto hub = opened(folder / "data");
    whole = created(*hub);
    ASSERT_TRUE(hub->vault().begin("half", hub->now()));
    for (const char* name : {"half.db", "half.db-wal", "half.db-shm", "another.db"}) {
      folder.file("data/campaigns/" + std::string(name), "x");
    }
  }
  const auto hub = opened(folder / "data");
  EXPECT_TRUE(std::filesystem::exists(campaigns + whole + ".db"));
  EXPECT_TRUE(std::filesystem::exists(campaigns + "another.db")) << "of which nothing is known";
  for (const char* name : {"half.db", "half.db-wal", "half.db-shm"}) {
    EXPECT_FALSE(std::filesystem::exists(campaigns + name)) << name;
  }
  EXPECT_TRUE(hub->vault().unfinished(serve::Time::max())->empty());
  EXPECT_EQ(command(*hub, whole, add_items(0, 1, *hub)).status, 201);
}

TEST(Hub, AFolderOfANewerProgramIsRefusedAndLeftAsItIs) {
  const Folder folder;
  std::string id;
  {
    const auto hub = opened(folder / "data");
    id = created(*hub);
  }
  const auto make_newer = [&](const std::string& path) {
    auto file = store::Connection::open(path, SQLITE_OPEN_READWRITE, 0);
    ASSERT_TRUE(file && (*file)->execute("PRAGMA user_version = 99"));
  };
  make_newer(folder / "data/campaigns/" + id + ".db");
  {
    const auto hub = opened(folder / "data");
    const Response refused = command(*hub, id, add_items(0, 1, *hub));
    EXPECT_EQ(refused.status, 503);
    EXPECT_NE(refused.cause.find("written by a newer allot"), std::string::npos);
    EXPECT_EQ(command(*hub, created(*hub), add_items(0, 1, *hub)).status, 201) << "others go on";
  }
  make_newer(folder / "data/server.db");
  const std::string before = read_file(folder / "data/server.db");
  const auto hub = Hub::open({.folder = folder / "data"});
  ASSERT_FALSE(hub);
  EXPECT_NE(hub.error().message.find("written by a newer allot"), std::string::npos)
      << hub.error().message;
  EXPECT_EQ(read_file(folder / "data/server.db"), before);
}

TEST(Hub, ACampaignThatIsNotThereIsTroubleForItsRequestsAlone) {
  const Folder folder;
  const auto hub = opened(folder / "data");
  EXPECT_EQ(command(*hub, "nothing", add_items(0, 1, *hub)).status, 503);
  const std::string id = created(*hub);
  EXPECT_EQ(command(*hub, id, add_items(0, 1, *hub)).status, 201);
  EXPECT_EQ(command(*hub, id, [](OpenBatch&) -> Response { throw std::runtime_error("?"); }).status,
            500);
  EXPECT_EQ(command(*hub, id, add_items(1, 1, *hub)).status, 201);
}

TEST(Hub, ACommandThatThrowsTakesNoOtherWithIt) {
  const Folder folder;
  const auto hub = opened(folder / "data");
  const std::string id = created(*hub);
  std::latch begun(1), finish(1), all(3);
  std::array<std::atomic<int>, 3> status{};
  hub->look(
      id,
      [&](OpenCampaign&) {
        begun.count_down();
        finish.wait();
        return Response();
      },
      [](Response) {});
  begun.wait();
  const std::array<Hub::Command, 3> jobs{add_items(0, 1, *hub),
                                         [&](OpenBatch& batch) -> Response {
                                           add_items(1, 1, *hub)(batch);
                                           throw std::runtime_error("?");
                                         },
                                         add_items(2, 1, *hub)};
  for (std::size_t n = 0; n < 3; ++n) {
    hub->command(id, jobs[n], [&, n](const Response& response) {
      status[n] = response.status;
      all.count_down();
    });
  }
  finish.count_down();
  all.wait();
  EXPECT_EQ(status[0], 201);
  EXPECT_EQ(status[1], 500);
  EXPECT_EQ(status[2], 201);
  EXPECT_EQ(items_of(*hub, id), 2U);
}

TEST(Hub, HeavyWorkOfOneCampaignLeavesOthersAlone) {
  const Folder folder;
  const auto hub = opened(folder / "data", {.threads = 2});
  const std::string slow = created(*hub), quick = created(*hub);
  std::latch begun(1), finish(1), ended(1);
  hub->command(
      slow,
      [&](OpenBatch&) {
        begun.count_down();
        finish.wait();
        return Response();
      },
      [&](Response) { ended.count_down(); });
  begun.wait();
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(command(*hub, quick, add_items(n, 1, *hub)).status, 201);
  }
  EXPECT_FALSE(ended.try_wait());
  finish.count_down();
  ended.wait();
}

TEST(Hub, WhatTakesLongHoldsUpNoCampaignAndIsBounded) {
  const Folder folder;
  const auto hub = opened(folder / "data", {.threads = 2, .most_slow = 2});
  const std::string id = created(*hub);
  std::latch begun(1), finish(1), all(3);
  ASSERT_TRUE(hub->run_slow([&] {
    begun.count_down();
    finish.wait();
    all.count_down();
  }));
  begun.wait();
  for (int n = 0; n < 2; ++n) EXPECT_TRUE(hub->run_slow([&] { all.count_down(); }));
  EXPECT_FALSE(hub->run_slow([] {})) << "too many wait";
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(command(*hub, id, add_items(n, 1, *hub)).status, 201);
  }
  finish.count_down();
  all.wait();
}

TEST(Hub, AFullMailboxRefuses) {
  const Folder folder;
  const auto hub = opened(folder / "data", {.most_waiting = 3});
  const std::string id = created(*hub);
  std::latch begun(1), finish(1), all(4);
  const auto count = [&](const Response& response) {
    EXPECT_EQ(response.status, 200);
    all.count_down();
  };
  hub->command(
      id,
      [&](OpenBatch&) {
        begun.count_down();
        finish.wait();
        return Response();
      },
      count);
  begun.wait();
  for (int n = 0; n < 3; ++n)
    hub->command(
        id, [](OpenBatch&) { return Response(); }, count);
  const Response refused = command(*hub, id, [](OpenBatch&) { return Response(); });
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.fields.find("retry-after"));
  finish.count_down();
  all.wait();
}

TEST(Hub, StoppingFinishesWhatWaits) {
  const Folder folder;
  std::string id;
  std::atomic<int> done = 0, refused = 0;
  {
    const auto hub = opened(folder / "data");
    id = created(*hub);
    for (int n = 0; n < 200; ++n) {
      hub->command(id, add_items(n, 1, *hub),
                   [&](const Response& response) { ++(response.status == 201 ? done : refused); });
    }
    hub->stop();
    EXPECT_EQ(done + refused, 200);
    EXPECT_EQ(refused, 0);
    EXPECT_EQ(command(*hub, id, add_items(1000, 1, *hub)).status, 503);
    EXPECT_FALSE(hub->work([] {}));
  }
  EXPECT_EQ(items_of(*opened(folder / "data"), id), 200U);
}

TEST(Hub, ClosesTheCampaignThatRestedLongest) {
  const Folder folder;
  const auto hub = opened(folder / "data", {.most_open = 3});
  std::vector<std::string> ids;
  for (int n = 0; n < 10; ++n) ids.push_back(created(*hub));
  for (int round = 0; round < 3; ++round) {
    for (const std::string& id : ids) {
      EXPECT_EQ(command(*hub, id, add_items(round, 1, *hub)).status, 201);
    }
  }
  for (const std::string& id : ids) EXPECT_EQ(items_of(*hub, id), 3U);
  // Those at work when somebody looked are closed by the next one that rests.
  for (int n = 0; n < 1000 && hub->figures().open > 5; ++n) items_of(*hub, ids.front());
  EXPECT_LE(hub->figures().open, 5U);
}

TEST(Hub, WakesWhoWaitsForAnEvent) {
  const Folder folder;
  const auto hub = opened(folder / "data");
  const std::string id = created(*hub);
  EXPECT_EQ(command(*hub, id, add_items(0, 1, *hub)).status, 201);  // the second event
  std::promise<void> news, late, at_once, end;
  hub->wait_for_event(id, 2, std::chrono::hours(1), [&] { news.set_value(); });
  hub->wait_for_event(id, 9, std::chrono::milliseconds(1), [&] { late.set_value(); });
  late.get_future().wait();
  EXPECT_EQ(hub->figures().watchers, 1U);
  EXPECT_EQ(command(*hub, id, add_items(1, 1, *hub)).status, 201);
  news.get_future().wait();
  hub->wait_for_event(id, 2, std::chrono::hours(1), [&] { at_once.set_value(); });
  at_once.get_future().wait();
  hub->wait_for_event(id, 3, std::chrono::hours(1), [&] { end.set_value(); });
  hub->stop();
  end.get_future().wait();
}

TEST(Hub, LeasesEndByThemselves) {
  const Folder folder;
  std::atomic<std::int64_t> seconds = 1'800'000'000;
  const auto clock = [&] { return serve::Time(std::chrono::seconds(seconds.load())); };
  const auto hub =
      opened(folder / "data", {.expire_every = std::chrono::milliseconds(1), .clock = clock});
  const std::string id = created(*hub);
  command(*hub, id, add_items(0, 1, *hub));
  command(*hub, id, [&](OpenBatch& batch) {
    EXPECT_TRUE(batch->next("ann", 1, hub->now()));
    return Response();
  });
  std::uint64_t last = 0;
  command(*hub, id, [&](OpenBatch& batch) {
    last = batch.read([](const campaign::State& state) { return state.sequence(); }).value();
    return Response();
  });
  std::promise<void> expired;
  hub->wait_for_event(id, last, std::chrono::hours(1), [&] { expired.set_value(); });
  seconds += 601;
  expired.get_future().wait();
  command(*hub, id, [&](OpenBatch& batch) {
    const auto events = batch->view().events(last, 10);
    EXPECT_TRUE(events && events->size() == 1);
    EXPECT_EQ(campaign::name(events->front().event), "expired");
    return Response();
  });
}

TEST(Hub, AClockThatWasYearsAheadHoldsNoLeaseForYears) {
  const Folder folder;
  constexpr std::int64_t kYears = 315'360'000;
  std::atomic<std::int64_t> seconds = 1'800'000'000 + kYears;
  const auto clock = [&] { return serve::Time(std::chrono::seconds(seconds.load())); };
  const auto hub =
      opened(folder / "data", {.expire_every = std::chrono::milliseconds(1), .clock = clock});
  const std::string id = created(*hub);
  command(*hub, id, add_items(0, 1, *hub));
  std::uint64_t last = 0;
  command(*hub, id, [&](OpenBatch& batch) {
    EXPECT_TRUE(batch->next("ann", 1, hub->now()));
    last = batch.read([](const campaign::State& state) { return state.sequence(); }).value();
    return Response();
  });
  const auto wait_for_event_after = [&](std::uint64_t sequence) {
    std::promise<void> happened;
    hub->wait_for_event(id, sequence, std::chrono::hours(1), [&] { happened.set_value(); });
    happened.get_future().wait();
  };
  seconds -= kYears;
  wait_for_event_after(last);
  seconds += 601;
  wait_for_event_after(last + 1);
  command(*hub, id, [&](OpenBatch& batch) {
    const auto events = batch->view().events(last, 10).value();
    EXPECT_EQ(events.size(), 2U);
    EXPECT_EQ(campaign::name(events.front().event), "clock-set-back");
    EXPECT_EQ(campaign::name(events.back().event), "expired");
    return Response();
  });
}

TEST(Hub, ManyThreadsAndCampaigns) {
  const Folder folder;
  const auto hub = opened(folder / "data", {.most_open = 2});
  std::vector<std::string> ids;
  for (int n = 0; n < 4; ++n) ids.push_back(created(*hub));
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int n = 0; n < 20; ++n) {
        const std::string& id = ids[static_cast<std::size_t>(n) % ids.size()];
        EXPECT_EQ(command(*hub, id, add_items(1000 * t + n, 1, *hub)).status, 201);
      }
    });
  }
  for (std::thread& one : threads) one.join();
  for (const std::string& id : ids) EXPECT_EQ(items_of(*hub, id), 40U);
}

}  // namespace
}  // namespace allot::test::hub_test
