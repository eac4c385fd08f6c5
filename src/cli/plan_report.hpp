// Output of `allot plan`: tables, CSV, JSON and the figure.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/formats.hpp"
#include "cli/options.hpp"

namespace allot::cli {

/// Forecast for one policy, or the bound, and one budget.
struct PlanRow {
  /// "bound" for what no policy exceeds.
  std::string policy;
  /// Target accuracy; none if the budget was given.
  std::optional<double> target;
  /// Labels, or money where workers have prices; infinite if the target is out of reach.
  double budget;
  double accuracy;
  /// Expected right answers from one more unit of the budget; NaN if unknown.
  double unit_value;
  /// Standard error of the accuracy; NaN where nothing was simulated.
  double error = std::numeric_limits<double>::quiet_NaN();
};

struct Plan {
  /// Heading: "10000 items, prior uniform".
  std::string conditions;
  /// Heading as JSON: names, and values in JSON.
  Fields settings;
  double items;
  /// Price of a label, if given.
  std::optional<double> price;
  /// Whether budgets are labels; else they are money.
  bool in_labels = true;
  /// Largest budget considered, in labels per item.
  double most_per_item;
  /// Rows by budget or target: the policies, then the bound.
  std::vector<PlanRow> rows = {};
  /// Points of the figure, policy by policy.
  std::vector<PlanRow> curve = {};
};

std::string plan_text(const Plan& plan, Format format);
/// Accuracy against budget as SVG; what no policy reaches is shaded.
std::string plan_figure(const Plan& plan);

}  // namespace allot::cli
