// Options about the compared policies, runs, money and stopping early, shared by simulate and
// replay.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/io/budget_text.hpp"
#include "allot/policy/stop_rules.hpp"
#include "allot/sim/experiment.hpp"
#include "cli/comparison.hpp"
#include "cli/crowd_options.hpp"
#include "cli/options.hpp"

namespace allot::cli {

/// Policies if none are given: labels at random, the default of campaigns, and the paper's.
inline constexpr const char* kPolicies = "uniform,budget-kg,opt-kg";
inline constexpr const char* kPoliciesWithoutOptKg = "uniform,budget-kg";
/// The two lists and when each is used.
std::string default_policies_text();

/// Values as written.
struct RunFlags {
  std::string prior = "uniform";
  std::vector<std::string> policies = {};
  std::string ties = "random";
  std::string runs = "20";
  std::string seed = "1";
  std::optional<std::string> threads = {};
  std::string format = "table";
  std::optional<std::string> plot = {};
  std::vector<std::string> calibration = {};
  std::optional<std::string> price = {};
  std::vector<std::string> stop = {};
};

void add_item_prior(Command& command, RunFlags& flags);
/// Registers --ties to --calibration.
void add_run_options(Command& command, RunFlags& flags);

/// Registers --price, whose values are of this type, and --stop.
void add_price_options(Command& command, RunFlags& flags, const char* type, const char* meaning);

inline constexpr const char* kStopNote =
    "Stop rules: `accuracy:X` ends a run when the expected accuracy is at least X; `settled:X` "
    "buys no more labels for items whose answer is right with probability X; `worth:W` ends a run "
    "when no label is worth its price, a right answer being worth W.";

/// Reads --format, and checks that figure and calibration can be written: not to a file that the
/// command reads, and not both to one file.
Result<Format> read_output(const RunFlags& flags, const std::vector<std::string>& reads = {});

/// Beliefs about items by --prior, or by `method` about those with features.
Result<sim::AlikeWorkers> read_alike(const RunFlags& flags, const ItemKind& items,
                                     math::LogisticMethod method = math::LogisticMethod::laplace);
using Workers = decltype(sim::Experiment::workers);
/// Everything but budgets and the world.
Result<sim::Experiment> read_experiment(const RunFlags& flags, Workers workers,
                                        const Plugins& plugins = {});

/// Prices of labels: one per worker, or a single one for all; empty if labels have none.
using Prices = std::vector<Money>;

/// Reads budgets: labels without prices, else money. `label_count` is the number of all labels and
/// `all` their price; none where labels are unlimited.
Result<std::vector<io::Budget>> read_budgets(const std::string& text, std::uint32_t item_count,
                                             const Prices& prices,
                                             std::optional<std::uint64_t> label_count = {},
                                             std::optional<Money> all = {});

/// One price for all labels; none if not given.
Result<Prices> read_one_price(const RunFlags& flags);

/// Reads --stop; `yes_no` for binary items without features.
Result<policy::StopRules> read_stop(const RunFlags& flags, bool yes_no);

/// Runs the experiment with the budgets of the comparison and adds rows and bounds to it. The
/// flags complete the heading.
Result<Comparison> compare(const RunFlags& flags, sim::Experiment experiment, Comparison comparison,
                           Progress& progress);

}  // namespace allot::cli
