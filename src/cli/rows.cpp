#include "cli/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/figure/dot_chart.hpp"
#include "allot/figure/line_chart.hpp"

namespace allot::cli {
namespace {

using sim::Row;

constexpr const char* kTitle = "Share of right answers";

std::size_t budget_count(const std::vector<Row>& rows) {
  const std::string& first = rows.front().policy;
  return static_cast<std::size_t>(std::ranges::count(rows, first, &Row::policy));
}

std::string per_item_text(double labels_per_item) {
  return fmt::format("{:.4g}x", labels_per_item);
}

/// "budget 500 labels, 10x an item"
std::string budget_text(const Row& row) {
  return fmt::format("budget {}, {} an item", count_text(row.budget, "label"),
                     per_item_text(row.labels_per_item));
}

/// Nothing if there is no number.
std::string digits(double number, std::string_view sign = "") {
  return std::isnan(number) ? "" : fmt::format("{}{:.4f}", sign, number);
}

/// A line a policy, with a bar.
std::string one_budget_table(const std::vector<Row>& rows) {
  Table table({"policy", "accuracy", "std.err.", "expected", "seconds", "from 0.5 to 1"});
  for (const Row& row : rows) {
    table.add({row.policy, digits(row.accuracy), digits(row.standard_error),
               digits(row.expected_accuracy), fmt::format("{:.6f}", row.seconds),
               bar(row.accuracy, 0.5, 24)});
  }
  return table.text() + fmt::format("\n  {}\n", budget_text(rows.front()));
}

/// Accuracies by policy and budget, whichever are fewer across.
std::string many_budgets_table(const std::vector<Row>& rows) {
  const std::size_t budgets = budget_count(rows), policies = rows.size() / budgets;
  const auto row = [&](std::size_t policy, std::size_t budget) -> const Row& {
    return rows[policy * budgets + budget];
  };
  const auto cell = [&](const Row& one) {
    return fmt::format("{:.4f} {}", one.accuracy, digits(one.standard_error, "±"));
  };
  const auto labels = [](const Row& one) {
    return fmt::format("{} ({})", one.budget, per_item_text(one.labels_per_item));
  };
  const bool policies_across = policies < budgets;
  std::vector<std::string> header{policies_across ? "labels (an item)" : "labels (an item):"};
  for (std::size_t i = 0; i < (policies_across ? policies : budgets); ++i) {
    header.push_back(policies_across ? row(i, 0).policy : labels(row(0, i)));
  }
  Table table(header);
  for (std::size_t i = 0; i < (policies_across ? budgets : policies); ++i) {
    std::vector<std::string> line{policies_across ? labels(row(0, i)) : row(i, 0).policy};
    for (std::size_t k = 0; k + 1 < header.size(); ++k)
      line.push_back(cell(policies_across ? row(k, i) : row(i, k)));
    table.add(line);
  }
  return table.text();
}

std::string table_text(const Comparison& comparison) {
  return fmt::format("{}\n\n{}", wrapped(fmt::format("{}: {}", kTitle, comparison.conditions)),
                     budget_count(comparison.rows) == 1 ? one_budget_table(comparison.rows)
                                                        : many_budgets_table(comparison.rows));
}

std::vector<Fields> fields(const std::vector<Row>& rows) {
  std::vector<Fields> result;
  for (const Row& row : rows) {
    result.push_back({{"policy", row.policy},
                      {"budget", fmt::format("{}", row.budget)},
                      {"labels_per_item", number_text(row.labels_per_item)},
                      {"accuracy", number_text(row.accuracy)},
                      {"stderr", number_text(row.standard_error)},
                      {"expected_accuracy", number_text(row.expected_accuracy)},
                      {"seconds", number_text(row.seconds)},
                      {"worst", number_text(row.worst)}});
  }
  return result;
}

std::string json_text(const Comparison& comparison) {
  Fields object = comparison.settings;
  object.emplace_back("rows", json_rows(fields(comparison.rows)));
  return json_object(object) + "\n";
}

/// What the bands or bars mean, if there are any.
std::string error_legend(const std::vector<Row>& rows, std::string_view shape) {
  const bool known =
      std::ranges::any_of(rows, [](const Row& row) { return !std::isnan(row.standard_error); });
  return known ? fmt::format("; {}:\u00a0±\u00a0one\u00a0standard\u00a0error", shape) : "";
}

figure::DotChart dot_chart(const Comparison& comparison) {
  figure::DotChart chart{
      kTitle,
      fmt::format("{}, {}{}", comparison.conditions, budget_text(comparison.rows.front()),
                  error_legend(comparison.rows, "bars")),
      "accuracy",
      {},
      {0, 1}};
  for (const Row& row : comparison.rows)
    chart.dots.push_back({row.policy, row.accuracy, row.standard_error});
  return chart;
}

figure::LineChart line_chart(const Comparison& comparison) {
  const std::vector<Row>& rows = comparison.rows;
  figure::LineChart chart{kTitle,
                          comparison.conditions + error_legend(rows, "bands"),
                          "labels an item (below: labels in all)",
                          "accuracy",
                          {},
                          static_cast<double>(rows.front().budget) / rows.front().labels_per_item,
                          {0, 1}};
  for (const Row& row : rows) {
    if (chart.series.empty() || chart.series.back().name != row.policy)
      chart.series.push_back({row.policy, {}});
    chart.series.back().points.push_back({row.labels_per_item, row.accuracy, row.standard_error});
  }
  return chart;
}

}  // namespace

std::string rows_text(const Comparison& comparison, Format format) {
  switch (format) {
    case Format::csv:
      return csv_text(fields(comparison.rows));
    case Format::json:
      return json_text(comparison);
    default:
      return table_text(comparison);
  }
}

Output rows_output(const Comparison& comparison, Format format,
                   const std::optional<std::string>& plot) {
  Output output{rows_text(comparison, format), {}};
  if (plot) output.files.push_back({*plot, rows_figure(comparison)});
  return output;
}

std::string rows_figure(const Comparison& comparison) {
  return budget_count(comparison.rows) == 1 ? figure::svg_text(dot_chart(comparison))
                                            : figure::svg_text(line_chart(comparison));
}

}  // namespace allot::cli
