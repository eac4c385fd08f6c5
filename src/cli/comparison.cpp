#include "cli/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "allot/figure/dot_chart.hpp"
#include "allot/figure/line_chart.hpp"
#include "cli/calibration.hpp"

namespace allot::cli {
namespace {

using policy::StopReason;
using sim::Row;

/// Title of tables and figures.
const char* title(const Comparison& comparison) {
  return comparison.measure_note.empty() ? "Share of right answers" : "Agreement with all labels";
}
/// Name of the bound beside the policies.
constexpr const char* kBound = "bound";
constexpr double kNoBound = std::numeric_limits<double>::quiet_NaN();

std::size_t budget_count(const std::vector<Row>& rows) {
  const std::string& first = rows.front().policy;
  return static_cast<std::size_t>(std::ranges::count(rows, first, &Row::policy));
}

std::string per_item_text(double labels_per_item) {
  return fmt::format("{:.4g}x", labels_per_item);
}

bool is_share(const io::Budget& budget) { return budget.percent.has_value(); }

bool all_shares(const Budgets& budgets) {
  return !budgets.written.empty() && std::ranges::all_of(budgets.written, is_share);
}

/// "40%" if the budget was written as a share.
std::optional<std::string> share_text(const Budgets& budgets, std::size_t n) {
  if (n >= budgets.written.size() || !is_share(budgets.written[n])) return {};
  return fmt::format("{:.4g}%", *budgets.written[n].percent);
}

bool in_money(const Budgets& budgets) {
  return !budgets.written.empty() && budgets.written.front().money.has_value();
}

/// "12.5" or "12.5 (40%)": the n-th budget, which is money.
std::string money_budget_text(const Budgets& budgets, std::size_t n) {
  const auto share = share_text(budgets, n);
  return money_text(*budgets.written[n].money) + (share ? fmt::format(" ({})", *share) : "");
}

/// "budget 500 labels, 40% of all, 10x per item"
std::string budget_text(const Comparison& comparison) {
  const Row& row = comparison.rows.front();
  const auto share = share_text(comparison.budgets, 0);
  if (in_money(comparison.budgets)) return "budget " + money_budget_text(comparison.budgets, 0);
  return fmt::format("budget {}, {}{} per item", count_text(row.budget, "label"),
                     share ? *share + " of all, " : "", per_item_text(row.labels_per_item));
}

/// Heading of the column of budgets.
std::string labels_heading(const Budgets& budgets) {
  if (in_money(budgets)) return all_shares(budgets) ? "budget (of all)" : "budget";
  if (all_shares(budgets)) return "labels (of all)";
  return std::ranges::any_of(budgets.written, is_share) ? "labels" : "labels (per item)";
}

/// Four digits after a sign; empty for NaN.
std::string digits(double number, std::string_view sign = "") {
  return std::isnan(number) ? "" : fmt::format("{}{:.4f}", sign, number);
}

/// Bound of a budget; NaN if there is none.
double bound(const Comparison& comparison, std::size_t budget) {
  const bool known = budget < comparison.bounds.size() && comparison.bounds[budget];
  return known ? *comparison.bounds[budget] : kNoBound;
}

/// All budgets have bounds, or none has.
bool has_bounds(const Comparison& comparison) { return !std::isnan(bound(comparison, 0)); }

/// Lines under a table that explain the measure and the bound.
std::string notes_below(const Comparison& comparison) {
  std::string text;
  if (!comparison.measure_note.empty()) text = "  " + comparison.measure_note + "\n";
  if (!has_bounds(comparison)) return text;
  const std::string& condition = comparison.bound_condition;
  return text + fmt::format("  {}: accuracy that no policy exceeds in expectation{}{}\n", kBound,
                            condition.empty() ? "" : " ", condition);
}

/// Says where the answers of a policy expect far more of themselves than is right. Empty if they do
/// so nowhere, or nobody knows what is right.
std::string overstated_note(const Comparison& comparison) {
  const auto excess = [](const Row& row) {
    return std::isnan(row.expected_accuracy) ? 0 : row.expected_accuracy - row.accuracy;
  };
  const Row& worst = *std::ranges::max_element(comparison.rows, {}, excess);
  if (!comparison.measure_note.empty() || !is_overstated(worst.expected_accuracy, worst.accuracy))
    return "";
  return fmt::format("  {}\n", overstated_text(fmt::format("{} with {}", worst.policy,
                                                           count_text(worst.budget, "label")),
                                               worst.expected_accuracy, worst.accuracy));
}

/// One line per policy, with a bar.
std::string one_budget_table(const Comparison& comparison) {
  const bool low =
      std::ranges::any_of(comparison.rows, [](const Row& row) { return row.accuracy < 0.5; });
  std::vector<std::string> header{"policy", std::string(comparison.measure), "std.err.", "worst",
                                  "expected"};
  if (has_bounds(comparison)) header.push_back(kBound);
  header.insert(header.end(), {"seconds", low ? "from 0 to 1" : "from 0.5 to 1"});
  Table table(header);
  for (const Row& row : comparison.rows) {
    std::vector<std::string> line{row.policy, digits(row.accuracy), digits(row.standard_error),
                                  digits(row.worst), digits(row.expected_accuracy)};
    if (has_bounds(comparison)) line.push_back(digits(bound(comparison, 0)));
    line.insert(line.end(),
                {fmt::format("{:.6f}", row.seconds), bar(row.accuracy, low ? 0 : 0.5, 24)});
    table.add(line);
  }
  return table.text() + fmt::format("\n  {}\n", budget_text(comparison)) +
         overstated_note(comparison) + notes_below(comparison);
}

/// "0.8318 ±0.0035 ≥0.7400": mean, standard error and worst run; a single run has only the mean.
std::string accuracy_cell(const Row& row) {
  if (std::isnan(row.standard_error)) return digits(row.accuracy);
  return fmt::format("{} {} {}", digits(row.accuracy), digits(row.standard_error, "±"),
                     digits(row.worst, "≥"));
}

/// Bound, aligned with the means of the other lines.
std::string bound_cell(const Comparison& comparison, std::size_t budget) {
  const std::size_t error_and_worst = std::string_view(" 0.0000 0.0000").size() + 2;
  const bool one_run = std::isnan(comparison.rows.front().standard_error);
  return digits(bound(comparison, budget)) + std::string(one_run ? 0 : error_and_worst, ' ');
}

/// Accuracies by policy and budget, the shorter list across; the bound is beside the policies.
std::string many_budgets_table(const Comparison& comparison) {
  const std::vector<Row>& rows = comparison.rows;
  const std::size_t budgets = budget_count(rows), policies = rows.size() / budgets;
  const auto row = [&](std::size_t policy, std::size_t budget) -> const Row& {
    return rows[policy * budgets + budget];
  };
  const auto labels = [&](std::size_t budget) {
    const Row& first = row(0, budget);
    if (in_money(comparison.budgets)) return money_budget_text(comparison.budgets, budget);
    return fmt::format(
        "{} ({})", first.budget,
        share_text(comparison.budgets, budget).value_or(per_item_text(first.labels_per_item)));
  };
  const bool policies_across = policies < budgets;
  std::vector<std::string> header{labels_heading(comparison.budgets) +
                                  (policies_across ? "" : ":")};
  for (std::size_t i = 0; i < (policies_across ? policies : budgets); ++i)
    header.push_back(policies_across ? row(i, 0).policy : labels(i));
  const std::size_t cells = header.size() - 1;
  if (policies_across && has_bounds(comparison)) header.push_back(kBound);
  Table table(header);
  for (std::size_t i = 0; i < (policies_across ? budgets : policies); ++i) {
    std::vector<std::string> line{policies_across ? labels(i) : row(i, 0).policy};
    for (std::size_t k = 0; k < cells; ++k)
      line.push_back(accuracy_cell(policies_across ? row(k, i) : row(i, k)));
    if (policies_across && has_bounds(comparison)) line.push_back(digits(bound(comparison, i)));
    table.add(line);
  }
  if (!policies_across && has_bounds(comparison)) {
    std::vector<std::string> line{kBound};
    for (std::size_t k = 0; k < cells; ++k) line.push_back(bound_cell(comparison, k));
    table.add(line);
  }
  std::string notes;
  if (!std::isnan(rows.front().standard_error))
    notes += "  mean over runs ± its standard error ≥ worst run\n";
  notes += overstated_note(comparison) + notes_below(comparison);
  return table.text() + (notes.empty() ? "" : "\n") + notes;
}

/// The n-th budget of a policy, of this row: an amount of money or a number of labels.
std::string amount_text(const Comparison& comparison, const Row& row, std::size_t n) {
  return in_money(comparison.budgets) ? money_text(*comparison.budgets.written[n].money)
                                      : fmt::format("{}", row.budget);
}

std::uint32_t runs_stopped(const Row& row, StopReason reason) {
  return row.stopped[static_cast<std::size_t>(reason)];
}

/// "budget 17, accuracy 3": reasons with the numbers of their runs.
std::string reasons_text(const Row& row) {
  std::string text;
  for (const StopReason reason : policy::kStopReasons) {
    if (runs_stopped(row, reason) == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", policy::name(reason),
                        runs_stopped(row, reason));
  }
  return text;
}

/// Table of how runs stopped, if it is shown.
std::string stops_text(const Comparison& comparison) {
  if (!comparison.shows_stops) return "";
  const std::size_t budgets = budget_count(comparison.rows);
  Table table({"policy", "budget", "labels", "spent", "runs stopped by"});
  for (std::size_t n = 0; n < comparison.rows.size(); ++n) {
    const Row& row = comparison.rows[n];
    table.add({row.policy, amount_text(comparison, row, n % budgets),
               fmt::format("{:.6g}", row.labels), fmt::format("{:.6g}", row.spent),
               reasons_text(row)});
  }
  return "\n" + table.text();
}

/// Labels, money and the runs that each reason stopped. The names are those of kStopReasons.
Fields stop_fields(const Row& row) {
  static constexpr std::array<std::string_view, policy::kStopReasons.size()> kNames{
      "stopped_accuracy", "stopped_settled", "stopped_worth", "stopped_budget",
      "stopped_exhausted"};
  Fields fields{{"labels", number_text(row.labels)}, {"spent", number_text(row.spent)}};
  for (const StopReason reason : policy::kStopReasons) {
    fields.emplace_back(kNames[static_cast<std::size_t>(reason)],
                        fmt::format("{}", runs_stopped(row, reason)));
  }
  return fields;
}

bool prints_calibration(const Comparison& comparison) {
  return std::ranges::find(comparison.calibration, "-") != comparison.calibration.end();
}

std::string table_text(const Comparison& comparison) {
  return fmt::format("{}\n\n{}{}",
                     wrapped(fmt::format("{}: {}", title(comparison), comparison.conditions)),
                     budget_count(comparison.rows) == 1 ? one_budget_table(comparison)
                                                        : many_budgets_table(comparison),
                     stops_text(comparison));
}

/// Fields of one row, whose budget is the n-th of its policy.
Fields row_fields(const Comparison& comparison, const Row& row, std::size_t n) {
  Fields fields{{"policy", row.policy},
                {"budget", amount_text(comparison, row, n)},
                {"labels_per_item", number_text(row.labels_per_item)},
                {comparison.measure, number_text(row.accuracy)},
                {"stderr", number_text(row.standard_error)},
                {"expected_accuracy", number_text(row.expected_accuracy)},
                {"seconds", number_text(row.seconds)},
                {"worst", number_text(row.worst)},
                {"bound", number_text(bound(comparison, n))}};
  if (comparison.shows_stops) append(fields, stop_fields(row));
  if (prints_calibration(comparison))
    append(fields, CalibrationReport::json(row, comparison.runs_alike));
  return fields;
}

std::vector<Fields> fields(const Comparison& comparison) {
  std::vector<Fields> result;
  const std::size_t budgets = budget_count(comparison.rows);
  for (std::size_t i = 0; i < comparison.rows.size(); ++i)
    result.push_back(row_fields(comparison, comparison.rows[i], i % budgets));
  return result;
}

/// Legend of the bands or bars, if there are any.
std::string error_legend(const std::vector<Row>& rows, std::string_view shape) {
  const bool known =
      std::ranges::any_of(rows, [](const Row& row) { return !std::isnan(row.standard_error); });
  return known ? fmt::format("; {}:\u00a0±\u00a0one\u00a0standard\u00a0error", shape) : "";
}

figure::DotChart dot_chart(const Comparison& comparison) {
  figure::DotChart chart{title(comparison),
                         fmt::format("{}, {}{}", comparison.conditions, budget_text(comparison),
                                     error_legend(comparison.rows, "bars")),
                         std::string(comparison.measure),
                         {},
                         {0, 1}};
  for (const Row& row : comparison.rows)
    chart.dots.push_back({row.policy, row.accuracy, row.standard_error});
  if (has_bounds(comparison))
    chart.dots.push_back({kBound, bound(comparison, 0), kNoBound, figure::Dot::Mark::line});
  return chart;
}

figure::LineChart line_chart(const Comparison& comparison) {
  const std::vector<Row>& rows = comparison.rows;
  const Budgets& budgets = comparison.budgets;
  const bool shares = all_shares(budgets);
  const double unit = shares
                          ? static_cast<double>(budgets.all_labels) / 100
                          : static_cast<double>(rows.front().budget) / rows.front().labels_per_item;
  figure::LineChart chart{title(comparison),
                          comparison.conditions + error_legend(rows, "bands"),
                          fmt::format("{} (below: labels in total)",
                                      shares ? "percent of all labels" : "labels per item"),
                          std::string(comparison.measure),
                          {},
                          unit,
                          {0, 1}};
  for (const Row& row : rows) {
    if (chart.series.empty() || chart.series.back().name != row.policy)
      chart.series.push_back({row.policy, {}});
    auto& points = chart.series.back().points;
    const double x = shares ? *budgets.written[points.size()].percent : row.labels_per_item;
    points.push_back({x, row.accuracy, row.standard_error});
  }
  if (in_money(budgets)) {
    chart.x_title = "budget";
    chart.x_unit = 0;
    for (auto& series : chart.series) {
      for (std::size_t n = 0; n < series.points.size(); ++n)
        series.points[n].x = budgets.written[n].money->value();
    }
  }
  if (has_bounds(comparison)) {
    figure::Series limit{kBound, {}, figure::Series::Weight::thin};
    for (const figure::Point& point : chart.series.front().points)
      limit.points.push_back({point.x, bound(comparison, limit.points.size())});
    chart.series.push_back(std::move(limit));
  }
  return chart;
}

CalibrationReport report(const Comparison& comparison) {
  return {comparison.rows, comparison.runs_alike};
}

}  // namespace

std::string comparison_text(const Comparison& comparison, Format format) {
  std::string table = table_text(comparison);
  if (prints_calibration(comparison)) table += "\n" + report(comparison).table();
  return report_text(format, table, fields(comparison), comparison.settings);
}

Output comparison_output(const Comparison& comparison, Format format,
                         const std::optional<std::string>& plot) {
  Output output{comparison_text(comparison, format), {}, comparison.warnings};
  if (plot) output.files.push_back({*plot, comparison_figure(comparison)});
  for (const std::string& place : comparison.calibration) {
    if (place.ends_with(".csv")) output.files.push_back({place, report(comparison).csv()});
    if (place.ends_with(".svg"))
      output.files.push_back({place, report(comparison).figure(comparison.conditions)});
  }
  return output;
}

std::string comparison_figure(const Comparison& comparison) {
  return budget_count(comparison.rows) == 1 ? figure::svg_text(dot_chart(comparison))
                                            : figure::svg_text(line_chart(comparison));
}

}  // namespace allot::cli
