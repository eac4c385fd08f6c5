#include "cli/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "allot/figure/line_chart.hpp"

namespace allot::cli {
namespace {

constexpr const char* kPlanTitle = "Expected share of right answers";
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Amount of money without trailing zeros, with at most six decimals.
std::string amount_text(double amount) {
  std::string text = fmt::format("{:.6f}", amount);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// "50000 (5x)", or an amount of money.
std::string budget_text(const Plan& plan, double budget) {
  if (!plan.in_labels) return amount_text(budget);
  return fmt::format("{:.0f} ({:.4g}x)", budget, budget / plan.items);
}

/// Cost of the budget; NaN where labels have no price.
double cost(const Plan& plan, const PlanRow& row) {
  if (!plan.in_labels) return row.budget;
  return plan.price ? row.budget * *plan.price : kNothing;
}

/// Rows grouped by budget or target.
std::vector<std::vector<PlanRow>> by_budget(const Plan& plan, bool targets) {
  std::vector<std::vector<PlanRow>> groups;
  bool open = false;
  for (const PlanRow& row : plan.rows) {
    if (row.target.has_value() != targets) continue;
    if (!open) groups.emplace_back();
    groups.back().push_back(row);
    open = row.policy != "bound";
  }
  return groups;
}

std::string column(const std::string& policy, const char* bound) {
  return policy == "bound" ? bound : policy;
}

/// Whether rows say what one more label or unit of money adds.
bool has_unit_values(const Plan& plan) {
  return std::ranges::any_of(plan.rows, [](const PlanRow& row) {
    return row.policy == "bound" && !row.target && !std::isnan(row.unit_value);
  });
}

std::string budget_table(const Plan& plan) {
  const auto groups = by_budget(plan, false);
  if (groups.empty()) return "";
  const bool money = plan.in_labels && plan.price;
  std::vector<std::string> header{plan.in_labels ? "labels (per item)" : "budget"};
  if (money) header.emplace_back("cost");
  for (const PlanRow& row : groups.front()) header.push_back(column(row.policy, "upper bound"));
  const bool adds = has_unit_values(plan);
  if (adds) header.emplace_back(plan.in_labels ? "a label adds" : "1 unit adds");
  if (plan.price) header.emplace_back("cost per extra right answer");
  Table table(header);
  for (const auto& group : groups) {
    const PlanRow& bound = group.back();
    std::vector<std::string> line{budget_text(plan, bound.budget)};
    if (money) line.push_back(amount_text(cost(plan, bound)));
    for (const PlanRow& row : group) {
      const std::string error = std::isnan(row.error) ? "" : fmt::format(" ±{:.4f}", row.error);
      line.push_back(fmt::format("{:.4f}{}", row.accuracy, error));
    }
    if (adds) line.push_back(fmt::format("{:.3g}", bound.unit_value));
    if (plan.price) {
      const double right = *plan.price / bound.unit_value;
      line.push_back(std::isfinite(right) ? fmt::format("{:.3g}", right) : "-");
    }
    table.add(line);
  }
  return table.text();
}

std::string target_table(const Plan& plan) {
  const auto groups = by_budget(plan, true);
  if (groups.empty()) return "";
  std::vector<std::string> header{"accuracy"};
  for (const PlanRow& row : groups.front()) header.push_back(column(row.policy, "lower bound"));
  Table table(header);
  for (const auto& group : groups) {
    std::vector<std::string> line{fmt::format("{:.6g}", *group.front().target)}, costs{""};
    for (const PlanRow& row : group) {
      const bool found = std::isfinite(row.budget);
      line.push_back(found            ? budget_text(plan, row.budget)
                     : plan.in_labels ? fmt::format("over {:.4g}x", plan.most_per_item)
                                      : "-");
      costs.push_back(found && plan.price ? "cost " + amount_text(cost(plan, row)) : "");
    }
    table.add(line);
    if (plan.in_labels && plan.price) table.add(costs);
  }
  return table.text();
}

std::string table_text(const Plan& plan) {
  std::string text = wrapped(fmt::format("{}: {}", kPlanTitle, plan.conditions)) + "\n";
  const std::string budgets = budget_table(plan), targets = target_table(plan);
  if (!budgets.empty()) {
    text += "\n" + budgets;
    if (has_unit_values(plan)) {
      text += fmt::format("\n  {}: right answers gained by one more {}, at the upper bound\n",
                          plan.in_labels ? "a label adds" : "1 unit adds",
                          plan.in_labels ? "label" : "unit of money");
    }
  }
  if (!targets.empty()) text += "\n" + targets;
  return text;
}

std::vector<Fields> fields(const Plan& plan) {
  const auto finite = [](double value) { return std::isfinite(value) ? number_text(value) : ""; };
  std::vector<Fields> result;
  for (const PlanRow& row : plan.rows) {
    result.push_back({{"policy", row.policy},
                      {"target", row.target ? number_text(*row.target) : ""},
                      {"budget", finite(row.budget)},
                      {"labels_per_item", plan.in_labels ? finite(row.budget / plan.items) : ""},
                      {"cost", finite(cost(plan, row))},
                      {"accuracy", finite(row.accuracy)},
                      {"stderr", finite(row.error)},
                      {"right_answers_from_one_more", finite(row.unit_value)}});
  }
  return result;
}

}  // namespace

std::string plan_text(const Plan& plan, Format format) {
  return report_text(format, table_text(plan), fields(plan), plan.settings);
}

std::string plan_figure(const Plan& plan) {
  const bool money = plan.price.has_value() && plan.in_labels;
  figure::LineChart chart{kPlanTitle,
                          plan.conditions,
                          !plan.in_labels ? "budget in money"
                          : money         ? "labels per item (below: total cost)"
                                          : "labels per item (below: labels in total)",
                          "accuracy",
                          {},
                          plan.in_labels ? plan.items * plan.price.value_or(1) : 0,
                          {0, 1},
                          "bound",
                          "beyond every policy"};
  for (const PlanRow& row : plan.curve) {
    if (chart.series.empty() || chart.series.back().name != row.policy)
      chart.series.push_back({row.policy, {}});
    const double x = plan.in_labels ? row.budget / plan.items : row.budget;
    chart.series.back().points.push_back({x, row.accuracy, row.error});
  }
  return figure::svg_text(chart);
}

}  // namespace allot::cli
