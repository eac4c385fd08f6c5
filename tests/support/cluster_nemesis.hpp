// Hurts a cluster in one of several ways, and measures how long its clients notice.
#pragma once

#include <array>
#include <chrono>
#include <random>
#include <string_view>
#include <thread>

#include "support/cluster_run.hpp"

namespace allot::test {

enum class Fault {
  server_dies,
  server_stops,
  server_hangs,
  backends_end,
  standby_leaves,
  primary_dies,
  database_cut,
  answers_lost,
  connections_break,
  servers_cut,
  clock_jumps,
};
constexpr std::array<std::string_view, 11> kFaultNames{
    "a server dies",
    "a server is stopped",
    "a server hangs",
    "backends are terminated",
    "the standby leaves, waits for it are cancelled",
    "the primary dies, the old one comes back alone",
    "a server and the database are cut apart",
    "answers of the database do not reach a server",
    "connections to the database break",
    "a server cannot be reached by others",
    "the clock of a server jumps by an hour"};

class Nemesis {
 public:
  using Clock = ClusterRun::Clock;

  Nemesis(ClusterRun& run, unsigned seed) : run_(run), random_(seed) {}

  /// Returns when the fault is over, whether or not clients have noticed.
  void strike(Fault fault) {
    ClusterServer& server = run_.server(random_() % run_.servers());
    switch (fault) {
      case Fault::server_dies:
        server.process().stop(SIGKILL);
        return server.start();
      case Fault::server_stops:
        server.process().stop(SIGTERM);
        return server.start();
      case Fault::server_hangs:
        // Half of the time for longer than its leases last.
        server.process().signal(SIGSTOP);
        pause(random_() % 2 == 0 ? 1500 : 7000);
        return server.process().signal(SIGCONT);
      case Fault::backends_end:
        run_.primary().run(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = "
            "'labels' AND random() < .5");
        return pause(200);
      case Fault::standby_leaves:
        return cancel_waits();
      case Fault::primary_dies:
        return fail_over();
      case Fault::database_cut:
      case Fault::answers_lost:
        server.set_database_links(fault == Fault::database_cut ? Link::State::cut
                                                               : Link::State::no_answers);
        pause(2500);
        return server.set_database_links(Link::State::whole);
      case Fault::connections_break:
        server.reset_database_links();
        return pause(200);
      case Fault::servers_cut:
        server.from_others().set(Link::State::cut);
        pause(2500);
        return server.from_others().set(Link::State::whole);
      case Fault::clock_jumps:
        server.set_clock(std::chrono::hours(static_cast<int>(random_() % 3) - 1));
        return pause(500);
    }
  }

 private:
  /// Without its standby, commits wait; then somebody cancels the wait.
  void cancel_waits() {
    run_.standby().stop();
    pause(300);
    run_.primary().run(
        "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = "
        "'SyncRep'");
    pause(200);
    run_.standby().start();
  }

  /// The standby is promoted. The old primary comes back alone for a while, and then becomes the
  /// standby.
  void fail_over() {
    run_.primary().stop(SIGQUIT);
    run_.promote_standby();
    run_.standby().start();
    pause(500);
    run_.standby().stop(SIGQUIT);
    run_.standby().follow(run_.primary(), "standby");
  }

  static void pause(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

  ClusterRun& run_;
  std::mt19937 random_;
};

}  // namespace allot::test
