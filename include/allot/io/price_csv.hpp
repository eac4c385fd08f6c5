// Price files: the price of a label per worker, one row per worker.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/result.hpp"

namespace allot::io {

/// The prices of these workers, in their order, from the columns worker and price. A row with the
/// worker * covers all workers without a row of their own. Rows of other workers are skipped.
/// Refuses workers without a price, prices that are not above 0, and a worker with two different
/// prices.
Result<std::vector<Money>> parse_prices(std::string_view text,
                                        std::span<const std::string> workers);

/// Every worker named in the file with their price, in the order of the rows.
Result<std::vector<std::pair<std::string, Money>>> list_prices(std::string_view text);

}  // namespace allot::io
