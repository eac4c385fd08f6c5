#include "serve/server_database.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "allot/base/text.hpp"

namespace allot::serve {
namespace {

using store::Deadline;
using store::PostgresConnection;
using store::PostgresFailure;
using store::PostgresPool;
using store::PostgresResult;
using store::PostgresRows;
using store::PostgresValue;
using Kind = PostgresFailure::Kind;

/// Format 1: the tables of server.db (server_file.cpp has their story), and leases. Numbers of
/// deliveries count per webhook under the lock of its row, without a sequence.
constexpr const char* kServerTables = R"(
  CREATE TABLE allot.server_version (number bigint NOT NULL);
  INSERT INTO allot.server_version VALUES (0);
  CREATE TABLE allot.server_token (
    id text PRIMARY KEY, role bigint NOT NULL, campaign text NOT NULL, worker text NOT NULL,
    label text NOT NULL, created bigint NOT NULL, revoked bigint, digest bytea NOT NULL,
    version bigint NOT NULL DEFAULT 0);
  CREATE INDEX server_token_version ON allot.server_token (version);
  CREATE TABLE allot.server_campaign (
    id text PRIMARY KEY, name text NOT NULL, owner text NOT NULL, created bigint NOT NULL,
    page text NOT NULL DEFAULT '', twin_of text NOT NULL DEFAULT '',
    key text NOT NULL DEFAULT '', request bytea NOT NULL DEFAULT ''::bytea,
    version bigint NOT NULL DEFAULT 0);
  CREATE INDEX server_campaign_version ON allot.server_campaign (version);
  CREATE TABLE allot.server_unfinished (id text PRIMARY KEY, since bigint NOT NULL DEFAULT 0);
  CREATE TABLE allot.server_webhook (
    id text PRIMARY KEY, campaign text NOT NULL, maker text NOT NULL, url text NOT NULL,
    events bigint NOT NULL, description text NOT NULL, secret bytea NOT NULL,
    active bigint NOT NULL, off_reason text NOT NULL, created bigint NOT NULL,
    cursor bigint NOT NULL, failing_since bigint,
    old_secret bytea NOT NULL DEFAULT ''::bytea, old_until bigint);
  CREATE INDEX server_webhook_by_campaign ON allot.server_webhook (campaign);
  CREATE TABLE allot.server_delivery (
    number bigint NOT NULL, webhook text NOT NULL, id text NOT NULL UNIQUE, type text NOT NULL,
    body text NOT NULL, state bigint NOT NULL, attempts bigint NOT NULL, due bigint NOT NULL,
    made bigint NOT NULL, last bigint, status bigint NOT NULL, trouble text NOT NULL,
    PRIMARY KEY (webhook, number));
  CREATE INDEX server_delivery_number ON allot.server_delivery (number);
  CREATE INDEX server_delivery_by_webhook ON allot.server_delivery (webhook, state, due, number);
  CREATE TABLE allot.server_course (
    campaign text NOT NULL, labels bigint NOT NULL, point bytea NOT NULL,
    PRIMARY KEY (campaign, labels));
  CREATE TABLE allot.server_node (
    id text PRIMARY KEY, address text NOT NULL, until timestamptz NOT NULL,
    load double precision NOT NULL DEFAULT 0);
  CREATE TABLE allot.server_owner (
    campaign text PRIMARY KEY, node text NOT NULL, epoch bigint NOT NULL,
    until timestamptz NOT NULL) WITH (fillfactor = 50);
)";

/// Format 2: archived and deleted campaigns.
constexpr const char* kArchiveTables = R"(
  ALTER TABLE allot.server_campaign ADD COLUMN archived bigint NOT NULL DEFAULT 0;
  CREATE TABLE allot.server_removed (campaign text PRIMARY KEY, version bigint NOT NULL);
)";

/// Format 3: runs of language models.
constexpr const char* kModelRunTable = R"(
  CREATE TABLE allot.server_model_run (
    campaign text PRIMARY KEY, models text NOT NULL, prompt text NOT NULL, cost_cap bigint,
    spent_before bigint NOT NULL, state bigint NOT NULL, reason text NOT NULL,
    failed bigint NOT NULL, trouble text NOT NULL, started bigint NOT NULL, ended bigint);
)";

/// Format 4: digests of tokens.
constexpr const char* kTokenSeals =
    "ALTER TABLE allot.server_token ADD COLUMN seal bytea NOT NULL DEFAULT ''::bytea";

constexpr const char* kDatabaseMigrations[] = {kServerTables, kArchiveTables, kModelRunTable,
                                               kTokenSeals};

PostgresValue postgres_value(const TableValue& value) {
  return std::visit(
      [](const auto& one) -> PostgresValue {
        using Given = std::decay_t<decltype(one)>;
        if constexpr (std::same_as<Given, std::monostate>) {
          return store::null_value();
        } else if constexpr (std::same_as<Given, std::int64_t>) {
          return store::number_value(one);
        } else if constexpr (std::same_as<Given, Bytes>) {
          return store::bytes_value(one.bytes);
        } else {
          return store::text_value(one);
        }
      },
      value);
}

class DatabaseRow final : public TableRow {
 public:
  DatabaseRow(const PostgresRows& rows, int row) : rows_(rows), row_(row) {}
  std::int64_t number(int column) const override { return rows_.number(row_, column); }
  std::string_view bytes(int column) const override { return rows_.bytes(row_, column); }
  bool is_null(int column) const override { return rows_.is_null(row_, column); }

 private:
  const PostgresRows& rows_;
  const int row_;
};

PostgresResult<PostgresRows> run_on(PostgresConnection& connection, Deadline deadline,
                                    const char* sql, std::span<const TableValue> values) {
  std::vector<PostgresValue> parameters;
  for (const TableValue& value : values) parameters.push_back(postgres_value(value));
  return connection.run_with(deadline, statement_for(sql, "allot.server_", '$').c_str(),
                             parameters);
}

void visit_all(const PostgresRows& rows, const std::function<void(const TableRow&)>& visit) {
  for (int row = 0; visit && row < rows.size(); ++row) visit(DatabaseRow(rows, row));
}

/// Statements inside a transaction.
class DatabaseSession final : public TableSession {
 public:
  DatabaseSession(const PostgresPool& pool, PostgresConnection& connection, Deadline deadline)
      : pool_(pool), connection_(connection), deadline_(deadline) {}

  /// The failure that broke the transaction.
  const std::optional<PostgresFailure>& failure() const { return failure_; }

 protected:
  Result<void> execute(const char* sql, std::span<const TableValue> values,
                       const Visit& visit) override {
    const auto rows = run_on(connection_, deadline_, sql, values);
    if (!rows) {
      failure_ = rows.error();
      return pool_.refusal(rows.error());
    }
    visit_all(*rows, visit);
    return {};
  }

 private:
  const PostgresPool& pool_;
  PostgresConnection& connection_;
  const Deadline deadline_;
  std::optional<PostgresFailure> failure_;
};

class ServerDatabase final : public ServerTables {
 public:
  explicit ServerDatabase(std::shared_ptr<PostgresPool> pool) : pool_(std::move(pool)) {}

  Result<void> transact(const std::function<Result<void>(TableSession&)>& work) override {
    Result<void> result;
    const Deadline deadline = pool_->deadline();
    const auto done =
        pool_->repeat_until(deadline, [&](PostgresConnection& connection) -> PostgresResult<bool> {
          return attempt(connection, deadline, work, result);
        });
    if (!done) return pool_->refusal(done.error());
    return result;
  }

 protected:
  Result<void> execute(const char* sql, std::span<const TableValue> values,
                       const Visit& visit) override {
    const bool reads = std::string_view(sql).starts_with("SELECT");
    bool doubtful = false;
    const auto rows = pool_->repeat([&](PostgresConnection& connection, Deadline deadline) {
      auto run = run_on(connection, deadline, sql, values);
      if (reads) return run;
      // What was sent may have happened, so it is not sent again.
      const bool lost = !run && run.error().kind == Kind::lost;
      doubtful = lost || (run && connection.has_warned());
      if (lost) run.error().kind = Kind::refused;
      return run;
    });
    if (doubtful)
      return unknown(rows ? "the wait for the standby was cancelled" : rows.error().message);
    if (!rows) return pool_->refusal(rows.error());
    visit_all(*rows, visit);
    return {};
  }

 private:
  /// One attempt at a transaction: fails if it can be repeated, otherwise sets the result.
  PostgresResult<bool> attempt(PostgresConnection& connection, Deadline deadline,
                               const std::function<Result<void>(TableSession&)>& work,
                               Result<void>& result) {
    const auto begun = connection.run(deadline, "BEGIN");
    if (!begun) return tl::unexpected(begun.error());
    DatabaseSession session(*pool_, connection, deadline);
    result = work(session);
    if (session.failure() && session.failure()->is_passing()) {
      connection.give_up();  // ends the transaction with the connection
      return tl::unexpected(*session.failure());
    }
    if (!result) {
      if (!connection.run(deadline, "ROLLBACK")) connection.give_up();
      return true;
    }
    const auto committed = connection.run(deadline, "COMMIT");
    if (committed && connection.has_warned()) {
      result = unknown("the wait for the standby was cancelled");
    } else if (!committed && committed.error().kind == Kind::lost) {
      result = unknown(committed.error().message);
    } else if (!committed) {
      result = pool_->refusal(committed.error());
    }
    return true;
  }

  tl::unexpected<Error> unknown(std::string_view reason) const {
    return fail(ErrorCode::outcome_unknown,
                fmt::format("{}: {}; look whether the change was made before you repeat it",
                            in_quotes(pool_->shown()), reason));
  }

  const std::shared_ptr<PostgresPool> pool_;
};

}  // namespace

const store::PostgresSchema& server_schema() {
  static constexpr store::PostgresSchema schema{"server", kDatabaseMigrations};
  return schema;
}

std::unique_ptr<ServerTables> server_tables_in(std::shared_ptr<PostgresPool> pool) {
  return std::make_unique<ServerDatabase>(std::move(pool));
}

}  // namespace allot::serve
