// Commits on PostgreSQL that get no answer: the store finds out what happened, or says that it
// could not; it never says yes or no without knowing.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "allot/store/postgres_store.hpp"
#include "support/postgres.hpp"

namespace allot::store::postgres_outcome_test {
namespace {

using std::chrono::milliseconds;
using test::PostgresServer;

class PostgresOutcomeTest : public test::PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    name_ = PostgresServer::run(location_, "SELECT current_database()");
    store_ = open(milliseconds(20'000));
    ASSERT_TRUE(store_->append("a", 0, std::vector{Draft{5, 1, "", "first"}}));
  }
  void TearDown() override {
    if (server_) server_->require_standby("");
  }

  std::unique_ptr<Store> open(milliseconds timeout) const {
    return open_postgres(location_, {.mode = OpenMode::create, .timeout = timeout}).value();
  }
  /// Appends record 2 in the background.
  std::future<Result<void>> append(Store& store) const {
    return std::async(std::launch::async, [&store] {
      return store.append("a", 1, std::vector{Draft{5, 1, "key", "second"}});
    });
  }
  /// Waits until one backend waits for this event.
  bool is_waiting(const std::string& event) const {
    return server_->wait_until(
        "SELECT count(*)::text FROM pg_stat_activity WHERE " + appending(event), "1");
  }
  std::string appending(const std::string& event) const {
    return "datname = '" + name_ + "' AND wait_event = '" + event + "' AND query LIKE 'WITH head%'";
  }
  /// Applies a function such as pg_terminate_backend to the backend of the append.
  void hit(const std::string& function, const std::string& event) const {
    server_->run("SELECT " + function + "(pid) FROM pg_stat_activity WHERE " + appending(event));
  }
  std::string epoch() const {
    return PostgresServer::run(location_, "SELECT epoch::text FROM allot.campaign");
  }
  /// Hits the backend that waits for the standby with this function of PostgreSQL.
  void expect_silence_until_the_standby_has_it(const std::string& function) {
    server_->require_standby("nobody");
    auto done = append(*store_);
    ASSERT_TRUE(is_waiting("SyncRep"));
    hit(function, "SyncRep");
    // The commit has happened here, but nobody may hear of it before the standby has it.
    EXPECT_EQ(done.wait_for(milliseconds(300)), std::future_status::timeout);
    server_->require_standby("");
    const auto result = done.get();
    EXPECT_TRUE(result) << result.error().message;
    expect_second_record_once();
    EXPECT_EQ(epoch(), "2");
  }
  void expect_second_record_once() const {
    const auto all = open(milliseconds(5'000))->read("a", 0, 9).value();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].payload, "second");
  }

  std::string name_;
  std::unique_ptr<Store> store_;
};

/// Holds the row of the campaign, so that an append waits.
class HeldRow {
 public:
  explicit HeldRow(const std::string& location)
      : connection_(PostgresConnection::open(location, OpenMode::read).value()) {
    EXPECT_TRUE(connection_->script(std::chrono::steady_clock::now() + std::chrono::seconds(10),
                                    "BEGIN; SELECT * FROM allot.campaign FOR UPDATE"));
  }

 private:
  std::unique_ptr<PostgresConnection> connection_;
};

TEST_F(PostgresOutcomeTest, ABackendTerminatedBeforeTheCommitIsRepeated) {
  std::future<Result<void>> done;
  {
    const HeldRow row(location_);
    done = append(*store_);
    ASSERT_TRUE(is_waiting("transactionid"));
    hit("pg_terminate_backend", "transactionid");
    // The store takes a new epoch, which waits for the same row.
    ASSERT_TRUE(
        server_->wait_until("SELECT count(*)::text FROM pg_stat_activity WHERE datname = '" +
                                name_ + "' AND query LIKE 'UPDATE allot.campaign SET epoch%'",
                            "1"));
  }
  const auto result = done.get();
  EXPECT_TRUE(result) << result.error().message;
  expect_second_record_once();
  EXPECT_EQ(epoch(), "2");
}

TEST_F(PostgresOutcomeTest, ABackendTerminatedAfterTheCommitIsNotRepeated) {
  expect_silence_until_the_standby_has_it("pg_terminate_backend");
}

TEST_F(PostgresOutcomeTest, ACancelledWaitForTheStandbyIsNoSuccess) {
  expect_silence_until_the_standby_has_it("pg_cancel_backend");
}

TEST_F(PostgresOutcomeTest, WithoutTheStandbyTheOutcomeIsUnknown) {
  const auto impatient = open(milliseconds(400));
  server_->require_standby("nobody");
  auto done = append(*impatient);
  ASSERT_TRUE(is_waiting("SyncRep"));
  hit("pg_cancel_backend", "SyncRep");
  const auto result = done.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::outcome_unknown) << result.error().message;
  EXPECT_NE(result.error().message.find("the wait for the standby was cancelled"),
            std::string::npos)
      << result.error().message;
  server_->require_standby("");
  expect_second_record_once();
}

TEST_F(PostgresOutcomeTest, TheStoreKeepsItsOwnDeadline) {
  const auto impatient = open(milliseconds(400));
  server_->require_standby("nobody");
  const auto result = append(*impatient).get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::outcome_unknown) << result.error().message;
  server_->require_standby("");
  expect_second_record_once();
  // A repetition with the same key is refused, so nothing counts twice.
  const auto again = store_->append("a", 2, std::vector{Draft{5, 1, "key", "second"}});
  EXPECT_EQ(again.error().code, ErrorCode::conflict);
}

TEST_F(PostgresOutcomeTest, AnAppendThatWaitedTooLongNeverHappensLater) {
  const auto impatient = open(milliseconds(300));
  std::future<Result<void>> done;
  {
    const HeldRow row(location_);
    done = append(*impatient);
    const auto result = done.get();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::outcome_unknown) << result.error().message;
  }
  // The row is free now: what waited for it happens or not, and then the ledger stays as it is.
  ASSERT_TRUE(server_->wait_until("SELECT count(*)::text FROM pg_stat_activity WHERE datname = '" +
                                      name_ + "' AND state = 'active'",
                                  "0"));
  const std::uint64_t last = store_->last("a").value();
  EXPECT_LE(last, 2U);
  EXPECT_TRUE(store_->append("a", last, std::vector{Draft{5, 1, "", "next"}}));
}

TEST_F(PostgresOutcomeTest, ALargeCommitIsFoundToo) {
  const auto store =
      open_postgres(location_, {.timeout = milliseconds(20'000), .statement_bytes = 500}).value();
  server_->require_standby("nobody");
  auto done = std::async(std::launch::async, [&] {
    return store->append("a", 1, std::vector<Draft>(20, {5, 1, "", std::string(100, 'x')}));
  });
  const std::string waits = "datname = '" + name_ + "' AND wait_event = 'SyncRep'";
  ASSERT_TRUE(
      server_->wait_until("SELECT count(*)::text FROM pg_stat_activity WHERE " + waits, "1"));
  server_->run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE " + waits);
  EXPECT_EQ(done.wait_for(milliseconds(200)), std::future_status::timeout);
  server_->require_standby("");
  const auto result = done.get();
  EXPECT_TRUE(result) << result.error().message;
  EXPECT_EQ(store_->last("a").value(), 21U);
}

TEST_F(PostgresOutcomeTest, AServerThatStaysAwayLeavesTheOutcomeUnknown) {
  const auto impatient = open(milliseconds(1'000));
  server_->require_standby("nobody");
  auto done = append(*impatient);
  ASSERT_TRUE(is_waiting("SyncRep"));
  server_->stop();
  const auto result = done.get();
  server_->start();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::outcome_unknown) << result.error().message;
  server_->require_standby("");
  expect_second_record_once();
}

}  // namespace
}  // namespace allot::store::postgres_outcome_test
