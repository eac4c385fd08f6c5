// What every store does, whatever it is made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "allot/store/memory_store.hpp"
#include "allot/store/postgres_store.hpp"
#include "allot/store/sqlite_store.hpp"
#include "allot/store/store.hpp"
#include "support/folder.hpp"
#include "support/postgres.hpp"

namespace allot::store::store_contract_test {
namespace {

/// A kind of store; `open` gives null where it is not installed.
struct Kind {
  const char* name;
  std::function<std::unique_ptr<Store>(const test::Folder&)> open;
};

class StoreContract : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    store_ = GetParam().open(folder_);
    if (!store_) GTEST_SKIP() << "PostgreSQL is not installed (Debian package postgresql)";
  }

  test::Folder folder_;
  std::unique_ptr<Store> store_;

  void append(std::uint64_t last, std::vector<Draft> drafts, const std::string& campaign = "a") {
    const auto done = store_->append(campaign, last, drafts);
    ASSERT_TRUE(done) << done.error().message;
  }
};

Draft draft(std::uint8_t kind, std::string payload, std::string key = "", std::int64_t time = 5) {
  return {time, kind, std::move(key), std::move(payload)};
}

TEST_P(StoreContract, StartsEmpty) {
  EXPECT_TRUE(store_->campaigns()->empty());
  EXPECT_EQ(store_->last("a").value(), 0U);
  EXPECT_TRUE(store_->read("a", 0, 10)->empty());
  EXPECT_FALSE(store_->find("a", "k")->has_value());
  EXPECT_FALSE(store_->content("a", 0)->has_value());
  EXPECT_FALSE(store_->snapshot("a")->has_value());
}

TEST_P(StoreContract, KeepsRecordsInOrder) {
  const std::string odd("\0\xff' x", 5);
  append(0, {draft(1, "one"), draft(2, odd, "key", -7)});
  append(2, {draft(255, "")});
  EXPECT_EQ(store_->last("a").value(), 3U);
  const std::vector<Record> all = store_->read("a", 0, 10).value();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0], (Record{draft(1, "one"), 1}));
  EXPECT_EQ(all[1], (Record{draft(2, odd, "key", -7), 2}));
  EXPECT_EQ(all[2], (Record{draft(255, ""), 3}));
  EXPECT_EQ(store_->read("a", 1, 1).value(), std::vector{all[1]});
  EXPECT_TRUE(store_->read("a", 3, 10)->empty());
  EXPECT_TRUE(store_->read("a", 99, 10)->empty());
}

TEST_P(StoreContract, CountsEveryCampaignForItself) {
  append(0, {draft(1, "x")}, "b");
  append(0, {draft(1, "y"), draft(1, "z", "k")}, "a");
  EXPECT_EQ(store_->campaigns().value(), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(store_->last("a").value(), 2U);
  EXPECT_EQ(store_->last("b").value(), 1U);
  EXPECT_FALSE(store_->find("b", "k")->has_value());
  append(1, {draft(1, "", "k")}, "b");
}

TEST_P(StoreContract, FindsARecordByItsKey) {
  append(0, {draft(1, "x", "k1"), draft(3, "y", "k2")});
  EXPECT_EQ(store_->find("a", "k2").value(), (Record{draft(3, "y", "k2"), 2}));
  EXPECT_FALSE(store_->find("a", "k")->has_value());
}

TEST_P(StoreContract, RefusesAKeyTwiceAndKeepsNothingOfThatBatch) {
  append(0, {draft(1, "x", "k")});
  for (const auto& twice : {std::vector{draft(1, "y"), draft(1, "z", "k")},
                            std::vector{draft(1, "y", "n"), draft(1, "z", "n")}}) {
    const auto done = store_->append("a", 1, twice);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::conflict);
    EXPECT_NE(done.error().message.find("'" + twice[1].key + "'"), std::string::npos)
        << done.error().message;
    EXPECT_EQ(store_->last("a").value(), 1U);
  }
}

TEST_P(StoreContract, RefusesDecisionsMadeOnAnOlderLedger) {
  append(0, {draft(1, "x")});
  const auto done = store_->append("a", 0, std::vector{draft(1, "y")});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::conflict);
  EXPECT_EQ(store_->last("a").value(), 1U);
}

TEST_P(StoreContract, ATurnWithoutCommitLeavesNothing) {
  {
    auto turn = store_->begin("a").value();
    ASSERT_TRUE(turn->append(std::vector{draft(1, "x", "k")}));
    ASSERT_TRUE(turn->add(std::vector{Content{0, "text"}}));
  }
  EXPECT_EQ(store_->last("a").value(), 0U);
  EXPECT_FALSE(store_->content("a", 0)->has_value());
  append(0, {draft(1, "x", "k")});
}

TEST_P(StoreContract, OthersSeeATurnOnlyOnceItIsCommitted) {
  auto turn = store_->begin("a").value();
  ASSERT_TRUE(turn->append(std::vector{draft(1, "x", "k")}));
  const auto seen_by_others = [&] {
    std::uint64_t last = 9;
    std::thread([&] { last = store_->last("a").value(); }).join();
    return last;
  };
  EXPECT_EQ(seen_by_others(), 0U);
  ASSERT_TRUE(turn->commit());
  EXPECT_EQ(seen_by_others(), 1U);
}

TEST_P(StoreContract, ATurnAppendsInSeveralSteps) {
  auto turn = store_->begin("a").value();
  ASSERT_TRUE(turn->append(std::vector{draft(1, "x")}));
  ASSERT_TRUE(turn->append(std::vector{draft(2, "y")}));
  ASSERT_TRUE(turn->commit());
  turn.reset();
  EXPECT_EQ(store_->read("a", 0, 9)->back(), (Record{draft(2, "y"), 2}));
}

TEST_P(StoreContract, ATurnReadsWhatIsCommitted) {
  ASSERT_TRUE(store_->append("a", 0, std::vector{draft(1, "x", "k"), draft(2, "y")},
                             std::vector{Content{3, "text"}}));
  append(0, {draft(1, "z", "other")}, "b");
  auto turn = store_->begin("a").value();
  EXPECT_EQ(turn->read(0, 9).value(), store_->read("a", 0, 9).value());
  EXPECT_EQ(turn->read(1, 1).value(), (std::vector{Record{draft(2, "y"), 2}}));
  EXPECT_EQ(turn->find("k").value(), (Record{draft(1, "x", "k"), 1}));
  EXPECT_FALSE(turn->find("other")->has_value());
  EXPECT_EQ(turn->content(3).value(), "text");
  EXPECT_FALSE(turn->content(0)->has_value());
  // The holder of the turn, too, sees its records in the store once they are committed.
  ASSERT_TRUE(turn->append(std::vector{draft(3, "w", "n")}));
  EXPECT_EQ(store_->last("a").value(), 2U);
  EXPECT_FALSE(store_->find("a", "n")->has_value());
  ASSERT_TRUE(turn->commit());
  EXPECT_EQ(store_->find("a", "n").value(), (Record{draft(3, "w", "n"), 3}));
}

TEST_P(StoreContract, AnnouncedKeysAreFoundAsAnyOthers) {
  append(0, {draft(1, "x", "k1"), draft(2, "y", "k2"), draft(3, "z", "k3")});
  append(0, {draft(1, "z", "other")}, "b");
  const auto turn = store_->begin("a").value();
  ASSERT_TRUE(turn->look_for(std::vector<std::string>{"k2", "other", "none", "k1", "k2"}));
  ASSERT_TRUE(turn->look_for({}));
  EXPECT_EQ(turn->find("k1").value(), (Record{draft(1, "x", "k1"), 1}));
  EXPECT_EQ(turn->find("k2").value(), (Record{draft(2, "y", "k2"), 2}));
  EXPECT_EQ(turn->find("k3").value(), (Record{draft(3, "z", "k3"), 3}));
  EXPECT_FALSE(turn->find("other")->has_value());
  EXPECT_FALSE(turn->find("none")->has_value());
}

TEST_P(StoreContract, KeepsContentsBesideTheLedger) {
  const auto add = [&](std::vector<Content> contents, std::uint64_t last) {
    return store_->append("a", last, std::vector{draft(1, "")}, contents);
  };
  ASSERT_TRUE(add({{0, "{\"text\":\"Ünï\"}"}, {7, ""}}, 0));
  EXPECT_EQ(store_->content("a", 0).value(), "{\"text\":\"Ünï\"}");
  EXPECT_EQ(store_->content("a", 7).value(), "");
  EXPECT_FALSE(store_->content("a", 1)->has_value());
  EXPECT_FALSE(store_->content("b", 0)->has_value());
  const auto again = add({{1, "new"}, {7, "other"}}, 1);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::conflict);
  EXPECT_FALSE(store_->content("a", 1)->has_value());
  EXPECT_EQ(store_->last("a").value(), 1U);
}

TEST_P(StoreContract, ListsContentsInTheOrderOfItems) {
  ASSERT_TRUE(store_->append("a", 0, std::vector{draft(1, "")},
                             std::vector<Content>{{7, "seven"}, {0, "zero"}, {3, "three"}}));
  const std::vector<Content> all{{0, "zero"}, {3, "three"}, {7, "seven"}};
  EXPECT_EQ(store_->contents("a", 0, 10).value(), all);
  EXPECT_EQ(store_->contents("a", 1, 1).value(), std::vector{all[1]});
  EXPECT_TRUE(store_->contents("a", 8, 10)->empty());
  EXPECT_TRUE(store_->contents("b", 0, 10)->empty());
}

TEST_P(StoreContract, ATurnKnowsWhereItsLedgerEnds) {
  EXPECT_EQ(store_->begin("a").value()->last().value(), 0U);
  append(0, {draft(1, "x"), draft(1, "y")});
  const auto turn = store_->begin("a").value();
  EXPECT_EQ(turn->last().value(), 2U);
  ASSERT_TRUE(turn->append(std::vector{draft(1, "z")}));
  EXPECT_EQ(turn->last().value(), 2U);
}

TEST_P(StoreContract, KeepsTheNewestSnapshot) {
  append(0, {draft(1, "x")});
  const Snapshot large{9, {std::string(2'000'000, 'x'), "", std::string("\0y", 2)}};
  ASSERT_TRUE(store_->save("a", large));
  EXPECT_EQ(store_->snapshot("a").value(), large);
  ASSERT_TRUE(store_->save("a", {8, {"older"}}));
  EXPECT_EQ(store_->snapshot("a")->value().sequence, 9U);
  ASSERT_TRUE(store_->save("a", {10, {"newer"}}));
  EXPECT_EQ(store_->snapshot("a").value(), (Snapshot{10, {"newer"}}));
  EXPECT_FALSE(store_->snapshot("b")->has_value());
}

TEST_P(StoreContract, RemovesACampaignWithEverythingThatItHas) {
  append(0, {draft(1, "x", "key"), draft(2, "y")});
  append(0, {draft(1, "z", "key")}, "b");
  const Content content{0, "{}"};
  ASSERT_TRUE(store_->append("a", 2, {}, {&content, 1}));
  ASSERT_TRUE(store_->save("a", {2, {"state"}}));
  ASSERT_TRUE(store_->remove("a"));
  EXPECT_EQ(store_->campaigns().value(), std::vector<std::string>{"b"});
  EXPECT_EQ(store_->last("a").value(), 0U);
  EXPECT_TRUE(store_->read("a", 0, 10)->empty());
  EXPECT_FALSE(store_->find("a", "key")->has_value());
  EXPECT_FALSE(store_->content("a", 0)->has_value());
  EXPECT_TRUE(store_->contents("a", 0, 10)->empty());
  EXPECT_FALSE(store_->snapshot("a")->has_value());
  ASSERT_TRUE(store_->remove("a")) << "there is none any more";
  EXPECT_EQ(store_->find("b", "key")->value().payload, "z");
  append(0, {draft(1, "new", "key")});
  EXPECT_EQ(store_->find("a", "key")->value().payload, "new");
}

TEST_P(StoreContract, ThreadsTakeTurns) {
  constexpr int kThreads = 8, kEach = 25;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int n = 0; n < kEach; ++n) {
          auto turn = store_->begin("a").value();
          // The holder of the turn knows where the ledger ends.
          const std::string next = std::to_string(store_->last("a").value() + 1);
          ASSERT_TRUE(turn->append(
              std::vector{draft(1, next, std::to_string(t) + "-" + std::to_string(n))}));
          ASSERT_TRUE(turn->commit());
        }
      });
    }
  }
  const auto all = store_->read("a", 0, 1000).value();
  ASSERT_EQ(all.size(), std::size_t{kThreads * kEach});
  for (const Record& one : all) EXPECT_EQ(one.payload, std::to_string(one.sequence));
}

INSTANTIATE_TEST_SUITE_P(
    , StoreContract,
    testing::Values(
        Kind{"Memory", [](const test::Folder&) { return memory_store(); }},
        Kind{"Sqlite",
             [](const test::Folder& folder) {
               return open_sqlite(folder / "a.db", {.mode = OpenMode::create}).value();
             }},
        Kind{"SqliteTidiedAside",
             [](const test::Folder& folder) {
               return open_sqlite(folder / "a.db",
                                  {.mode = OpenMode::create, .background_checkpoint = true})
                   .value();
             }},
        Kind{"Postgres",
             [](const test::Folder&) -> std::unique_ptr<Store> {
               auto* const server = test::PostgresServer::get();
               if (!server) return nullptr;
               return open_postgres(server->new_database(), {.mode = OpenMode::create}).value();
             }}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace allot::store::store_contract_test
