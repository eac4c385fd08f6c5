// Prices by worker as people write them: ann=0.05,bob=0.02, or a file with a row a worker.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "allot/base/money.hpp"

namespace allot::cli {

using WorkerPrice = std::pair<std::string, Money>;

/// A text without '=' is a file. Refusals name the option. A worker may have one price.
Result<std::vector<WorkerPrice>> read_worker_prices(const std::string& option,
                                                    const std::vector<std::string>& lists);

}  // namespace allot::cli
