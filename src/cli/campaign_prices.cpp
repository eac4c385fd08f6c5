#include "cli/campaign_prices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/io/price_csv.hpp"
#include "allot/io/text_file.hpp"
#include "base/try.hpp"
#include "cli/options.hpp"

namespace allot::cli {

namespace {

Result<std::vector<WorkerPrice>> read_price_file(const std::string& option,
                                                 const std::string& path) {
  const auto text = TRY(in_option(option, io::read_text_file(path)));
  return in_file(path, io::list_prices(text));
}

/// Reads "ann=0.05", or a file.
Result<std::vector<WorkerPrice>> read_part(const std::string& option, const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos) return read_price_file(option, text);
  return in_option(option, parse_money(std::string_view(text).substr(equals + 1)))
      .map([&](Money price) {
        return std::vector<WorkerPrice>{{text.substr(0, equals), price}};
      });
}

}  // namespace

Result<std::vector<WorkerPrice>> read_worker_prices(const std::string& option,
                                                    const std::vector<std::string>& lists) {
  std::vector<WorkerPrice> prices;
  for (const std::string& text : read_names(lists)) {
    const auto part = TRY(read_part(option, text));
    for (const WorkerPrice& price : part) {
      if (price.first.empty() || price.first == "*") {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} {} names no worker; expected WORKER=PRICE, such as ann=0.05, "
                                "or a file with one row per worker",
                                option, in_quotes(text)));
      }
      if (std::ranges::find(prices, price.first, &WorkerPrice::first) != prices.end()) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} gives worker {} two prices; expected one", option,
                                in_quotes(price.first)));
      }
      prices.push_back(price);
    }
  }
  return prices;
}

}  // namespace allot::cli
