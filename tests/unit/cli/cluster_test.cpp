// Servers on a primary and a synchronous standby, under faults: what clients were told is what the
// ledger says. ALLOT_STRESS=1 makes it 200 faults with 64 workers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <boost/json.hpp>
#include <csignal>
#include <optional>
#include <random>
#include <thread>

#include "allot/store/postgres_store.hpp"
#include "store/postgres_append.hpp"
#include "support/cluster_history.hpp"
#include "support/http_client.hpp"
#include "support/postgres_server.hpp"
#include "support/started.hpp"

namespace allot::test::cluster_test {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr double kBudget = 100'000;

struct Reply {
  int status = 0;
  std::string body;
};

/// One request on a connection of its own; nothing if there was no whole answer.
std::optional<Reply> request(const std::string& address, const std::string& method,
                             const std::string& path, const std::string& token,
                             const std::string& body = "", const std::string& key = "") try {
  PlainWire wire(address);
  wire.send(fmt::format(
      "{} {} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n{}"
      "Connection: close\r\nContent-Length: {}\r\n\r\n{}",
      method, path, token, key.empty() ? "" : fmt::format("Idempotency-Key: {}\r\n", key),
      body.size(), body));
  std::string came;
  while (true) {
    const std::string bytes = wire.receive();
    if (bytes.empty()) break;
    came += bytes;
  }
  const std::size_t head = came.find("\r\n\r\n");
  const std::size_t length = came.find("ontent-Length: ");
  if (head == std::string::npos || length > head) return std::nullopt;
  Reply reply{std::stoi(came.substr(9, 3)), came.substr(head + 4)};
  if (reply.body.size() != std::stoul(came.substr(length + 15))) return std::nullopt;
  return reply;
} catch (const std::exception&) {
  return std::nullopt;
}

/// Two PostgreSQL servers, some allot servers on them, and clients.
class ClusterRun {
 public:
  explicit ClusterRun(bool synchronous, std::size_t servers = 3) : synchronous_(synchronous) {
    a_.run("CREATE DATABASE labels");
    if (synchronous) a_.require_standby("standby");
    b_ = std::make_unique<PostgresServer>(a_, "standby");
    for (std::size_t n = 0; n < servers; ++n) start_server(n);
    admin_ = token_in(servers_[0]->said());
  }
  ~ClusterRun() { finish(); }

  PostgresServer& primary() { return a_leads_ ? a_ : *b_; }
  PostgresServer& standby() { return a_leads_ ? *b_ : a_; }
  Started& server(std::size_t n) { return *servers_[n]; }
  std::size_t servers() const { return servers_.size(); }
  ClusterHistory& history() { return history_; }
  const std::string& campaign() const { return campaign_; }
  std::string address(std::size_t n) {
    const std::scoped_lock lock(mutex_);
    return addresses_[n];
  }

  /// Starts a server, or starts one again after it was killed.
  void start_server(std::size_t n) {
    const std::string listen = n < addresses_.size() ? addresses_[n] : "127.0.0.1:0";
    if (n == folders_.size()) folders_.push_back(std::make_unique<Folder>());
    if (n < servers_.size()) servers_[n].reset();
    auto started = std::make_unique<Started>(
        *folders_[n],
        std::vector<std::string>{"serve", "--store", location(), "--require-sync",
                                 synchronous_ ? "yes" : "no", "--listen", listen, "--log",
                                 *folders_[n] / "log", "--rate", "1000000", "--burst", "1000000"});
    ASSERT_NE(started->address(), "") << read_file(*folders_[n] / "serve.err");
    const std::scoped_lock lock(mutex_);
    if (n == addresses_.size()) {
      addresses_.push_back(started->address());
      servers_.push_back(std::move(started));
    } else {
      servers_[n] = std::move(started);
    }
  }

  /// The campaign that all clients work on.
  void create_campaign(int items) {
    const auto made = request(address(0), "POST", "/api/v1/campaigns", admin_,
                              fmt::format(R"({{"name": "c", "classes": ["no", "yes"], )"
                                          R"("budget": {}, "policy": "uniform"}})",
                                          kBudget));
    ASSERT_TRUE(made && made->status == 201) << (made ? made->body : "no answer");
    campaign_ = std::string(json::parse(made->body).at("id").as_string());
    std::string list;
    for (int n = 0; n < items; ++n) list += fmt::format("{}{{\"id\": \"i{}\"}}", n ? "," : "", n);
    const auto added =
        request(address(0), "POST", path("/items"), admin_, "{\"items\": [" + list + "]}", "items");
    ASSERT_TRUE(added && added->status == 201) << (added ? added->body : "no answer");
  }

  void start_workers(int count) {
    for (int n = 0; n < count; ++n) {
      workers_.emplace_back([this, n] { work(n); });
    }
  }
  void finish() {
    stopping_ = true;
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

  /// One label, repeated under its key until a server says yes; false if none does before the end.
  bool label(const std::string& worker, const std::string& item, int number, std::mt19937& random) {
    LabelCall call{fmt::format("label-{}-{}", worker, number), worker, item, "yes"};
    call.sent = history_.tick();
    const auto reply = insist(
        "/labels", fmt::format(R"({{"worker": "{}", "item": "{}", "label": "yes"}})", worker, item),
        call.key, random);
    if (reply) call.answered = history_.tick();
    history_.add(call);
    return reply.has_value();
  }
  std::optional<std::string> next_item(const std::string& worker, int number,
                                       std::mt19937& random) {
    const auto reply = insist("/assignments", fmt::format(R"({{"worker": "{}"}})", worker),
                              fmt::format("ask-{}-{}", worker, number), random);
    if (!reply) return std::nullopt;
    const auto items = json::parse(reply->body).at("assignments").as_array();
    if (items.empty()) return std::nullopt;
    return std::string(items[0].at("item").as_string());
  }

  /// Kills the primary, promotes the standby and, once the old primary has come back alone for a
  /// while, makes that the new standby.
  void fail_over() {
    primary().stop(SIGQUIT);
    promote_standby();
    standby().start();
    std::this_thread::sleep_for(milliseconds(500));
    standby().stop(SIGQUIT);
    standby().follow(primary(), "standby");
  }

  void promote_standby() {
    standby().promote();
    a_leads_ = !a_leads_;
  }

  std::vector<std::string> check() {
    const auto store =
        store::open_postgres(primary().location("labels"), {.mode = store::OpenMode::read}).value();
    return history_.check(*store, campaign_, kBudget);
  }
  milliseconds longest_outage() const { return milliseconds(longest_outage_.load()); }
  std::uint64_t refusals() const { return refusals_; }
  std::string path(const std::string& rest) const {
    return "/api/v1/campaigns/" + campaign_ + rest;
  }
  const std::string& admin() const { return admin_; }
  void set_patience(milliseconds patience) { patience_ = patience; }

 private:
  std::string location() const {
    return "postgresql://allot@/labels?host=" + a_.host() + "," + b_->host();
  }

  void work(int n) {
    std::mt19937 random(static_cast<unsigned>(n) + 1);
    const std::string worker = fmt::format("w{}", n);
    for (int number = 0; !stopping_; ++number) {
      const auto item = next_item(worker, number, random);
      if (!item || !label(worker, *item, number, random)) break;
    }
  }

  /// Through random servers until one says 200. Other definite answers are failures of the test.
  std::optional<Reply> insist(const std::string& what, const std::string& body,
                              const std::string& key, std::mt19937& random) {
    const auto begin = Clock::now();
    while (Clock::now() - begin < patience_) {
      const auto reply =
          request(address(random() % servers()), "POST", path(what), admin_, body, key);
      if (reply && reply->status == 200) {
        note_outage(Clock::now() - begin);
        return reply;
      }
      if (reply && reply->status < 500) {
        ++refusals_;
        ADD_FAILURE() << what << " " << key << ": " << reply->status << " " << reply->body;
        return std::nullopt;
      }
      std::this_thread::sleep_for(milliseconds(50));
    }
    return std::nullopt;
  }

  void note_outage(Clock::duration time) {
    const auto now = std::chrono::duration_cast<milliseconds>(time).count();
    std::int64_t known = longest_outage_;
    while (known < now && !longest_outage_.compare_exchange_weak(known, now)) {
    }
  }

  const bool synchronous_;
  PostgresServer a_{false};
  std::unique_ptr<PostgresServer> b_;
  bool a_leads_ = true;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Folder>> folders_;
  std::vector<std::string> addresses_;
  std::vector<std::unique_ptr<Started>> servers_;
  std::string admin_, campaign_;
  ClusterHistory history_;
  std::vector<std::thread> workers_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::int64_t> longest_outage_ = 0;
  std::atomic<std::uint64_t> refusals_ = 0;
  milliseconds patience_{120'000};
};

/// Hurts the cluster in one of several ways.
class Nemesis {
 public:
  Nemesis(ClusterRun& run, unsigned seed) : run_(run), random_(seed) {}

  void strike(int kind) {
    const std::size_t n = random_() % run_.servers();
    switch (kind) {
      case 0:
        run_.server(n).stop(SIGKILL);
        return run_.start_server(n);
      case 1:
        run_.server(n).signal(SIGSTOP);
        pause(2500);
        return run_.server(n).signal(SIGCONT);
      case 2:
        run_.primary().run(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = "
            "'labels' AND random() < .5");
        return pause(200);
      case 3:
        // Without its standby, commits wait; then somebody cancels the wait.
        run_.standby().stop();
        pause(300);
        run_.primary().run(
            "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = "
            "'SyncRep'");
        pause(200);
        return run_.standby().start();
      case 4:
        run_.server(n).stop(SIGTERM);
        return run_.start_server(n);
      default:
        return run_.fail_over();
    }
  }
  static constexpr int kKinds = 6;

 private:
  void pause(int ms) { std::this_thread::sleep_for(milliseconds(ms)); }

  ClusterRun& run_;
  std::mt19937 random_;
};

bool is_stress() { return std::getenv("ALLOT_STRESS") != nullptr; }

TEST(PostgresFaults, NothingAcknowledgedIsLostOrCountedTwice) {
  if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
  const unsigned seed = is_stress() ? std::random_device{}() : 20;
  SCOPED_TRACE(fmt::format("seed {}", seed));
  ClusterRun run(true);
  if (HasFatalFailure()) return;
  run.create_campaign(1000);
  run.start_workers(is_stress() ? 64 : 6);
  Nemesis nemesis(run, seed);
  std::mt19937 random(seed);
  const int faults = is_stress() ? 200 : Nemesis::kKinds;
  for (int n = 0; n < faults && !HasFatalFailure(); ++n) {
    const std::size_t before = run.history().acknowledged();
    nemesis.strike(is_stress() ? static_cast<int>(random() % Nemesis::kKinds) : n);
    // Work goes on after every fault.
    EXPECT_TRUE(eventually([&] { return run.history().acknowledged() > before + 5; })) << n;
  }
  run.finish();
  const auto wrong = run.check();
  EXPECT_TRUE(wrong.empty()) << wrong.size() << " such as " << wrong.front();
  fmt::print("{} faults, {} labels acknowledged, longest request {} ms, seed {}\n", faults,
             run.history().acknowledged(), run.longest_outage().count(), seed);
}

/// With asynchronous replication a fail-over loses labels: the checker must find it, and servers
/// must notice that the ledger is shorter than they know.
TEST(PostgresFaults, AsynchronousReplicationIsCaught) {
  if (!PostgresServer::is_installed()) GTEST_SKIP() << "PostgreSQL is not installed";
  ClusterRun run(false, 1);
  if (HasFatalFailure()) return;
  run.create_campaign(50);
  std::mt19937 random(1);
  const auto label = [&](int number) {
    const auto item = run.next_item("ann", number, random);
    return item && run.label("ann", *item, number, random);
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
    static_cast<void>(run.next_item("ann", 6, random));
    const auto ready = request(run.address(0), "GET", "/readyz", "");
    return ready && ready->body.find("\"shortened_campaigns\": 1") != std::string::npos;
  }));
  EXPECT_EQ(run.next_item("ann", 7, random), std::nullopt);
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
  return history.check(*store::open_postgres(location).value(), "c", kBudget);
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
