// Campaigns moved from one store to another.
#include "allot/campaign/copy.hpp"

#include <gtest/gtest.h>

#include "allot/campaign/campaign.hpp"
#include "allot/store/memory_store.hpp"
#include "allot/store/postgres_store.hpp"
#include "allot/store/sqlite_store.hpp"
#include "support/folder.hpp"
#include "support/postgres.hpp"
#include "support/wrapped_store.hpp"

namespace allot::campaign::copy_test {
namespace {

const Time kStart(std::chrono::microseconds(1'700'000'000'000'000));

/// A campaign with items, keys, labels, a lease and a snapshot that is not the newest.
void make_campaign(store::Store& store) {
  const auto campaign =
      Campaign::create(store, "c", Options{.budget = Money::whole(50)}, kStart).value();
  std::vector<ItemDraft> items;
  for (int n = 0; n < 20; ++n) {
    items.push_back(
        {.id = "i" + std::to_string(n), .fields = "{\"n\": " + std::to_string(n) + "}"});
  }
  ASSERT_TRUE(campaign->add_items(items, kStart, "items"));
  for (const std::string worker : {"ann", "bob"}) {
    const auto handout = campaign->next(worker, 5, kStart, "ask-" + worker).value();
    for (const auto& one : handout.assignments) {
      ASSERT_TRUE(campaign->record(Answer{one.item, worker, "yes"}, kStart));
    }
    if (worker == "ann") {
      ASSERT_TRUE(campaign->save_snapshot());
    }
  }
  ASSERT_TRUE(campaign->next("cyd", 1, kStart));
}

/// Everything that a store has of the campaign.
void expect_equal(store::Store& one, store::Store& other) {
  EXPECT_EQ(one.read("c", 0, 1000).value(), other.read("c", 0, 1000).value());
  EXPECT_EQ(one.contents("c", 0, 1000).value(), other.contents("c", 0, 1000).value());
  EXPECT_EQ(one.snapshot("c").value(), other.snapshot("c").value());
  EXPECT_EQ(one.find("c", "ask-bob").value(), other.find("c", "ask-bob").value());
}

TEST(Copy, HasRecordsContentsKeysAndTheSnapshot) {
  const test::Folder folder;
  const auto from = store::memory_store();
  const auto to = store::open_sqlite(folder / "to.db", {.mode = store::OpenMode::create}).value();
  make_campaign(*from);
  const auto report = copy(*from, "c", *to);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->records, from->last("c").value());
  EXPECT_EQ(report->contents, 20U);
  EXPECT_EQ(report->missed, 0U);
  expect_equal(*from, *to);
  const auto campaign = Campaign::open(*to, "c").value();
  EXPECT_TRUE(campaign->verify()->differences.empty());
  // The copy goes on as the original would, and knows its keys.
  EXPECT_EQ(campaign->next("ann", 5, kStart, "ask-ann")->assignments.size(), 5U);
  EXPECT_EQ(campaign->view().status()->leases, 1U);
}

TEST(Copy, RefusesATargetThatHasTheCampaign) {
  const auto from = store::memory_store(), to = store::memory_store();
  make_campaign(*from);
  ASSERT_TRUE(copy(*from, "c", *to));
  for (store::Store* target : {to.get(), from.get()}) {
    const auto again = copy(*from, "c", *target);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::conflict);
    EXPECT_NE(again.error().message.find("expected a target without it"), std::string::npos);
  }
  expect_equal(*from, *to);
}

TEST(Copy, RefusesACampaignThatDoesNotExist) {
  const auto from = store::memory_store(), to = store::memory_store();
  EXPECT_EQ(copy(*from, "c", *to).error().code, ErrorCode::not_found);
}

/// A store that changes what is written to it, as a broken disk would.
class ChangingStore final : public test::WrappedStore {
 public:
  using WrappedStore::WrappedStore;
  bool records = false, contents_too = false;

  Result<std::vector<store::Record>> read(std::string_view name, std::uint64_t after,
                                          std::size_t most) override {
    auto read = inner().read(name, after, most);
    if (records && read && read->size() > 3) (*read)[3].time += 1;
    return read;
  }
  Result<std::vector<store::Content>> contents(std::string_view name, std::uint32_t from,
                                               std::size_t most) override {
    auto found = inner().contents(name, from, most);
    if (contents_too && found && !found->empty()) found->back().fields += " ";
    return found;
  }
};

TEST(Copy, NoticesACopyThatDiffers) {
  const auto message = [](bool records, bool contents) {
    const auto from = store::memory_store(), to = store::memory_store();
    make_campaign(*from);
    ChangingStore changing(*to);
    changing.records = records;
    changing.contents_too = contents;
    const auto report = copy(*from, "c", changing);
    return report ? "" : report.error().message;
  };
  EXPECT_EQ(message(false, false), "");
  EXPECT_NE(message(true, false).find("record 4 differs"), std::string::npos);
  EXPECT_NE(message(false, true).find("the content of item 19 differs"), std::string::npos);
}

class PostgresCopy : public test::PostgresTest {};

TEST_F(PostgresCopy, GoesThereAndBack) {
  const test::Folder folder;
  const auto from =
      store::open_sqlite(folder / "from.db", {.mode = store::OpenMode::create}).value();
  make_campaign(*from);
  const auto database =
      store::open_postgres(location_, {.mode = store::OpenMode::create, .statement_bytes = 500})
          .value();
  const auto there = copy(*from, "c", *database);
  ASSERT_TRUE(there) << there.error().message;
  expect_equal(*from, *database);
  EXPECT_TRUE(Campaign::open(*database, "c").value()->verify()->differences.empty());
  const auto back =
      store::open_sqlite(folder / "back.db", {.mode = store::OpenMode::create}).value();
  ASSERT_TRUE(copy(*database, "c", *back));
  expect_equal(*from, *back);
  EXPECT_EQ(copy(*back, "c", *database).error().code, ErrorCode::conflict);
}

/// Two engines on one database, as two processes would be.
TEST_F(PostgresCopy, EnginesThatRaceSpendTheBudgetAndNoMore) {
  constexpr int kEngines = 3;
  {
    const auto store = store::open_postgres(location_, {.mode = store::OpenMode::create}).value();
    std::vector<ItemDraft> items;
    for (int n = 0; n < 30; ++n) items.push_back({.id = "i" + std::to_string(n)});
    ASSERT_TRUE(Campaign::create(*store, "c",
                                 Options{.budget = Money::whole(30), .labels_per_item = 2}, kStart,
                                 {items, {}}));
  }
  std::atomic<int> labels = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kEngines; ++t) {
      threads.emplace_back([&, worker = "w" + std::to_string(t)] {
        const auto store = store::open_postgres(location_).value();
        const auto campaign = Campaign::open(*store, "c").value();
        while (true) {
          const auto handout = campaign->next(worker, 1, kStart);
          if (!handout) {
            // All others may be faster five times in a row.
            if (handout.error().code == ErrorCode::store_failure) continue;
            EXPECT_EQ(handout.error().code, ErrorCode::budget_exhausted) << handout.error().message;
            return;
          }
          const Answer answer{handout->assignments.at(0).item, worker, "yes"};
          while (true) {
            const auto done = campaign->record(answer, kStart);
            if (done) break;
            ASSERT_EQ(done.error().code, ErrorCode::store_failure) << done.error().message;
          }
          ++labels;
        }
      });
    }
  }
  const auto store = store::open_postgres(location_).value();
  const auto campaign = Campaign::open(*store, "c").value();
  EXPECT_EQ(labels, 30);
  EXPECT_EQ(campaign->view().status()->labels, 30U);
  EXPECT_EQ(campaign->verify()->differences, std::vector<std::string>());
}

}  // namespace
}  // namespace allot::campaign::copy_test
