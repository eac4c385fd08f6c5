#include "allot/io/price_csv.hpp"

#include <optional>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/name_table.hpp"
#include "io/table_reader.hpp"

namespace allot::io {
namespace {

constexpr std::string_view kAllOthers = "*";

const WantedColumn& required_price_column() {
  static const WantedColumn column{"price", {{"price", "cost"}, {"reward", "pay", "rate"}}};
  return column;
}

/// The price of every worker in the file.
struct RawPrices {
  NameTable workers;
  std::vector<Money> of_worker;
};

Result<RawPrices> read_price_rows(std::string_view text) {
  auto rows = TRY(TableReader::open(text, {worker_column(), required_price_column()}));
  RawPrices raw;
  while (TRY(rows.next())) {
    if (rows.field(0).empty()) return refuse_line(rows.line(), "the worker is empty");
    const auto price = parse_price(rows.field(1));
    if (!price) return refuse_line(rows.line(), price.error().message);
    const std::uint32_t worker = raw.workers.number(rows.field(0));
    if (worker == raw.of_worker.size()) {
      raw.of_worker.push_back(*price);
    } else if (raw.of_worker[worker] != *price) {
      return refuse_line(
          rows.line(), "the price of worker {} is {}, but was {} before; expected one price",
          in_quotes(rows.field(0)), money_text(*price), money_text(raw.of_worker[worker]));
    }
  }
  return raw;
}

}  // namespace

Result<std::vector<Money>> parse_prices(std::string_view text,
                                        std::span<const std::string> workers) {
  const auto raw = TRY(read_price_rows(text));
  const auto others = raw.workers.find(kAllOthers);
  std::vector<Money> prices;
  std::vector<std::string> without;
  for (const std::string& worker : workers) {
    const auto own = raw.workers.find(worker);
    if (!own && !others) {
      without.push_back(worker);
      continue;
    }
    prices.push_back(raw.of_worker[own ? *own : *others]);
  }
  if (without.empty()) return prices;
  return invalid(
      "no price for {} of the labels ({}); expected a row for each, or a row with the worker *",
      count_text(without.size(), "worker"), some_in_quotes(without));
}

Result<std::vector<std::pair<std::string, Money>>> list_prices(std::string_view text) {
  return read_price_rows(text).map([](RawPrices raw) {
    std::vector<std::pair<std::string, Money>> prices;
    for (std::size_t n = 0; n < raw.of_worker.size(); ++n)
      prices.emplace_back(raw.workers.names()[n], raw.of_worker[n]);
    return prices;
  });
}

}  // namespace allot::io
