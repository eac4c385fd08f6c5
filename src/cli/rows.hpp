// Rows of a comparison of policies: as a table, CSV, JSON or a figure, the same for every command.
#pragma once

#include <string>
#include <vector>

#include "allot/base/progress.hpp"
#include "allot/io/budget_text.hpp"
#include "allot/sim/bounds.hpp"
#include "allot/sim/row.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress_bar.hpp"

namespace allot::cli {

/// Budgets as they were written: a share of all labels is shown as one.
struct Budgets {
  /// In the order of the rows of a policy.
  std::vector<io::Budget> written = {};
  /// Of which shares are; 0 if there are none.
  std::uint64_t all_labels = 0;
};

struct Comparison {
  /// What was compared, for the heading: "50 items, truth uniform, mean of 20 runs (seed 1)".
  std::string conditions;
  /// The same for JSON: names, and values that are JSON already.
  Fields settings;
  /// Policy by policy, each with the same budgets in the same order; at least one row.
  std::vector<sim::Row> rows = {};
  Budgets budgets = {};
  /// What no policy can exceed in expectation, budget by budget; empty if nothing is known.
  sim::Bounds bounds = {};
  /// "if the prior is right"; empty if it always holds.
  std::string bound_condition = {};
  /// Where the calibration of the answers goes (cli/calibration.hpp), and how many runs are about
  /// the same items.
  std::vector<std::string> calibration = {};
  std::uint32_t runs_alike = 1;
  /// Whether to say how many labels runs bought, what they cost and why they ended.
  bool ends = false;
};

std::string rows_text(const Comparison& comparison, Format format);

/// The text, and the figure if a path for it is given; the calibration where it is to go.
Output rows_output(const Comparison& comparison, Format format,
                   const std::optional<std::string>& plot);

/// Accuracy against budget, in labels an item or, if all budgets are shares, in percent, as SVG: a
/// line a policy with a band of one standard error; a single budget gets a marker and a bar a
/// policy. The bound is a thin line.
std::string rows_figure(const Comparison& comparison);

/// Runs the experiment and shows its rows, with a progress bar that says what is being done.
template <typename Experiment>
Result<Output> compare(const char* doing, const Experiment& experiment, Comparison comparison,
                       Format format, const std::optional<std::string>& plot) {
  Progress progress;
  const ProgressBar bar(doing, progress);
  return sim::run(experiment, &progress).map([&](std::vector<sim::Row> rows) {
    comparison.rows = std::move(rows);
    comparison.bounds = sim::bounds(experiment);
    return rows_output(comparison, format, plot);
  });
}

}  // namespace allot::cli
