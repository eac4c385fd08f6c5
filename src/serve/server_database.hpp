// The tables of a server (serve/server_tables.hpp) in a PostgreSQL database, next to its campaigns.
//
// server.token is the table allot.server_token, and so on. A statement that only reads is repeated
// while the database is away, up to the timeout of the pool. A change without an answer, or whose
// wait for the standby was cancelled, is an outcome_unknown.
#pragma once

#include <memory>

#include "serve/server_tables.hpp"
#include "store/postgres_pool.hpp"
#include "store/postgres_schema.hpp"

namespace allot::serve {

/// Tables of servers, with the leases of several servers (serve/cluster.hpp).
const store::PostgresSchema& server_schema();

/// The schema must be up to date (store::prepare).
std::unique_ptr<ServerTables> server_tables_in(std::shared_ptr<store::PostgresPool> pool);

}  // namespace allot::serve
