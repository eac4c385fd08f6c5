// Prices by worker as people write them: ann=0.05,bob=0.02, or a file with one row per worker.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "allot/base/money.hpp"

namespace allot::cli {

using WorkerPrice = std::pair<std::string, Money>;

/// Reads prices; a text without '=' names a file. Errors name the option. Each worker has one
/// price.
Result<std::vector<WorkerPrice>> read_worker_prices(const std::string& option,
                                                    const std::vector<std::string>& lists);

}  // namespace allot::cli
