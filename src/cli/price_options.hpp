// Options about money and about stopping early, the same for simulate and replay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/io/budget_text.hpp"
#include "allot/policy/stop_rules.hpp"
#include "cli/output.hpp"
#include "cli/run_options.hpp"

namespace allot::cli {

/// Registers --price, whose values are of this type, and --stop.
void add_price_options(Command& command, RunFlags& flags, const char* type, const char* meaning);

inline constexpr const char* kStopNote =
    "Stop rules: `accuracy:X` ends a run when the expected accuracy is at least X; `settled:X` "
    "buys no more labels for items whose answer is right with probability X; `worth:W` ends a run "
    "when no label is worth its price, a right answer being worth W.";

/// What labels cost.
struct Prices {
  /// One a worker, or a single one for all.
  std::vector<Money> of_worker;

  bool differ() const;
};

/// Budgets as written: in labels without prices, else in money. `label_count` of all labels there
/// are and `all`, what they cost; nothing where there is no end of them.
Result<std::vector<io::Budget>> read_budgets(const std::string& text, std::uint32_t item_count,
                                             const std::optional<Prices>& prices,
                                             std::optional<std::uint64_t> label_count = {},
                                             std::optional<Money> all = {});

/// One price for all labels; nothing if none is given.
Result<std::optional<Prices>> read_one_price(const RunFlags& flags);

/// The rules of --stop; `yes_no` if items are that and have no features.
Result<policy::StopRules> read_stop(const RunFlags& flags, bool yes_no);

/// Budgets and what labels cost, stored in an experiment; workers alike have one price.
template <typename Experiment>
void set_budgets(const std::vector<io::Budget>& budgets, const std::optional<Prices>& prices,
                 Experiment& experiment) {
  for (const io::Budget& budget : budgets) experiment.budgets.push_back(budget.labels);
  if (prices) experiment.price = prices->of_worker.front();
}
void set_budgets(const std::vector<io::Budget>& budgets, const std::optional<Prices>& prices,
                 std::uint32_t worker_count, sim::CrowdExperiment& experiment);

/// ", price 0.05, stopped by accuracy:0.95" for the heading, and the same for JSON; empty if
/// neither is given.
std::string price_text(const RunFlags& flags);
Fields price_settings(const RunFlags& flags);

/// Whether the ends of runs differ from what the budgets say, so that they should be shown.
inline bool shows_ends(const RunFlags& flags, const std::optional<Prices>& prices) {
  return prices.has_value() || !flags.stop.empty();
}

}  // namespace allot::cli
