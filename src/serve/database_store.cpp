#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "allot/store/postgres_store.hpp"
#include "serve/server_database.hpp"
#include "serve/server_store.hpp"

namespace allot::serve {
namespace {

using store::Deadline;
using store::PostgresConnection;
using store::PostgresPool;

class DatabaseStore final : public ServerStore {
 public:
  DatabaseStore(std::shared_ptr<PostgresPool> pool, std::shared_ptr<PostgresPool> leases,
                std::shared_ptr<PostgresPool> probe, std::shared_ptr<store::Store> campaigns)
      : pool_(std::move(pool)),
        leases_(std::move(leases)),
        probe_(std::move(probe)),
        campaigns_(std::move(campaigns)) {}

  std::string shown() const override { return pool_->shown(); }

  Result<std::unique_ptr<ServerTables>> open_tables(bool) override {
    return server_tables_in(pool_);
  }

  Result<Ledger> new_ledger(const std::string& id, const std::string&) override {
    return Ledger{campaigns_, id};
  }
  Result<Ledger> open_ledger(const std::string& id) override { return Ledger{campaigns_, id}; }

  Result<void> remove(const std::string& id, TableSession& session) override {
    for (const char* const sql :
         {"DELETE FROM allot.record WHERE campaign = (SELECT id FROM allot.campaign WHERE name ="
          " ?1)",
          "DELETE FROM allot.content WHERE campaign = (SELECT id FROM allot.campaign WHERE name ="
          " ?1)",
          "DELETE FROM allot.campaign WHERE name = ?1"}) {
      TRY(session.query(sql, id).run());
    }
    return {};
  }

  Result<void> remove_ledger(const std::string& id) override {
    TRY(campaigns_->remove(id));
    const auto freed = leases_->repeat([&](PostgresConnection& connection, Deadline deadline) {
      return connection.run(deadline, "DELETE FROM allot.server_owner WHERE campaign = $1",
                            store::text_value(id));
    });
    if (!freed) return leases_->refusal(freed.error());
    return {};
  }

  std::uint64_t bytes(const std::string&) const override { return 0; }

  // Other servers may be creating campaigns, and their clocks may differ by hours.
  StoredTime stale_before(StoredTime now) const override { return now - std::chrono::hours(24); }

  std::string write_trouble() override {
    const auto done = probe_->repeat([](PostgresConnection& connection, Deadline deadline) {
      return connection.run(deadline, "UPDATE allot.server_version SET number = number");
    });
    return done ? "" : done.error().message;
  }

  std::shared_ptr<PostgresPool> database() const override { return leases_; }

 private:
  const std::shared_ptr<PostgresPool> pool_, leases_, probe_;
  const std::shared_ptr<store::Store> campaigns_;
};

/// Refuses a database whose commits do not wait for a standby.
Result<void> check_standby(PostgresPool& pool) {
  const auto rows = pool.repeat([](PostgresConnection& connection, Deadline deadline) {
    return connection.run(deadline,
                          "SELECT current_setting('synchronous_standby_names'),"
                          " current_setting('synchronous_commit')");
  });
  if (!rows) return pool.refusal(rows.error());
  if (rows->bytes(0, 0).empty()) {
    return fail(ErrorCode::store_failure,
                fmt::format("{}: synchronous_standby_names is empty, so a fail-over could lose "
                            "labels; expected the name of a standby, or --require-sync no",
                            in_quotes(pool.shown())));
  }
  const std::string level = rows->text(0, 1);
  if (level == "on" || level == "remote_apply") return {};
  return fail(ErrorCode::store_failure,
              fmt::format("{}: synchronous_commit is {}; expected on or remote_apply",
                          in_quotes(pool.shown()), in_quotes(level)));
}

}  // namespace

Result<std::unique_ptr<ServerStore>> open_database(const std::string& location,
                                                   const DatabaseOptions& options) {
  store::PostgresOptions postgres{.mode = store::OpenMode::create,
                                  .timeout = options.timeout,
                                  .connections = options.connections,
                                  .witness = std::make_shared<store::PostgresWitness>()};
  auto campaigns = TRY(store::open_postgres(location, postgres));
  const std::string shown = TRY(store::shown_database(location));
  const auto pool_of = [&](std::size_t connections, std::chrono::milliseconds timeout) {
    postgres.connections = connections;
    postgres.timeout = timeout;
    return std::make_shared<PostgresPool>(location, shown, postgres);
  };
  const auto pool = pool_of(3, options.timeout);
  TRY(store::prepare(*pool, server_schema()));
  if (options.require_sync) TRY(check_standby(*pool));
  // Leases and readiness must not wait as long as requests may.
  constexpr std::chrono::seconds kShort{4};
  return std::make_unique<DatabaseStore>(pool, pool_of(3, kShort), pool_of(1, kShort),
                                         std::move(campaigns));
}

}  // namespace allot::serve
