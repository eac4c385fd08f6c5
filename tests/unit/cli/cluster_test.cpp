// Servers on a primary and a synchronous standby, under faults: what clients were told is what the
// ledger says. ALLOT_STRESS=1 makes it 200 faults with 64 clients.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

#include "allot/store/memory_store.hpp"
#include "allot/store/postgres_store.hpp"
#include "store/postgres_append.hpp"
#include "support/cluster_nemesis.hpp"
#include "support/cluster_run.hpp"

namespace allot::test::cluster_test {
namespace {

using std::chrono::milliseconds;
using Clock = ClusterRun::Clock;

bool is_stress() { return std::getenv("ALLOT_STRESS") != nullptr; }

/// Strikes, and waits until work goes on. Of deaths it also measures the time until every client
/// has been answered again.
class FaultRound {
 public:
  FaultRound(ClusterRun& run, unsigned seed) : run_(run), nemesis_(run, seed) {}

  void strike(Fault fault) {
    ++faults_[fault];
    if (fault != Fault::server_dies && fault != Fault::primary_dies) {
      const std::size_t before = run_.acknowledged();
      nemesis_.strike(fault);
      EXPECT_TRUE(eventually([&] { return run_.acknowledged() > before + 5; })) << name(fault);
      return;
    }
    wait_for_all(Clock::now());
    const auto begin = Clock::now();
    nemesis_.strike(fault);
    wait_for_all(begin);
    const auto lasted = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
    longest_[fault] = std::max(longest_[fault], lasted);
  }

  void print(Clock::time_point begin) const {
    for (const auto& [fault, count] : faults_) fmt::print("{:>5} x {}\n", count, name(fault));
    for (const auto& [fault, time] : longest_) {
      fmt::print("all clients were answered within {:.1f} s after {}\n",
                 std::chrono::duration<double>(time).count(), name(fault));
    }
    fmt::print("{} labels acknowledged in {} campaigns in {:.0f} s\n", run_.acknowledged(),
               run_.campaigns(), std::chrono::duration<double>(Clock::now() - begin).count());
  }
  milliseconds longest(Fault fault) const { return longest_.at(fault); }

 private:
  static std::string_view name(Fault fault) { return kFaultNames[static_cast<std::size_t>(fault)]; }
  void wait_for_all(Clock::time_point since) {
    EXPECT_TRUE(eventually([&] { return run_.all_served_since(since); })) << "a client hangs";
  }

  ClusterRun& run_;
  Nemesis nemesis_;
  std::map<Fault, int> faults_;
  std::map<Fault, milliseconds> longest_;
};

/// Every fault once, in this order, and in the long version as many more at random.
TEST(PostgresFaults, NothingAcknowledgedIsLostOrCountedTwice) {
  if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
  const unsigned seed = is_stress() ? std::random_device{}() : 20;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  const CampaignTerms terms =
      is_stress() ? CampaignTerms{.items = 1000, .labels_per_item = 10, .budget = 9000}
                  : CampaignTerms{.items = 100, .labels_per_item = 3, .budget = 250};
  ClusterRun run(true, terms);
  const auto begin = Clock::now();
  run.start_clients(is_stress() ? 64 : 6, milliseconds(is_stress() ? 200 : 20));
  FaultRound round(run, seed);
  std::mt19937 random(seed);
  const std::size_t faults = is_stress() ? 200 : kFaultNames.size();
  for (std::size_t n = 0; n < faults && !HasFailure(); ++n) {
    const std::size_t fault = n < kFaultNames.size() ? n : random() % kFaultNames.size();
    round.strike(static_cast<Fault>(fault));
  }
  run.finish();
  const auto wrong = run.check();
  EXPECT_TRUE(wrong.empty()) << wrong.size() << " such as " << wrong.front();
  fmt::print("{} faults, seed {}\n", faults, seed);
  round.print(begin);
  if (!is_stress()) return;
  EXPECT_LE(round.longest(Fault::server_dies), std::chrono::seconds(10));
  EXPECT_LE(round.longest(Fault::primary_dies), std::chrono::seconds(20));
}

/// With asynchronous replication a fail-over loses labels: the checker must find it, and servers
/// must notice that the ledger is shorter than they know.
TEST(PostgresFaults, AsynchronousReplicationIsCaught) {
  if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
  ClusterRun run(false, {.items = 50}, 1);
  std::mt19937 random(1);
  const auto label = [&](int number) {
    const auto item = run.next_item(0, "ann", number, random);
    return item && run.label(0, "ann", *item, number, random);
  };
  for (int n = 0; n < 3; ++n) ASSERT_TRUE(label(n));
  EXPECT_TRUE(run.check().empty());
  ASSERT_TRUE(run.primary().wait_until(
      "SELECT count(*) FROM pg_stat_replication WHERE flush_lsn >= pg_current_wal_lsn()", "1"));
  run.standby().stop(SIGQUIT);
  for (int n = 3; n < 6; ++n) ASSERT_TRUE(label(n));
  EXPECT_TRUE(run.check().empty());
  run.primary().stop(SIGQUIT);
  run.standby().start();
  run.promote_standby();
  const auto wrong = run.check();
  ASSERT_EQ(wrong.size(), 3U) << "three labels that were acknowledged";
  EXPECT_TRUE(wrong.front().starts_with("lost: label-ann-3")) << wrong.front();
  // The server that acknowledged them refuses to go on.
  run.set_patience(milliseconds(1));
  EXPECT_TRUE(eventually([&] {
    static_cast<void>(run.next_item(0, "ann", 6, random));
    const auto ready = cluster_request(run.server(0).address(), "GET", "/readyz", "");
    return ready && ready->body.find("\"shortened_campaigns\": 1") != std::string::npos;
  }));
  EXPECT_EQ(run.next_item(0, "ann", 7, random), std::nullopt);
}

/// A ledger of two labels, and clients that remember it otherwise.
class ClusterChecker : public testing::Test {
 protected:
  ClusterChecker() {
    const auto now = campaign::now();
    const campaign::Options options{.classes = {"no", "yes"}, .budget = Money::whole(10)};
    const std::vector<campaign::ItemDraft> items{{.id = "a"}, {.id = "b"}};
    const auto made = campaign::Campaign::create(*store_, "c", options, now, {.items = items});
    for (const std::string worker : {"ann", "bob"}) {
      EXPECT_TRUE((*made)->next(worker, 2, now));
      EXPECT_TRUE(
          (*made)->record(campaign::Answer{"a", worker, "yes"}, now, false, "label-" + worker));
    }
  }
  std::vector<std::string> complaints(const LedgerLimits& limits,
                                      const std::string& label = "yes") const {
    ClusterHistory history;
    for (const std::string worker : {"ann", "bob"}) {
      history.add({"label-" + worker, worker, "a", label, history.tick(), history.tick()});
    }
    return history.check(*store_, "c", limits);
  }

  const std::unique_ptr<store::Store> store_ = store::memory_store();
};

TEST_F(ClusterChecker, AgreesWithWhatHappened) {
  EXPECT_EQ(complaints({.budget = 10, .labels_per_item = 2}), std::vector<std::string>());
}

TEST_F(ClusterChecker, ObjectsToAnotherLabelThanTheOneSent) {
  EXPECT_EQ(
      complaints({.budget = 10}, "no"),
      (std::vector<std::string>{"not as sent: label-ann a no", "not as sent: label-bob a no"}));
}

TEST_F(ClusterChecker, ObjectsToReservedMoneyBeyondTheBudget) {
  // Two labels are paid, two items are leased: the last of four leases is one too many.
  const auto wrong = complaints({.budget = 3});
  ASSERT_FALSE(wrong.empty());
  EXPECT_TRUE(wrong.front().starts_with("overspent at record")) << wrong.front();
  EXPECT_TRUE(complaints({.budget = 4}).empty());
}

TEST_F(ClusterChecker, ObjectsToMoreLabelsThanAnItemMayGet) {
  const auto wrong = complaints({.budget = 10, .labels_per_item = 1});
  ASSERT_FALSE(wrong.empty());
  EXPECT_TRUE(wrong.front().starts_with("too many labels of an item")) << wrong.front();
}

/// Two programs label the same campaign at once; the checker's complaints.
std::vector<std::string> complaints_of_race(const store::AppendRules& rules) {
  PostgresServer& server = *PostgresServer::get();
  const std::string location = server.new_database();
  const auto open = [&](store::OpenMode mode) {
    return store::open_postgres_with(location, {.mode = mode}, rules).value();
  };
  const auto now = campaign::now();
  std::vector<campaign::ItemDraft> items;
  for (int n = 0; n < 40; ++n) items.push_back({.id = fmt::format("i{}", n)});
  const auto first = open(store::OpenMode::create);
  const campaign::Options options{.classes = {"no", "yes"}, .budget = Money::whole(100'000)};
  EXPECT_TRUE(campaign::Campaign::create(*first, "c", options, now, {.items = items}));
  ClusterHistory history;
  std::vector<std::thread> programs;
  for (int p = 0; p < 2; ++p) {
    programs.emplace_back([&, p] {
      const auto store = open(store::OpenMode::write);
      auto own = campaign::Campaign::open(*store, "c");
      const std::string worker = fmt::format("w{}", p);
      for (int n = 0; own && n < 30; ++n) {
        const auto leased = (*own)->next(worker, 1, now);
        if (!leased || leased->assignments.empty()) break;
        LabelCall call{fmt::format("label-{}-{}", worker, n), worker,
                       leased->assignments.front().item, "yes", history.tick()};
        const auto recorded =
            (*own)->record(campaign::Answer{call.item, worker, "yes"}, now, false, call.key);
        if (recorded) call.answered = history.tick();
        history.add(call);
      }
    });
  }
  for (std::thread& program : programs) program.join();
  return history.check(*store::open_postgres(location).value(), "c", {.budget = 100'000});
}

TEST(PostgresFaults, WithoutTheConditionsTheCheckerObjects) {
  if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
  EXPECT_TRUE(complaints_of_race({}).empty());
  std::string sql = store::kConditionalAppend;
  const auto replace = [&](std::string_view from, std::string_view to) {
    const std::size_t at = sql.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    sql.replace(at, from.size(), to);
  };
  replace(" AND last = $2 AND epoch = $3 RETURNING id", " RETURNING id, last - $4 AS before");
  replace("$2 + r.n", "head.before + r.n");
  EXPECT_FALSE(complaints_of_race({sql.c_str()}).empty());
}

/// A commit whose wait for the standby is cancelled, then a fail-over: true if the record was
/// acknowledged and is lost.
bool loses_after_cancelled_wait(const store::AppendRules& rules) {
  PostgresServer primary(false);
  primary.run("CREATE DATABASE labels");
  const std::string location = primary.location("labels");
  const std::vector<store::Draft> drafts(1, store::Draft{5, 1, "", "x"});
  EXPECT_TRUE(store::open_postgres(location, {.mode = store::OpenMode::create})
                  .value()
                  ->append("a", 0, drafts));
  PostgresServer standby(primary, "standby");
  primary.require_standby("standby");
  const auto store =
      store::open_postgres_with(location, {.timeout = milliseconds(3000)}, rules).value();
  EXPECT_TRUE(store->append("a", 1, drafts)) << "with the standby";
  standby.stop();
  std::atomic<bool> acknowledged = false, over = false;
  std::thread writer([&] {
    acknowledged = store->append("a", 2, drafts).has_value();
    over = true;
  });
  while (!over) {
    primary.run(
        "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    std::this_thread::sleep_for(milliseconds(20));
  }
  writer.join();
  primary.stop(SIGQUIT);
  standby.start();
  standby.promote();
  const auto last = store::open_postgres(standby.location("labels")).value()->last("a");
  EXPECT_TRUE(last && *last >= 2);
  return acknowledged && *last < 3;
}

TEST(PostgresFaults, ACancelledWaitThatIsIgnoredLosesARecord) {
  if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
  EXPECT_FALSE(loses_after_cancelled_wait({}));
  EXPECT_TRUE(loses_after_cancelled_wait({.heeds_warnings = false}));
}

}  // namespace
}  // namespace allot::test::cluster_test
