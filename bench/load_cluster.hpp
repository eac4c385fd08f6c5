// Load on servers that share a database: against a data folder, several servers, a standby, many
// campaigns, and what each of them costs.
#pragma once

#include <string>

#include "load_site.hpp"

namespace allot::load {

/// Label-and-next calls on an empty database and in a data folder, in turns.
void compare_stores(const Plan& plan, const std::string& store);

/// Starts PostgreSQL by itself, from Debian's package, and measures everything.
void measure_cluster(const Plan& plan);

}  // namespace allot::load
