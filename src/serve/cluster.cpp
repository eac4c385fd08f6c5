#include "serve/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "allot/base/text.hpp"
#include "base/signals_blocked.hpp"
#include "base/try.hpp"
#include "serve/secret.hpp"
#include "store/postgres_pool.hpp"

namespace allot::serve {
namespace {

using store::Deadline;
using store::number_value;
using store::PostgresConnection;
using store::PostgresPool;
using store::PostgresResult;
using store::PostgresRows;
using store::PostgresValue;
using store::text_value;

constexpr std::chrono::milliseconds kTick{400};
/// What a campaign counts for without any request.
constexpr double kIdleLoad = .1;
/// Campaigns that one renewal takes for the sake of their webhooks.
constexpr std::int64_t kAdoptedAtOnce = 8;

/// $1 campaign, $2 node, $3 lease in ms, $4 a node that is gone.
constexpr const char* kClaim =
    "WITH taken AS (INSERT INTO allot.server_owner AS o (campaign, node, epoch, until)"
    "  VALUES ($1, $2, 1, now() + $3 * interval '1 ms')"
    "  ON CONFLICT (campaign) DO UPDATE SET node = $2, until = now() + $3 * interval '1 ms',"
    "   epoch = o.epoch + CASE WHEN o.node = $2 THEN 0 ELSE 1 END"
    "  WHERE o.node = $2 OR o.node = $4 OR o.until <= now() RETURNING epoch),"
    " fence AS (UPDATE allot.campaign SET epoch = epoch + 1"
    "  WHERE name = $1 AND EXISTS (SELECT 1 FROM taken))"
    " SELECT epoch FROM taken";

/// Runs statements that may run twice, as one transaction that does not wait for a standby: a lease
/// that is lost with the primary is taken again.
template <typename Run>
Result<void> without_standby(PostgresPool& pool, Run run) {
  const auto done = pool.repeat(
      [&](PostgresConnection& connection, Deadline deadline) -> PostgresResult<PostgresRows> {
        for (const char* const sql : {"BEGIN", "SET LOCAL synchronous_commit = local"}) {
          auto begun = connection.run(deadline, sql);
          if (!begun) return begun;
        }
        auto ran = run(connection, deadline);
        if (!ran) {
          connection.give_up();  // ends the transaction with the connection
          return ran;
        }
        return connection.run(deadline, "COMMIT");
      });
  return done ? Result<void>() : pool.refusal(done.error());
}

/// Reads rows.
template <typename... Values>
Result<PostgresRows> rows_of(PostgresPool& pool, const char* sql, const Values&... values) {
  auto rows = pool.repeat([&](PostgresConnection& connection, Deadline deadline) {
    return connection.run(deadline, sql, values...);
  });
  if (!rows) return pool.refusal(rows.error());
  return *std::move(rows);
}

}  // namespace

Cluster::Cluster(std::shared_ptr<PostgresPool> pool, ClusterOptions options, Events events)
    : pool_(std::move(pool)), options_(options), events_(std::move(events)), id_(random_hex(6)) {}

Cluster::~Cluster() { leave(); }

Result<void> Cluster::join(const std::string& address) {
  address_ = address;
  // A server that ran at this address before is gone.
  TRY(without_standby(*pool_, [&](PostgresConnection& connection, Deadline deadline) {
    auto freed = connection.run(deadline,
                                "UPDATE allot.server_owner SET until = now() WHERE node IN"
                                " (SELECT id FROM allot.server_node WHERE address = $1)",
                                text_value(address_));
    if (!freed) return freed;
    return connection.run(deadline,
                          "DELETE FROM allot.server_node WHERE address = $1"
                          " OR until < now() - interval '1 day'",
                          text_value(address_));
  }));
  const auto begin = Clock::now();
  TRY(renew_leases(begin, 0));
  TRY(look_at_nodes());
  {
    const std::scoped_lock lock(mutex_);
    joined_ = true;
    renewed_ = spread_at_ = begin;
  }
  const SignalsBlocked signals_blocked;
  thread_ = std::thread([this] { run(); });
  return {};
}

void Cluster::leave() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  if (!thread_.joinable()) return;
  thread_.join();
  static_cast<void>(without_standby(*pool_, [&](PostgresConnection& connection, Deadline deadline) {
    auto freed = connection.run(
        deadline, "UPDATE allot.server_owner SET until = now(), node = '' WHERE node = $1",
        text_value(id_));
    if (!freed) return freed;
    return connection.run(deadline, "DELETE FROM allot.server_node WHERE id = $1", text_value(id_));
  }));
  const std::scoped_lock lock(mutex_);
  owned_.clear();
}

void Cluster::run() {
  auto next = Clock::now();
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (stopped_.wait_for(lock, kTick, [&] { return stopping_; })) return;
    }
    events_.tick();
    if (Clock::now() < next) continue;
    renew();
    next = Clock::now() + options_.renew;
  }
}

double Cluster::measure_load(double seconds) {
  const std::scoped_lock lock(mutex_);
  double load = 0;
  for (auto& [campaign, owned] : owned_) {
    const double now = static_cast<double>(std::exchange(owned.requests, 0)) / seconds;
    owned.rate = .5 * (owned.rate + now);
    load += owned.rate + kIdleLoad;
  }
  return load;
}

void Cluster::renew() {
  const auto begin = Clock::now();
  const double load =
      measure_load(std::max(.1, std::chrono::duration<double>(begin - renewed_).count()));
  const auto lost = renew_leases(begin, load);
  if (lost) {
    for (const std::string& campaign : *lost) events_.lost(campaign);
  }
  if (!lost || !look_at_nodes()) {
    const std::scoped_lock lock(mutex_);
    ++failed_renewals_;
    return;
  }
  look_at_standby();
  adopt();
  spread();
}

/// Returns the campaigns that others have taken.
Result<std::vector<std::string>> Cluster::renew_leases(Clock::time_point begin, double load) {
  const PostgresValue node = text_value(id_);
  const PostgresValue lease = number_value(std::int64_t{options_.lease.count()});
  std::map<std::string, std::int64_t> kept;
  TRY(without_standby(*pool_, [&](PostgresConnection& connection, Deadline deadline) {
    auto done = connection.run(
        deadline,
        "INSERT INTO allot.server_node (id, address, until, load)"
        " VALUES ($1, $2, now() + $3 * interval '1 ms', $4::text::double precision)"
        " ON CONFLICT (id) DO UPDATE SET until = excluded.until, load = excluded.load",
        node, text_value(address_), lease, text_value(fmt::format("{:.3f}", load)));
    if (!done) return done;
    done = connection.run(deadline,
                          "UPDATE allot.server_owner SET until = now() + $2 * interval '1 ms'"
                          " WHERE node = $1 RETURNING campaign, epoch",
                          node, lease);
    kept.clear();
    for (int row = 0; done && row < done->size(); ++row) {
      kept[done->text(row, 0)] = done->number(row, 1);
    }
    return done;
  }));
  std::vector<std::string> lost, gained;
  {
    const std::scoped_lock lock(mutex_);
    renewed_ = begin;
    for (auto& [campaign, owned] : owned_) {
      // One that was taken after the renewal began is not in its result.
      if (!kept.contains(campaign) && owned.trusted_until < begin + options_.trust) {
        lost.push_back(campaign);
      }
    }
    for (const std::string& campaign : lost) owned_.erase(campaign);
    lost_ += lost.size();
    for (const auto& [campaign, epoch] : kept) {
      if (!owned_.contains(campaign)) gained.push_back(campaign);
      Owned& owned = owned_[campaign];
      owned.epoch = epoch;
      owned.trusted_until = std::max(owned.trusted_until, begin + options_.trust);
      others_.erase(campaign);
    }
  }
  for (const std::string& campaign : gained) events_.gained(campaign);
  return lost;
}

Result<void> Cluster::look_at_nodes() {
  const auto rows = TRY(rows_of(*pool_,
                                "SELECT id, address, load::text FROM allot.server_node"
                                " WHERE until > now() ORDER BY id"));
  std::vector<Node> nodes;
  for (int row = 0; row < rows.size(); ++row) {
    nodes.push_back({rows.text(row, 0), rows.text(row, 1), std::stod(rows.text(row, 2))});
  }
  std::vector<Node> before;
  {
    const std::scoped_lock lock(mutex_);
    before = std::exchange(nodes_, nodes);
    std::erase_if(others_, [&](const auto& other) {
      return std::ranges::find(nodes, other.second.owner.node, &Node::id) == nodes.end();
    });
  }
  for (const Node& node : before) {
    const bool stays = std::ranges::find(nodes, node.id, &Node::id) != nodes.end();
    if (!stays && node.address != address_) events_.gone(node.address);
  }
  return {};
}

void Cluster::look_at_standby() {
  // Columns are null where the role may not see them.
  const auto rows =
      rows_of(*pool_,
              "SELECT (SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn))::bigint"
              " FROM pg_stat_replication), (SELECT count(*) FROM pg_stat_activity"
              " WHERE wait_event = 'SyncRep')");
  const std::scoped_lock lock(mutex_);
  lag_ = rows && !rows->is_null(0, 0) ? std::optional(rows->count(0, 0)) : std::nullopt;
  waits_ = rows && !rows->is_null(0, 1) ? std::optional(rows->count(0, 1)) : std::nullopt;
}

void Cluster::adopt() {
  const auto rows = rows_of(*pool_,
                            "SELECT DISTINCT w.campaign FROM allot.server_webhook w"
                            " LEFT JOIN allot.server_owner o ON o.campaign = w.campaign"
                            " WHERE w.active = 1 AND (o.campaign IS NULL OR o.until <= now())"
                            " LIMIT $1",
                            number_value(kAdoptedAtOnce));
  for (int row = 0; rows && row < rows->size(); ++row) {
    static_cast<void>(claim(rows->text(row, 0)));
  }
}

void Cluster::spread() {
  std::string campaign, node;
  {
    const std::scoped_lock lock(mutex_);
    if (owned_.size() < 2 || nodes_.size() < 2) return;
    if (Clock::now() - spread_at_ < options_.spread_every) return;
    const Node& least = *std::ranges::min_element(nodes_, {}, &Node::load);
    const auto self = std::ranges::find(nodes_, id_, &Node::id);
    if (self == nodes_.end() || least.id == id_) return;
    const double gap = self->load - least.load;
    // The campaign that brings both closest together; none if every move makes it worse.
    double best = .8 * gap;
    for (const auto& [name, owned] : owned_) {
      const double after = std::abs(gap - 2 * (owned.rate + kIdleLoad));
      if (after < best) {
        best = after;
        campaign = name;
      }
    }
    if (campaign.empty()) return;
    node = least.id;
    spread_at_ = Clock::now();
  }
  static_cast<void>(give(campaign, node));
}

Result<void> Cluster::give(const std::string& campaign, const std::string& node) {
  const auto rows =
      TRY(rows_of(*pool_,
                  "UPDATE allot.server_owner SET node = $3, epoch = epoch + 1,"
                  " until = now() + $4 * interval '1 ms' WHERE campaign = $1 AND node = $2"
                  " AND EXISTS (SELECT 1 FROM allot.server_node WHERE id = $3 AND until > now())"
                  " RETURNING epoch",
                  text_value(campaign), text_value(id_), text_value(node),
                  number_value(std::int64_t{options_.lease.count()})));
  if (rows.size() == 0) {
    return fail(ErrorCode::conflict, fmt::format("campaign {} is another server's, or {} is gone",
                                                 in_quotes(campaign), in_quotes(node)));
  }
  {
    const std::scoped_lock lock(mutex_);
    ++given_;
    owned_.erase(campaign);
  }
  events_.lost(campaign);
  return {};
}

std::optional<Cluster::Owner> Cluster::known(const std::string& campaign) {
  const auto now = Clock::now();
  const std::scoped_lock lock(mutex_);
  if (const auto found = owned_.find(campaign); found != owned_.end()) {
    ++found->second.requests;
    if (now < found->second.trusted_until) return Owner{id_, address_, found->second.epoch, true};
    return std::nullopt;
  }
  const auto found = others_.find(campaign);
  if (found == others_.end() || now >= found->second.until) return std::nullopt;
  return found->second.owner;
}

Result<Cluster::Owner> Cluster::claim(const std::string& campaign, const std::string& gone) {
  {
    const std::scoped_lock lock(mutex_);
    if (!joined_ || stopping_) return fail(ErrorCode::store_failure, "the server has not joined");
  }
  const auto begin = Clock::now();
  const auto taken =
      TRY(rows_of(*pool_, kClaim, text_value(campaign), text_value(id_),
                  number_value(std::int64_t{options_.lease.count()}), text_value(gone)));
  if (taken.size() == 1) {
    bool is_new = false;
    Owner owner{id_, address_, taken.number(0, 0), true};
    {
      const std::scoped_lock lock(mutex_);
      others_.erase(campaign);
      is_new = !owned_.contains(campaign);
      taken_ += is_new;
      Owned& owned = owned_[campaign];
      owned.epoch = owner.epoch;
      owned.trusted_until = begin + options_.trust;
      ++owned.requests;
    }
    if (is_new) events_.gained(campaign);
    return owner;
  }
  const auto rows = TRY(rows_of(*pool_,
                                "SELECT o.node, coalesce(n.address, ''), o.epoch"
                                " FROM allot.server_owner o LEFT JOIN allot.server_node n"
                                " ON n.id = o.node WHERE o.campaign = $1",
                                text_value(campaign)));
  if (rows.size() == 0) return fail(ErrorCode::store_failure, "the lease has just ended");
  Owner owner{rows.text(0, 0), rows.text(0, 1), rows.number(0, 2), false};
  bool was_owned = false;
  {
    const std::scoped_lock lock(mutex_);
    was_owned = owned_.erase(campaign) > 0;
    lost_ += was_owned;
    others_[campaign] = {owner, begin + options_.lease};
  }
  if (was_owned) events_.lost(campaign);
  return owner;
}

void Cluster::forget(const std::string& campaign) {
  const std::scoped_lock lock(mutex_);
  others_.erase(campaign);
}

bool Cluster::owns(const std::string& campaign) const {
  const std::scoped_lock lock(mutex_);
  return owned_.contains(campaign);
}

Cluster::Figures Cluster::figures() const {
  const std::scoped_lock lock(mutex_);
  Figures figures{.node = id_,
                  .epochs = {},
                  .nodes = nodes_,
                  .taken = taken_,
                  .lost = lost_,
                  .given = given_,
                  .failed_renewals = failed_renewals_,
                  .shortened = pool_->witness().losses(),
                  .renewal_age = std::chrono::duration<double>(Clock::now() - renewed_).count(),
                  .lag = lag_,
                  .waits = waits_};
  for (const auto& [campaign, owned] : owned_) figures.epochs[campaign] = owned.epoch;
  return figures;
}

}  // namespace allot::serve
