// What a process knows of a database for certain, so that it notices when the database forgets.
//
// After a fail-over to a standby that lagged, the database lacks records that were acknowledged. An
// old primary that comes back alone lacks what its successor took. A name can also lead to another
// database altogether. The witness remembers the cluster, its newest timeline and the last
// acknowledged record of each campaign; readers and new connections ask it. It turns a silent loss
// into a refusal. Any number of threads may call it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace allot::store {

class PostgresWitness {
 public:
  /// A server as it describes itself.
  struct Server {
    std::string system;         // identifier of the cluster
    std::int64_t timeline = 0;  // counts promotions; 0 on a standby
  };
  enum class Verdict { known, other_cluster, old_primary };
  /// Compares the server with those seen before, and remembers it if it is good.
  Verdict see(const Server& server) {
    const std::scoped_lock lock(mutex_);
    if (seen_.system.empty()) seen_.system = server.system;
    if (seen_.system != server.system) return Verdict::other_cluster;
    if (server.timeline == 0) return Verdict::known;
    if (server.timeline < seen_.timeline) return Verdict::old_primary;
    seen_.timeline = server.timeline;
    return Verdict::known;
  }
  Server seen() const {
    const std::scoped_lock lock(mutex_);
    return seen_;
  }

  void acknowledge(const std::string& campaign, std::uint64_t last) {
    const std::scoped_lock lock(mutex_);
    std::uint64_t& known = acknowledged_[campaign];
    known = std::max(known, last);
  }
  /// The last acknowledged record; ask before the ledger is read.
  std::uint64_t acknowledged(std::string_view campaign) const {
    const std::scoped_lock lock(mutex_);
    const auto found = acknowledged_.find(campaign);
    return found == acknowledged_.end() ? 0 : found->second;
  }
  /// Expects nothing of a campaign that was deleted.
  void forget(std::string_view campaign) {
    const std::scoped_lock lock(mutex_);
    const auto found = acknowledged_.find(campaign);
    if (found != acknowledged_.end()) acknowledged_.erase(found);
  }
  /// Counts a ledger that was found to be shorter than that.
  void note_loss(std::string_view campaign) {
    const std::scoped_lock lock(mutex_);
    lost_.emplace(campaign);
  }
  /// Campaigns whose ledgers were found shorter than acknowledged.
  std::size_t losses() const {
    const std::scoped_lock lock(mutex_);
    return lost_.size();
  }

 private:
  mutable std::mutex mutex_;
  Server seen_;
  std::map<std::string, std::uint64_t, std::less<>> acknowledged_;
  std::set<std::string> lost_;
};

}  // namespace allot::store
