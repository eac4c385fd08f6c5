// Options about money and about stopping early, shared by simulate and replay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/io/budget_text.hpp"
#include "allot/policy/stop_rules.hpp"
#include "cli/formats.hpp"
#include "cli/run_options.hpp"

namespace allot::cli {

/// Registers --price, whose values are of this type, and --stop.
void add_price_options(Command& command, RunFlags& flags, const char* type, const char* meaning);

inline constexpr const char* kStopNote =
    "Stop rules: `accuracy:X` ends a run when the expected accuracy is at least X; `settled:X` "
    "buys no more labels for items whose answer is right with probability X; `worth:W` ends a run "
    "when no label is worth its price, a right answer being worth W.";

/// Prices of labels.
struct Prices {
  /// One per worker, or a single one for all.
  std::vector<Money> of_worker;

  bool differ() const;
};

/// Reads budgets: labels without prices, else money. `label_count` is the number of all labels and
/// `all` their price; none where labels are unlimited.
Result<std::vector<io::Budget>> read_budgets(const std::string& text, std::uint32_t item_count,
                                             const std::optional<Prices>& prices,
                                             std::optional<std::uint64_t> label_count = {},
                                             std::optional<Money> all = {});

/// One price for all labels; none if not given.
Result<std::optional<Prices>> read_one_price(const RunFlags& flags);

/// Reads --stop; `yes_no` for binary items without features.
Result<policy::StopRules> read_stop(const RunFlags& flags, bool yes_no);

/// Stores budgets and prices in an experiment.
void set_budgets(const std::vector<io::Budget>& budgets, const std::optional<Prices>& prices,
                 sim::Experiment& experiment);

/// Price and stop rules for the heading, ", price 0.05, stopped by accuracy:0.95", and for JSON;
/// empty if neither is given.
std::string price_text(const RunFlags& flags);
Fields price_settings(const RunFlags& flags);

/// Whether runs can end before their budget is spent, so that the output says how they ended.
inline bool shows_stops(const RunFlags& flags, const std::optional<Prices>& prices) {
  return prices.has_value() || !flags.stop.empty();
}

}  // namespace allot::cli
