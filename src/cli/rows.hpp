// Rows of a comparison of policies: as a table, CSV, JSON or a figure, the same for every command.
#pragma once

#include <string>
#include <vector>

#include "allot/sim/experiment.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace allot::cli {

struct Comparison {
  /// What was compared, for the heading: "50 items, truth uniform, mean of 20 runs (seed 1)".
  std::string conditions;
  /// The same for JSON: names, and values that are JSON already.
  Fields settings;
  /// Policy by policy, each with the same budgets in the same order; at least one row.
  std::vector<sim::Row> rows;
};

std::string rows_text(const Comparison& comparison, Format format);

/// The text, and the figure if a path for it is given.
Output rows_output(const Comparison& comparison, Format format,
                   const std::optional<std::string>& plot);

/// Accuracy against budget as SVG, a line a policy with a band of one standard error; a single
/// budget gets a marker and a bar a policy.
std::string rows_figure(const Comparison& comparison);

}  // namespace allot::cli
