// Tables of a database, part by part, each as a list of migrations.
//
// All tables are in the schema `allot`. Its table `format` has one row per part with the number of
// migrations that the part has been through. Migrations are never edited, only added at the end.
#pragma once

#include <span>
#include <string_view>

#include "store/postgres_pool.hpp"

namespace allot::store {

/// A group of tables with migrations of its own.
struct PostgresSchema {
  std::string_view part;
  /// migrations[n] is SQL that turns format n into format n + 1.
  std::span<const char* const> migrations;

  std::int64_t format() const { return static_cast<std::int64_t>(migrations.size()); }
};

/// Campaigns: ledgers, contents and snapshots.
const PostgresSchema& postgres_ledger();

/// Checks the tables of the part, and runs missing migrations in one transaction if the pool's mode
/// allows: `create` makes new tables, `write` brings older ones up to date, `read` changes nothing.
/// Of several processes one migrates; the others wait for it.
Result<void> prepare(PostgresPool& pool, const PostgresSchema& schema);

}  // namespace allot::store
