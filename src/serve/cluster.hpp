// Several servers on one database: which of them owns which campaign.
//
// An owner decides for its campaign, so that one server has it in memory and batches stay whole.
// Ownership only routes requests. The truth is the conditional append (store/postgres_append.hpp):
// a server that wrongly believes that it owns a campaign, or that does another's work because it
// cannot reach it, decides on the whole ledger or not at all. So a lease may be short, and it may
// be taken from a server that does not answer.
//
// A lease lasts `lease` by the database's clock and is renewed every `renew`, all leases of a
// server in one statement. A server trusts its leases only for `trust` after the start of the last
// renewal, by its own monotonic clock; so clocks of servers need not agree. Taking a campaign over
// counts up its epoch, in the row of the lease and in the ledger's row.
//
// Every renewal also tells the others the load of this server, in requests per second. A server
// that has more than its share gives one campaign at a time to the server with the least.
//
// Cost: three short statements per renewal; one statement for the first request to a campaign.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::store {
class PostgresPool;
}

namespace allot::serve {

struct ClusterOptions {
  std::chrono::milliseconds lease{6000}, renew{2000}, trust{4000};
  /// Least time between two campaigns that this server gives away.
  std::chrono::milliseconds spread_every{10'000};
};

class Cluster {
 public:
  /// Callbacks from the cluster's thread.
  struct Events {
    /// Campaigns that this server did not own before, or owns no longer.
    std::function<void(const std::string&campaign)> gained, lost;
    /// A server that no longer renews its leases.
    std::function<void(const std::string& address)> gone;
    /// Called several times per second, for other work that follows the database.
    std::function<void()> tick;
  };

  Cluster(std::shared_ptr<store::PostgresPool> pool, ClusterOptions options, Events events);
  /// Calls leave().
  ~Cluster();

  /// Joins under the address at which other servers reach this one.
  Result<void> join(const std::string& address);
  /// Gives all leases back. The address is then nobody's.
  void leave();

  struct Owner {
    std::string node, address;
    std::int64_t epoch = 0;
    bool is_this = false;
  };
  /// The owner as far as this server knows; counts as a request to the campaign. Nothing if it must
  /// be looked up.
  std::optional<Owner> known(const std::string& campaign);
  /// Asks the database, and takes the campaign if nobody has it, or if `gone` has it: a server that
  /// was found not to run. Waits for the database.
  Result<Owner> claim(const std::string& campaign, const std::string& gone = {});
  /// Forgets another server's ownership, so that the next request looks it up.
  void forget(const std::string& campaign);
  /// Gives the campaign to another server.
  Result<void> give(const std::string& campaign, const std::string& node);
  bool owns(const std::string& campaign) const;

  struct Node {
    std::string id, address;
    double load = 0;
  };
  struct Figures {
    std::string node;
    std::map<std::string, std::int64_t> epochs;  // of owned campaigns
    std::vector<Node> nodes;                     // that renew their leases, with this one
    std::uint64_t taken = 0, lost = 0, given = 0, failed_renewals = 0;
    /// Campaigns whose ledgers became shorter than acknowledged (store/postgres_witness.hpp).
    std::uint64_t shortened = 0;
    double renewal_age = 0;  // seconds since the start of the last renewal
    /// Bytes that the slowest standby has yet to flush, and backends that wait for a standby; none
    /// if the database does not tell.
    std::optional<std::uint64_t> lag, waits;
  };
  Figures figures() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Owned {
    std::int64_t epoch = 0;
    Clock::time_point trusted_until;
    std::uint64_t requests = 0;  // since the last renewal
    double rate = 0;             // requests per second
  };
  struct Other {
    Owner owner;
    Clock::time_point until;  // look it up again then
  };

  void run();
  void renew();
  Result<std::vector<std::string>> renew_leases(Clock::time_point begin, double load);
  Result<void> look_at_nodes();
  void look_at_standby();
  /// Takes campaigns with webhooks that nobody owns, so that their messages are sent.
  void adopt();
  void spread();
  double measure_load(double seconds);

  const std::shared_ptr<store::PostgresPool> pool_;
  const ClusterOptions options_;
  const Events events_;
  const std::string id_;
  std::string address_;

  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  std::map<std::string, Owned> owned_;
  std::map<std::string, Other> others_;
  std::vector<Node> nodes_;
  Clock::time_point renewed_{}, spread_at_{};
  std::uint64_t taken_ = 0, lost_ = 0, given_ = 0, failed_renewals_ = 0;
  std::optional<std::uint64_t> lag_, waits_;
  bool joined_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace allot::serve
