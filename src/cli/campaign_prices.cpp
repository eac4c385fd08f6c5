#include "cli/campaign_prices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "cli/options.hpp"

namespace allot::cli {

Result<std::vector<WorkerPrice>> read_worker_prices(const std::string& option,
                                                    const std::vector<std::string>& lists) {
  std::vector<WorkerPrice> prices;
  for (const std::string& text : read_names(lists)) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("{} {} names no worker and price; expected WORKER=PRICE, such as "
                              "ann=0.05",
                              option, in_quotes(text)));
    }
    const auto price = in_option(option, parse_money(std::string_view(text).substr(equals + 1)));
    if (!price) return tl::unexpected(price.error());
    const std::string worker = text.substr(0, equals);
    if (std::ranges::find(prices, worker, &WorkerPrice::first) != prices.end()) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("{} gives worker {} two prices; expected one", option, in_quotes(worker)));
    }
    prices.emplace_back(worker, *price);
  }
  return prices;
}

}  // namespace allot::cli
