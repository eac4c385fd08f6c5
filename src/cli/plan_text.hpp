// What `allot plan` prints and draws.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/output.hpp"

namespace allot::cli {

/// What one policy, or the best possible, makes of one budget.
struct PlanRow {
  /// "bound" is what no policy exceeds.
  std::string policy;
  /// The accuracy asked for; none if the budget was given.
  std::optional<double> target;
  /// Labels, or money where workers have prices; infinite if the target is out of reach.
  double budget;
  double accuracy;
  /// Right answers to be expected from one more unit of the budget; NaN if unknown.
  double unit_value;
  /// Standard error of the accuracy; NaN where nothing was simulated.
  double error = std::numeric_limits<double>::quiet_NaN();
};

struct Plan {
  /// What was planned, for the heading: "10000 items, prior uniform".
  std::string conditions;
  /// The same for JSON: names, and values that are JSON already.
  Fields settings;
  double items;
  /// Of a label; none if nothing was said of it.
  std::optional<double> price;
  /// Budgets are labels, else money.
  bool in_labels = true;
  /// No budget was looked at beyond it, an item.
  double most_per_item;
  /// Budget by budget, or target by target: the policies, then the bound.
  std::vector<PlanRow> rows = {};
  /// Budgets and accuracies to be drawn, policy by policy.
  std::vector<PlanRow> curve = {};
};

std::string plan_text(const Plan& plan, Format format);
/// Accuracy against budget as SVG; what no policy reaches is shaded.
std::string plan_figure(const Plan& plan);

}  // namespace allot::cli
