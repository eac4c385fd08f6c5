// Campaigns in a PostgreSQL database: several machines can append, and the database can be
// replicated.
//
// A commit is one statement that appends if the ledger still ends where the turn began; otherwise
// it fails with `conflict`. Nothing is locked between a decision and its commit. If the connection
// breaks during a commit, or the wait for a synchronous standby is cancelled, the store first finds
// out what happened. If it cannot before the timeout, the commit fails with `outcome_unknown`.
//
// A store remembers the last record of each campaign that it acknowledged. If the ledger is shorter
// later, a fail-over has lost records, and the store refuses the campaign.
//
// Tables live in the schema `allot` of the database. Every statement is a transaction of its own or
// within one, unnamed and without session state, so a transaction pooler can stand in between.
//
// Cost: a commit is one round trip and one write of the server's log, whatever the number of
// records. Reading a ledger, finding a key and beginning a turn take one round trip each.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "allot/store/store.hpp"

namespace allot::store {

class PostgresWitness;

/// Options of a store in a database.
struct PostgresOptions {
  OpenMode mode = OpenMode::write;  ///< access to the database
  /// Time that a call may take before it fails, attempts to reconnect included. A commit without an
  /// answer may take it twice: once for itself, and once to find out what became of it.
  std::chrono::milliseconds timeout{30'000};
  /// Most connections at a time; threads wait for a free one.
  std::size_t connections = 8;
  /// A commit with more bytes is a transaction of several statements, each of about that size.
  std::size_t statement_bytes = 32'000'000;
  /// Remembers what was acknowledged, for several stores of one process; each has its own if null.
  std::shared_ptr<PostgresWitness> witness = nullptr;
};

/// Opens the database at a location such as `postgresql://host/database`, with any parameter of
/// libpq. Fails at once if it cannot be reached, has no tables of allot (unless created), or has
/// tables of another version that it cannot bring up to date.
Result<std::unique_ptr<Store>> open_postgres(const std::string& location,
                                             const PostgresOptions& options = {});

}  // namespace allot::store
