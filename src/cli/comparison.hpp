// A comparison of policies by simulate or replay, shown as a table, CSV, JSON or a figure.
#pragma once

#include <string>
#include <vector>

#include "allot/io/budget_text.hpp"
#include "allot/sim/bounds.hpp"
#include "allot/sim/row.hpp"
#include "cli/command.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"

namespace allot::cli {

/// Budgets as written, so that a share of all labels is shown as a share.
struct Budgets {
  /// One per row of a policy, in order.
  std::vector<io::Budget> written = {};
  /// All labels, of which budgets are shares; 0 if there are no shares.
  std::uint64_t all_labels = 0;
};

struct Comparison {
  /// Heading: "50 items, truth uniform, mean of 20 runs (seed 1)".
  std::string conditions;
  /// Heading as JSON: names, and values in JSON.
  Fields settings;
  /// At least one row, policy by policy, each with the same budgets in the same order.
  std::vector<sim::Row> rows = {};
  Budgets budgets = {};
  /// Accuracy that no policy can exceed in expectation, by budget; empty if unknown.
  sim::Bounds bounds = {};
  /// Condition of the bound, "if the prior is right"; empty if it always holds.
  std::string bound_condition = {};
  /// Destinations of the calibration (cli/calibration.hpp), and how many runs are about the same
  /// items.
  std::vector<std::string> calibration = {};
  std::uint32_t runs_alike = 1;
  /// Whether to show how many labels runs bought, what they cost and why they stopped.
  bool shows_stops = false;
  /// What is measured: the accuracy, or without a truth the agreement with other answers.
  std::string_view measure = "accuracy";
  /// Line under a table that explains the measure; empty if it needs none.
  std::string measure_note = {};
  /// What to know before the accuracies are believed, one line each.
  std::vector<std::string> warnings = {};
};

std::string comparison_text(const Comparison& comparison, Format format);

/// Text, the figure if `plot` names a file, and the calibration.
Output comparison_output(const Comparison& comparison, Format format,
                         const std::optional<std::string>& plot);

/// Accuracy against budget, as SVG. The budget is in labels per item, or in percent if all budgets
/// are shares. Each policy is a line with a band of one standard error, or for a single budget a
/// marker with a bar. The bound is a thin line.
std::string comparison_figure(const Comparison& comparison);

}  // namespace allot::cli
