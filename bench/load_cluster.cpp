#include "load_cluster.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <thread>

#include "support/postgres_server.hpp"

namespace allot::load {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using test::PostgresServer;

milliseconds round_time(const Plan& plan) {
  return plan.brief ? milliseconds(200) : milliseconds(1000 * plan.seconds);
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Processes of a PostgreSQL server: the first one and those that it started.
std::vector<pid_t> processes_of(const PostgresServer& postgres) {
  std::vector<pid_t> all{postgres.pid()};
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string status = test::read_file(entry.path() / "stat");
    const std::size_t end = status.rfind(')');
    if (end == std::string::npos) continue;
    std::istringstream rest(status.substr(end + 1));
    std::string state;
    pid_t parent = 0;
    rest >> state >> parent;
    if (parent == postgres.pid()) all.push_back(std::stoi(name));
  }
  return all;
}

/// Processor seconds of the server; those of processes that have ended are in the first one's.
double processor_of(const PostgresServer& postgres) {
  double seconds = 0;
  for (const pid_t pid : processes_of(postgres)) {
    seconds += processor_seconds(pid, pid == postgres.pid());
  }
  return seconds;
}

/// Memory in MB that a backend has for itself, on average.
double memory_per_backend(const PostgresServer& postgres) {
  double kilobytes = 0;
  std::size_t backends = 0;
  for (const pid_t pid : processes_of(postgres)) {
    const std::string words = test::read_file(fmt::format("/proc/{}/cmdline", pid));
    if (words.find("allot labels") == std::string::npos) continue;
    std::istringstream rows(test::read_file(fmt::format("/proc/{}/smaps_rollup", pid)));
    for (std::string row; std::getline(rows, row);) {
      if (row.starts_with("Private_")) kilobytes += std::stod(row.substr(row.find(':') + 1));
    }
    ++backends;
  }
  return backends == 0 ? 0 : kilobytes / 1024 / static_cast<double>(backends);
}

double number(const PostgresServer& postgres, const std::string& sql) {
  return std::stod(PostgresServer::run(postgres.location("labels"), sql));
}

/// A PostgreSQL server with an empty database; commits are on disk.
struct OwnPostgres : PostgresServer {
  OwnPostgres() : PostgresServer(true) { run("CREATE DATABASE labels"); }
};

/// Workers of one campaign, and the server that they work through.
struct Crowd {
  std::string address;
  std::vector<Worker>* workers;
};
using Crowds = std::vector<Crowd>;

/// Calls per second of several crowds at work at once.
double work_together(const Crowds& crowds, milliseconds duration) {
  std::vector<Round> rounds(crowds.size());
  std::vector<std::thread> threads;
  for (std::size_t n = 0; n < crowds.size(); ++n) {
    threads.emplace_back(
        [&, n] { rounds[n] = work(crowds[n].address, *crowds[n].workers, duration); });
  }
  for (std::thread& thread : threads) thread.join();
  double rate = 0;
  for (const Round& round : rounds) {
    if (round.errors > 0) stop("the first error: " + round.first_error);
    rate += round.rate();
  }
  return rate;
}

/// What a round of calls took.
struct Usage {
  double calls = 0, commits = 0, server = 0, database = 0;  // processor times in microseconds
  double log = 0, tables = 0;                               // bytes
};

Usage usage_of(Site& site, const PostgresServer& postgres, std::vector<Worker>& workers,
               milliseconds duration) {
  const auto now = [&](double calls) {
    return Usage{calls,
                 site.figure("allot_store_commits_total"),
                 1e6 * site.server().processor(),
                 1e6 * processor_of(postgres),
                 number(postgres, "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"),
                 number(postgres, "SELECT pg_database_size('labels')")};
  };
  postgres.run("CHECKPOINT");
  const Usage before = now(0);
  const Round round = measured(site.server(), workers, duration,
                               fmt::format("without a standby, {} clients", workers.size()));
  const Usage after = now(static_cast<double>(round.answers));
  return {after.calls,
          after.commits - before.commits,
          after.server - before.server,
          after.database - before.database,
          after.log - before.log,
          after.tables - before.tables};
}

/// What a call costs the server, the database and its disk. Few clients have small batches and many
/// have large ones, so two rounds tell what a call costs and what a batch costs:
///   time = calls * per call + commits * per batch.
void cost_of_label(const Plan& plan, const PostgresServer& postgres) {
  Site site(plan, {}, postgres.location("labels"));
  const std::string campaign = site.campaign(plan.items, 1'000'000'000);
  std::vector<Worker> many = site.workers(campaign, plan.clients), few = site.workers(campaign, 2);
  measured(site.server(), many, round_time(plan), "to warm up");
  const Usage large = usage_of(site, postgres, many, round_time(plan));
  const Usage small = usage_of(site, postgres, few, round_time(plan));
  say(fmt::format("a call: {:.0f} bytes of log, {:.0f} bytes of tables; {:.1f} calls per commit",
                  large.log / large.calls, large.tables / large.calls,
                  large.calls / large.commits));
  const double determinant = large.calls * small.commits - small.calls * large.commits;
  for (const auto& [name, time] :
       {std::pair("server", &Usage::server), std::pair("database", &Usage::database)}) {
    say(fmt::format(
        "processor of the {}: {:.0f} us per call in these batches; by both rounds {:.0f} us per "
        "call and {:.0f} us per batch",
        name, large.*time / large.calls,
        (large.*time * small.commits - small.*time * large.commits) / determinant,
        (large.calls * small.*time - small.calls * large.*time) / determinant));
  }
}

/// Median calls per second of several crowds at work at once, and a line about it.
double rate_of(const Plan& plan, const std::string& name, const Crowds& crowds) {
  std::vector<double> rates;
  for (int n = 0; n < plan.rounds; ++n) rates.push_back(work_together(crowds, round_time(plan)));
  say(fmt::format("  {:<34} {:>7.0f} per second", name, middle(rates)));
  return middle(rates);
}

/// One campaign and four on one server, then four on two servers.
void one_server_or_two(const Plan& plan, const PostgresServer& postgres) {
  const std::string store = postgres.location("labels");
  Site first(plan, {}, store);
  std::vector<std::vector<Worker>> crowds;
  // A campaign belongs to the server that it was made on, until another one has less to do.
  const auto add_crowd = [&](Site& site, std::size_t clients) {
    crowds.push_back(site.workers(site.campaign(plan.items / 4, 1'000'000'000), clients));
  };
  crowds.reserve(7);
  add_crowd(first, plan.clients);
  for (int n = 0; n < 4; ++n) add_crowd(first, plan.clients / 4);
  const auto at = [&](const Site& site, std::size_t crowd) {
    return Crowd{site.address(), &crowds[crowd]};
  };
  const double one = rate_of(plan, "one campaign on one server", {at(first, 0)});
  const double four = rate_of(plan, "four campaigns on one server",
                              {at(first, 1), at(first, 2), at(first, 3), at(first, 4)});
  Site second(plan, {}, store, first.token());
  for (int n = 0; n < 2; ++n) add_crowd(second, plan.clients / 4);
  const double two = rate_of(plan, "four campaigns on two servers",
                             {at(first, 1), at(first, 2), at(second, 5), at(second, 6)});
  say(
      fmt::format("four campaigns on two servers / one campaign on one: {:.2f}; / four on one: "
                  "{:.2f}; {} processors for servers, database and clients",
                  two / one, two / four, std::thread::hardware_concurrency()));
}

/// Latency with commits on two PostgreSQL servers.
void with_standby(const Plan& plan, const PostgresServer& postgres) {
  postgres.require_standby("standby");
  const PostgresServer standby(postgres, "standby");
  Site site(plan, {"--require-sync", "yes"}, postgres.location("labels"));
  std::vector<Worker> workers =
      site.workers(site.campaign(plan.items, 1'000'000'000), plan.clients);
  measured(site.server(), workers, round_time(plan), "to warm up");
  std::vector<double> quantiles, rates;
  for (int n = 0; n < plan.rounds; ++n) {
    const Round round = measured(site.server(), workers, round_time(plan), "with a standby");
    quantiles.push_back(round.quantile(0.99));
    rates.push_back(round.rate());
  }
  say(
      fmt::format("with a synchronous standby: median of {} rounds {:.0f} calls per second, p99 "
                  "{:.1f} ms",
                  plan.rounds, middle(rates), middle(quantiles)));
}

/// The shortest of some commits that write a few bytes, in ms: two processes and one flush.
double shortest_commit(const PostgresServer& postgres) {
  const auto connection =
      store::PostgresConnection::open(postgres.location("labels"), store::OpenMode::write);
  double shortest = 1e9;
  for (int n = 0; connection && n < 200; ++n) {
    const auto begin = Clock::now();
    static_cast<void>((*connection)
                          ->script(begin + std::chrono::seconds(10),
                                   "SELECT pg_logical_emit_message(true, 'a', 'b')"));
    shortest = std::min(shortest, 1000 * seconds_since(begin));
  }
  return shortest;
}

/// What a server does without any request, and what its connections cost the database.
void cost_of_server(const Plan& plan, const PostgresServer& postgres) {
  const Site site(plan, {}, postgres.location("labels"));
  const std::string commits_sql = "SELECT sum(xact_commit) FROM pg_stat_database";
  const auto begin = Clock::now();
  const double before = number(postgres, commits_sql), busy = processor_of(postgres);
  std::this_thread::sleep_for(milliseconds(plan.brief ? 500 : 10'000));
  const double passed = seconds_since(begin);
  const double commits = number(postgres, commits_sql) - before;
  const double used = processor_of(postgres) - busy;
  say(fmt::format(
      "a server without requests: {:.1f} transactions per second, {:.2f} % of one of "
      "the database's processors; {:.1f} MB per connection of the database; {:.2f} ms for the "
      "shortest commit",
      commits / passed, 100 * used / passed, memory_per_backend(postgres),
      shortest_commit(postgres)));
}

/// A server with many campaigns dies, and another one takes some of them over.
void many_campaigns(const Plan& plan, const PostgresServer& postgres) {
  const std::string store = postgres.location("labels");
  const std::size_t count = plan.brief ? 5 : 200, items = plan.brief ? 100 : 10'000;
  Site owner(plan, {}, store);
  const double before = owner.server().memory();
  std::vector<std::vector<Worker>> crowds;
  for (std::size_t n = 0; n < count; ++n) {
    crowds.push_back(owner.workers(owner.campaign(items, 1'000'000), 1));
    if (work(owner.address(), crowds.back(), milliseconds(20)).errors > 0) stop("an error");
  }
  say(fmt::format("{} campaigns of {} items: {:.0f} MB, at most {:.0f} MB; {:.0f} MB without them",
                  count, items, owner.server().memory(), owner.server().memory("VmHWM:"), before));
  Site other(plan, {}, store, owner.token());
  owner.kill();
  std::vector<double> times;
  for (std::size_t n = 0; n < std::min<std::size_t>(count, 20); ++n) {
    const auto begin = Clock::now();
    const Round round = work(other.address(), crowds[n], milliseconds(1));
    if (round.errors > 0) stop("the first error: " + round.first_error);
    times.push_back(1000 * seconds_since(begin));
  }
  say(
      fmt::format("first answers of {} campaigns whose server died: median {:.0f} ms, most {:.0f} "
                  "ms; the first, which finds out that it is gone, {:.0f} ms",
                  times.size(), middle(times), std::ranges::max(times), times.front()));
}

}  // namespace

void compare_stores(const Plan& plan, const std::string& store) {
  struct Side {
    std::string name;
    Site site;
    std::vector<Worker> workers = {};
    std::vector<double> rates = {}, quantiles = {};
  };
  std::vector<std::unique_ptr<Side>> sides;
  for (const std::string& place : {std::string(), store}) {
    sides.push_back(std::unique_ptr<Side>(
        new Side{place.empty() ? "folder" : "database", Site(plan, {}, place)}));
    Side& side = *sides.back();
    side.workers = side.site.workers(side.site.campaign(plan.items, 1'000'000'000), plan.clients);
    measured(side.site.server(), side.workers, round_time(plan), side.name + ", to warm up");
  }
  for (int n = 0; n < plan.rounds; ++n) {
    for (const auto& side : sides) {
      const Round round =
          measured(side->site.server(), side->workers, round_time(plan), side->name);
      side->rates.push_back(round.rate());
      side->quantiles.push_back(round.quantile(0.99));
    }
  }
  for (const auto& side : sides) {
    say(fmt::format("{}: median of {} rounds {:.0f} label-and-next calls per second, p99 {:.1f} ms",
                    side->name, plan.rounds, middle(side->rates), middle(side->quantiles)));
  }
  say(fmt::format("database / folder: {:.2f}", middle(sides[1]->rates) / middle(sides[0]->rates)));
}

void measure_cluster(const Plan& plan) {
  if (!PostgresServer::is_installed()) return say("skipped: PostgreSQL is not installed");
  say(fmt::format("{} items, {} clients, {} ms per round", plan.items, plan.clients,
                  round_time(plan).count()));
  compare_stores(plan, OwnPostgres().location("labels"));
  cost_of_label(plan, OwnPostgres());
  cost_of_server(plan, OwnPostgres());
  one_server_or_two(plan, OwnPostgres());
  many_campaigns(plan, OwnPostgres());
  with_standby(plan, OwnPostgres());
}

}  // namespace allot::load
