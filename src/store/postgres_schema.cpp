#include "store/postgres_schema.hpp"

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::store {
namespace {

/// Format 1. `campaign.last` and `campaign.epoch` are what an append depends on; rows are kept half
/// empty, so that updates stay on their page. Ids are random: a sequence would promise an order.
/// The first record of each append has the random number of its batch, so that it can be recognised
/// after a lost connection. Keys are indexed by a hash, since they can be longer than an index
/// entry.
constexpr const char* kTables = R"(
  CREATE TABLE allot.campaign (
    id bigint PRIMARY KEY, name text NOT NULL UNIQUE,
    created timestamptz NOT NULL DEFAULT clock_timestamp(),
    last bigint NOT NULL DEFAULT 0, epoch bigint NOT NULL DEFAULT 1) WITH (fillfactor = 50);
  CREATE TABLE allot.record (
    campaign bigint NOT NULL, sequence bigint NOT NULL, time bigint NOT NULL,
    kind smallint NOT NULL, key bytea, payload bytea NOT NULL, checksum bigint NOT NULL,
    batch uuid, PRIMARY KEY (campaign, sequence));
  CREATE UNIQUE INDEX record_key ON allot.record (campaign, sha256(key)) WHERE key IS NOT NULL;
  CREATE TABLE allot.content (
    campaign bigint NOT NULL, item bigint NOT NULL, fields bytea NOT NULL,
    PRIMARY KEY (campaign, item));
  CREATE TABLE allot.snapshot (campaign bigint PRIMARY KEY, sequence bigint NOT NULL);
  CREATE TABLE allot.snapshot_part (
    campaign bigint NOT NULL, part bigint NOT NULL, bytes bytea NOT NULL,
    PRIMARY KEY (campaign, part));
  ALTER TABLE allot.snapshot_part ALTER COLUMN bytes SET STORAGE EXTERNAL;
)";

constexpr const char* kMigrations[] = {kTables};

/// "allt" in ASCII.
constexpr const char* kLock = "SELECT pg_advisory_xact_lock(1634496628)";

/// Format of the part; nothing if its tables were never made.
PostgresResult<std::optional<std::int64_t>> format_of(PostgresConnection& connection,
                                                      Deadline deadline, std::string_view part) {
  constexpr std::string_view kNoTable = "42P01", kNoSchema = "3F000";
  const auto rows =
      connection.run(deadline, "SELECT number FROM allot.format WHERE part = $1", text_value(part));
  if (rows) return rows->size() == 0 ? std::nullopt : std::optional(rows->number(0, 0));
  if (rows.error().state == kNoTable || rows.error().state == kNoSchema) return std::nullopt;
  return tl::unexpected(rows.error());
}

/// Runs missing migrations, with the lock, inside a transaction.
PostgresResult<PostgresRows> migrate_locked(PostgresConnection& connection, Deadline deadline,
                                            const PostgresSchema& schema) {
  // Asked first, since "IF NOT EXISTS" needs the right to create even where nothing is created.
  auto known = connection.run(deadline, "SELECT to_regclass('allot.format') IS NOT NULL");
  if (!known) return known;
  if (known->number(0, 0) == 0) {
    auto made = connection.script(
        deadline,
        "DO $$ BEGIN IF to_regnamespace('allot') IS NULL THEN CREATE SCHEMA allot; END IF; END $$;"
        "CREATE TABLE allot.format (part text PRIMARY KEY, number bigint NOT NULL)");
    if (!made) return made;
  }
  const auto format = format_of(connection, deadline, schema.part);
  if (!format) return tl::unexpected(format.error());
  const auto done = static_cast<std::size_t>(format->value_or(0));
  for (std::size_t n = done; n < schema.migrations.size(); ++n) {
    auto migrated = connection.script(deadline, schema.migrations[n]);
    if (!migrated) return migrated;
  }
  return connection.run(
      deadline,
      "INSERT INTO allot.format VALUES ($1, $2) ON CONFLICT (part) DO UPDATE SET number ="
      " greatest(format.number, excluded.number)",
      text_value(schema.part), number_value(schema.format()));
}

PostgresResult<PostgresRows> migrate(PostgresConnection& connection, Deadline deadline,
                                     const PostgresSchema& schema) {
  for (const char* const begin : {"BEGIN", kLock}) {
    auto begun = connection.run(deadline, begin);
    if (!begun) return begun;
  }
  auto done = migrate_locked(connection, deadline, schema);
  if (!done) {
    connection.give_up();  // ends the transaction with the connection
    return done;
  }
  return connection.run(deadline, "COMMIT");
}

}  // namespace

const PostgresSchema& postgres_ledger() {
  static constexpr PostgresSchema schema{"ledger", kMigrations};
  return schema;
}

Result<void> prepare(PostgresPool& pool, const PostgresSchema& schema) {
  const Deadline deadline = pool.deadline();
  const OpenMode mode = pool.options().mode;
  const auto loan = pool.borrow(deadline);
  if (!loan) return pool.refusal(loan.error());
  const auto format = format_of(**loan, deadline, schema.part);
  if (!format) return pool.refusal(format.error());
  if (!*format && mode != OpenMode::create) {
    return fail(ErrorCode::store_failure,
                "{}: the database has no campaigns; expected one in which allot made some",
                in_quotes(pool.shown()));
  }
  const std::int64_t found = format->value_or(0);
  if (found == schema.format()) return {};
  if (found > schema.format()) {
    return fail(ErrorCode::store_failure,
                "{}: written by a newer allot (format {}); expected format {} or older",
                in_quotes(pool.shown()), found, schema.format());
  }
  if (mode == OpenMode::read) {
    return fail(ErrorCode::store_failure,
                "{}: the database has the older format {}; expected format {}, to which any "
                "command that changes a campaign brings it",
                in_quotes(pool.shown()), found, schema.format());
  }
  const auto migrated = migrate(**loan, deadline, schema);
  if (!migrated) return pool.refusal(migrated.error());
  return {};
}

}  // namespace allot::store
