// The store on PostgreSQL: several writers, trouble with the server, and tables of other versions.
// Tests of commits whose outcome is unknown are in postgres_outcome_test.cpp.
#include "allot/store/postgres_store.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <future>
#include <thread>

#include "store/postgres_append.hpp"
#include "store/postgres_schema.hpp"
#include "support/postgres.hpp"

namespace allot::store::postgres_store_test {
namespace {

using std::chrono::milliseconds;
using test::PostgresServer;

Draft draft(std::string payload, std::string key = "") {
  return {5, 1, std::move(key), std::move(payload)};
}

class PostgresStoreTest : public test::PostgresTest {
 protected:
  std::unique_ptr<Store> open(PostgresOptions options = {.mode = OpenMode::create}) const {
    auto store = open_postgres(location_, options);
    EXPECT_TRUE(store) << store.error().message;
    return *std::move(store);
  }

  /// The line with which a location is refused.
  static std::string refusal(const std::string& location, PostgresOptions options = {}) {
    const auto store = open_postgres(location, options);
    if (store) return "";
    EXPECT_EQ(std::ranges::count(store.error().message, '\n'), 0) << store.error().message;
    return store.error().message;
  }
};

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

/// Two writers decide on the same ledger; the first one commits before the second.
Result<void> interleave(Store& first, Store& second) {
  const auto one = first.begin("a").value(), two = second.begin("a").value();
  const std::uint64_t seen = one->last().value();
  EXPECT_EQ(two->last().value(), seen);
  EXPECT_TRUE(one->append(std::vector{draft(std::to_string(seen + 1))}));
  EXPECT_TRUE(two->append(std::vector{draft(std::to_string(seen + 1))}));
  EXPECT_TRUE(one->commit());
  return two->commit();
}

/// True if every record was decided on the ledger before it.
bool is_decided_in_order(Store& store) {
  const auto all = store.read("a", 0, 10'000);
  return all && std::ranges::all_of(*all, [](const Record& record) {
           return record.payload == std::to_string(record.sequence);
         });
}

TEST_F(PostgresStoreTest, TheSlowerOfTwoWritersGetsAConflict) {
  const auto one = open(), two = open();
  const auto slower = interleave(*one, *two);
  ASSERT_FALSE(slower);
  EXPECT_EQ(slower.error().code, ErrorCode::conflict);
  expect_in(slower.error().message, "another writer was faster");
  EXPECT_EQ(one->last("a").value(), 1U);
  EXPECT_TRUE(is_decided_in_order(*two));
}

/// Without the conditions, and with numbers that follow the real end, both are taken.
TEST_F(PostgresStoreTest, WithoutTheConditionsADecisionIsOvertakenUnnoticed) {
  std::string sql = kConditionalAppend;
  const auto replace = [&](std::string_view from, std::string_view to) {
    const std::size_t at = sql.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    sql.replace(at, from.size(), to);
  };
  replace(" AND last = $2 AND epoch = $3 RETURNING id", " RETURNING id, last - $4 AS before");
  const std::string unconditional_only = sql;
  replace("$2 + r.n", "head.before + r.n");
  open();
  const PostgresOptions options;
  const auto one = open_postgres_with(location_, options, {sql.c_str()}).value();
  const auto two = open_postgres_with(location_, options, {sql.c_str()}).value();
  EXPECT_TRUE(interleave(*one, *two));
  EXPECT_EQ(one->last("a").value(), 2U);
  EXPECT_FALSE(is_decided_in_order(*one));
  // With the numbers of the decision, the primary key of the records is a second guard.
  location_ = server_->new_database();
  open();
  const auto three = open_postgres_with(location_, options, {unconditional_only.c_str()}).value();
  const auto four = open_postgres_with(location_, options, {unconditional_only.c_str()}).value();
  EXPECT_FALSE(interleave(*three, *four));
}

TEST_F(PostgresStoreTest, WritersThatRaceLoseNothing) {
  constexpr int kWriters = 4, kEach = 25;
  open();
  std::atomic<int> conflicts = 0;
  std::barrier ready(kWriters);
  {
    std::vector<std::jthread> writers;
    for (int w = 0; w < kWriters; ++w) {
      writers.emplace_back([&] {
        const auto mine = open({});  // as another process would
        ready.arrive_and_wait();
        for (int n = 0; n < kEach;) {
          const auto turn = mine->begin("a").value();
          const std::string next = std::to_string(turn->last().value() + 1);
          ASSERT_TRUE(turn->append(std::vector{draft(next)}));
          const auto done = turn->commit();
          if (done) {
            ++n;
          } else {
            ASSERT_EQ(done.error().code, ErrorCode::conflict) << done.error().message;
            ++conflicts;
          }
        }
      });
    }
  }
  const auto store = open();
  EXPECT_EQ(store->last("a").value(), std::uint64_t{kWriters * kEach});
  EXPECT_TRUE(is_decided_in_order(*store));
  EXPECT_GT(conflicts, 0);
}

TEST_F(PostgresStoreTest, ATurnSeesTheLedgerAsItWasWhenItBegan) {
  const auto one = open(), two = open();
  ASSERT_TRUE(one->append("a", 0, std::vector{draft("1", "k1")}));
  const auto turn = one->begin("a").value();
  EXPECT_EQ(turn->read(0, 1)->size(), 1U);
  ASSERT_TRUE(two->append("a", 1, std::vector{draft("2", "k2")}));
  EXPECT_EQ(turn->last().value(), 1U);
  EXPECT_TRUE(turn->read(1, 9)->empty());
  EXPECT_FALSE(turn->find("k2")->has_value());
  EXPECT_TRUE(turn->find("k1")->has_value());
  ASSERT_TRUE(turn->look_for(std::vector<std::string>{"k1", "k2"}));
  EXPECT_FALSE(turn->find("k2")->has_value());
  EXPECT_TRUE(turn->find("k1")->has_value());
  ASSERT_TRUE(turn->append(std::vector{draft("2")}));
  EXPECT_EQ(turn->commit().error().code, ErrorCode::conflict);
}

TEST_F(PostgresStoreTest, OfTwoThatBeginACampaignOneDoes) {
  const auto one = open(), two = open();
  EXPECT_EQ(interleave(*one, *two).error().code, ErrorCode::conflict);
  EXPECT_EQ(one->campaigns().value(), std::vector<std::string>{"a"});
}

TEST_F(PostgresStoreTest, AnOlderEpochCannotAppend) {
  const auto store = open();
  ASSERT_TRUE(store->append("a", 0, std::vector{draft("1")}));
  const auto turn = store->begin("a").value();
  ASSERT_TRUE(turn->append(std::vector{draft("2")}));
  PostgresServer::run(location_, "UPDATE allot.campaign SET epoch = epoch + 1");
  EXPECT_EQ(turn->commit().error().code, ErrorCode::conflict);
  EXPECT_EQ(store->last("a").value(), 1U);
}

TEST_F(PostgresStoreTest, KeysCanBeLongAndHaveAnyByte) {
  const auto store = open();
  const std::string odd("\0\xff'", 3), large(10'000, 'k');
  ASSERT_TRUE(store->append("a", 0, std::vector{draft("1", odd), draft("2", large)}));
  EXPECT_EQ(store->find("a", odd).value()->payload, "1");
  EXPECT_EQ(store->find("a", large).value()->payload, "2");
  EXPECT_EQ(store->append("a", 2, std::vector{draft("3", large)}).error().code,
            ErrorCode::conflict);
}

TEST_F(PostgresStoreTest, ContentsAreReadWithTheirNeighbours) {
  const auto one = open(), two = open();
  std::vector<Content> contents;
  for (std::uint32_t n = 0; n < 200; ++n) {
    // Every seventh is too large to be read ahead.
    contents.push_back({n, std::string(n % 7 == 0 ? 10'000 : 10, static_cast<char>('a' + n % 26))});
  }
  ASSERT_TRUE(one->append("a", 0, std::vector{draft("1")}, contents));
  const auto content_of = [&](std::uint32_t item) {
    return two->begin("a").value()->content(item).value();
  };
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t n = 0; n < 200; ++n) {
      const Content& content = contents[(n * 77) % 200];
      EXPECT_EQ(content_of(content.item), content.fields);
    }
  }
  // One that comes later is found, though its block was read before.
  EXPECT_FALSE(content_of(201).has_value());
  ASSERT_TRUE(one->append("a", 1, std::vector{draft("2")}, std::vector{Content{201, "late"}}));
  EXPECT_EQ(content_of(201), "late");
  // A campaign of the same name that is made again has its own.
  ASSERT_TRUE(one->remove("a"));
  ASSERT_TRUE(one->append("a", 0, std::vector{draft("1")}, std::vector{Content{1, "new"}}));
  EXPECT_EQ(content_of(1), "new");
  EXPECT_FALSE(content_of(2).has_value());
}

TEST_F(PostgresStoreTest, ALargeCommitIsOneTransactionOfSeveralStatements) {
  const auto one = open({.mode = OpenMode::create, .statement_bytes = 1000}), two = open();
  std::vector<Draft> many;
  std::vector<Content> contents;
  for (std::uint32_t n = 1; n <= 100; ++n) {
    many.push_back(draft(std::to_string(n), "k" + std::to_string(n)));
    contents.push_back({n, std::string(50, 'x')});
  }
  {
    const auto turn = one->begin("a").value();
    ASSERT_TRUE(turn->append(many));
    EXPECT_EQ(two->last("a").value(), 0U);
  }
  EXPECT_EQ(two->last("a").value(), 0U);
  ASSERT_TRUE(one->append("a", 0, many, contents));
  EXPECT_TRUE(is_decided_in_order(*two));
  EXPECT_EQ(two->contents("a", 0, 1000).value(), contents);
  // All or nothing, too, if a later statement is refused.
  std::vector<Draft> more(100, draft(std::string(50, 'y')));
  more.back().key = "k7";
  const auto refused = one->append("a", 100, more);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::conflict);
  expect_in(refused.error().message, "'k7'");
  EXPECT_EQ(two->last("a").value(), 100U);
  std::swap(more.front(), more.back());
  const auto turn = one->begin("a").value();
  EXPECT_FALSE(turn->append(more));
  EXPECT_FALSE(turn->commit());
}

TEST_F(PostgresStoreTest, MoreThreadsThanConnectionsTakeTurns) {
  const auto store = open({.mode = OpenMode::create, .connections = 1});
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, name = std::to_string(t)] {
        for (std::uint64_t n = 0; n < 5; ++n) {
          ASSERT_TRUE(store->append(name, n, std::vector{draft("x")}));
        }
      });
    }
  }
  EXPECT_EQ(store->campaigns()->size(), 4U);
}

TEST_F(PostgresStoreTest, NoticesDamage) {
  const auto store = open();
  ASSERT_TRUE(store->append("a", 0, std::vector{draft("1"), draft("2"), draft("3")}));
  const auto message = [&] { return store->read("a", 0, 9).error().message; };
  PostgresServer::run(location_, "UPDATE allot.record SET payload = 'x' WHERE sequence = 2");
  expect_in(message(), "record 2 does not match its checksum");
  PostgresServer::run(location_, "DELETE FROM allot.record WHERE sequence = 2");
  expect_in(message(), "record 2 is missing");
  PostgresServer::run(location_, "DELETE FROM allot.record WHERE sequence > 1");
  expect_in(message(), "it ends at record 1 instead of 3");
}

TEST_F(PostgresStoreTest, GoesOnAfterARestartOfTheServer) {
  const auto store = open();
  ASSERT_TRUE(store->append("a", 0, std::vector{draft("1")}));
  server_->stop();
  auto last = std::async(std::launch::async, [&] { return store->last("a"); });
  EXPECT_EQ(last.wait_for(milliseconds(200)), std::future_status::timeout);
  server_->start();
  EXPECT_EQ(last.get().value(), 1U);
  server_->run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test%'");
  const auto done = store->append("a", 1, std::vector{draft("2")});
  EXPECT_TRUE(done) << done.error().message;
  EXPECT_TRUE(is_decided_in_order(*store));
}

TEST_F(PostgresStoreTest, AnUnreachableServerIsOneLineAtOnce) {
  const auto begun = std::chrono::steady_clock::now();
  expect_in(refusal("postgresql://allot@/x?host=/nowhere"), "/nowhere");
  expect_in(refusal("postgresql://allot@127.0.0.1:1/x"), "refused");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

TEST_F(PostgresStoreTest, AWrongLocationIsRefused) {
  const auto wrong = open_postgres("postgresql://host:notaport/x?nonsense=1");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::invalid_argument);
  expect_in(wrong.error().message, "expected one such as postgresql://user@host/database");
  expect_in(refusal(server_->location("nosuch")), "\"nosuch\" does not exist");
}

TEST_F(PostgresStoreTest, AWrongPasswordIsRefusedAndNotShown) {
  const std::string wrong =
      "postgresql://locked:wrong@/postgres?host=" + location_.substr(location_.find("host=") + 5);
  const std::string message = refusal(wrong);
  expect_in(message, "password authentication failed");
  EXPECT_EQ(message.find("wrong"), std::string::npos) << message;
}

TEST_F(PostgresStoreTest, AReadOnlyServerIsReadButNotWritten) {
  open();
  const std::string name = PostgresServer::run(location_, "SELECT current_database()");
  server_->run("ALTER DATABASE " + name + " SET default_transaction_read_only = on");
  expect_in(refusal(location_), "read-only");
  const auto reader = open({.mode = OpenMode::read});
  EXPECT_EQ(reader->last("a").value(), 0U);
  const auto begun = reader->begin("a");
  ASSERT_FALSE(begun);
  expect_in(begun.error().message, "open for reading only");
}

/// After a fail-over the old primary may be read-only: the store looks for the one that is not.
TEST_F(PostgresStoreTest, WaitsUntilThereIsAPrimary) {
  const auto store = open({.mode = OpenMode::create, .timeout = milliseconds(10'000)});
  ASSERT_TRUE(store->append("a", 0, std::vector{draft("1")}));
  const std::string name = PostgresServer::run(location_, "SELECT current_database()");
  server_->run("ALTER DATABASE " + name + " SET default_transaction_read_only = on");
  server_->run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name +
               "'");
  std::jthread promotes([&] {
    std::this_thread::sleep_for(milliseconds(300));
    server_->run("ALTER DATABASE " + name + " RESET default_transaction_read_only");
  });
  const auto done = store->append("a", 1, std::vector{draft("2")});
  EXPECT_TRUE(done) << done.error().message;
}

TEST_F(PostgresStoreTest, TablesAreMadeOnceByMany) {
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 6; ++t) threads.emplace_back([&] { open(); });
  }
  EXPECT_TRUE(open({}));
}

TEST_F(PostgresStoreTest, ADatabaseWithoutTablesIsRefusedUnlessItIsToBeMade) {
  expect_in(refusal(location_), "has no campaigns");
  expect_in(refusal(location_, {.mode = OpenMode::read}), "has no campaigns");
}

TEST_F(PostgresStoreTest, TablesOfANewerVersionAreRefused) {
  open();
  PostgresServer::run(location_, "UPDATE allot.format SET number = 99");
  expect_in(refusal(location_), "written by a newer allot (format 99); expected format 1 or older");
}

TEST_F(PostgresStoreTest, TablesOfAnOlderVersionAreBroughtUpToDate) {
  static constexpr const char* kSteps[] = {
      "CREATE TABLE allot.thing (n bigint); INSERT INTO allot.thing VALUES (1)",
      "ALTER TABLE allot.thing ADD COLUMN twice bigint; UPDATE allot.thing SET twice = 2 * n"};
  const PostgresSchema old{"thing", std::span(kSteps, 1)}, current{"thing", kSteps};
  PostgresPool pool(location_, "here", {.mode = OpenMode::create});
  ASSERT_TRUE(prepare(pool, old));
  PostgresPool reader(location_, "here", {.mode = OpenMode::read});
  const auto refused = prepare(reader, current);
  ASSERT_FALSE(refused);
  expect_in(refused.error().message, "has the older format 1; expected format 2");
  PostgresPool writer(location_, "here", {});
  ASSERT_TRUE(prepare(writer, current));
  EXPECT_EQ(PostgresServer::run(location_, "SELECT twice::text FROM allot.thing"), "2");
  EXPECT_TRUE(prepare(reader, current));
  // A migration that fails leaves nothing behind.
  static constexpr const char* kBroken[] = {kSteps[0], kSteps[1],
                                            "DROP TABLE allot.thing; nonsense"};
  EXPECT_FALSE(prepare(writer, {"thing", kBroken}));
  EXPECT_EQ(PostgresServer::run(location_, "SELECT twice::text FROM allot.thing"), "2");
}

}  // namespace
}  // namespace allot::store::postgres_store_test
