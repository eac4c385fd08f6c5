#include "cli/price_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/io/stop_text.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

/// Rules as one list.
std::string stop_text(const RunFlags& flags) {
  return fmt::format("{}", fmt::join(flags.stop, ","));
}

}  // namespace

void add_price_options(Command& command, RunFlags& flags, const char* type, const char* meaning) {
  command.add("--price", &flags.price, type, meaning);
  command.add("--stop", &flags.stop, "RULE,...",
              "Stop before the budget is spent: `accuracy:X`, `settled:X` or `worth:W`");
}

bool Prices::differ() const {
  return std::ranges::any_of(of_worker, [&](Money price) { return price != of_worker.front(); });
}

Result<std::vector<io::Budget>> read_budgets(const std::string& text, std::uint32_t item_count,
                                             const std::optional<Prices>& prices,
                                             std::optional<std::uint64_t> label_count,
                                             std::optional<Money> all) {
  if (!prices) return in_option("--budget", io::parse_budgets(text, item_count, label_count));
  const auto [lowest, highest] = std::ranges::minmax(prices->of_worker);
  return in_option("--budget",
                   io::parse_money_budgets(text, item_count, {lowest, highest, label_count, all}));
}

Result<std::optional<Prices>> read_one_price(const RunFlags& flags) {
  if (!flags.price) return std::optional<Prices>();
  return in_option("--price", parse_price(*flags.price)).map([](Money price) {
    return std::optional(Prices{{price}});
  });
}

Result<policy::StopRules> read_stop(const RunFlags& flags, bool yes_no) {
  if (flags.stop.empty()) return policy::StopRules{};
  return in_option("--stop", io::parse_stop_rules(stop_text(flags)))
      .and_then([&](const policy::StopRules& rules) -> Result<policy::StopRules> {
        if (!rules.worth || yes_no) return rules;
        return fail(ErrorCode::invalid_argument,
                    fmt::format("--stop 'worth:{}' needs binary items without features; expected "
                                "accuracy:X or settled:X",
                                money_text(*rules.worth)));
      });
}

void set_budgets(const std::vector<io::Budget>& budgets, const std::optional<Prices>& prices,
                 sim::Experiment& experiment) {
  for (const io::Budget& budget : budgets) {
    if (budget.money) {
      experiment.money.push_back(*budget.money);
    } else {
      experiment.budgets.push_back(budget.labels);
    }
  }
  if (prices) experiment.prices = prices->of_worker;
}

std::string price_text(const RunFlags& flags) {
  std::string text;
  if (flags.price) text += fmt::format(", price {}", shortened(*flags.price));
  if (!flags.stop.empty()) text += fmt::format(", stopped by {}", shortened(stop_text(flags)));
  return text;
}

Fields price_settings(const RunFlags& flags) {
  Fields fields;
  if (flags.price) fields.emplace_back("price", json_string(*flags.price));
  if (!flags.stop.empty()) fields.emplace_back("stop", json_string(stop_text(flags)));
  return fields;
}

}  // namespace allot::cli
