// Price files: what a label of each worker costs, one row a worker.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/result.hpp"

namespace allot::io {

/// The prices of these workers, in their order: columns worker and price; a row whose worker is *
/// is for all who have none of their own. Rows of other workers are passed over. Refuses workers
/// without a price, prices that are not above 0, and a worker with two prices that differ.
Result<std::vector<Money>> parse_prices(std::string_view text,
                                        std::span<const std::string> workers);

/// Every worker that the file names with their price, in the order of the rows, whoever they are.
Result<std::vector<std::pair<std::string, Money>>> list_prices(std::string_view text);

}  // namespace allot::io
