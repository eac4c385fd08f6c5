#include "cli/stop_report.hpp"

#include <fmt/format.h>

namespace allot::cli {
namespace {

using policy::StopReason;

std::uint32_t runs_stopped(const sim::Row& row, StopReason reason) {
  return row.stopped[static_cast<std::size_t>(reason)];
}

/// "budget 17, accuracy 3": reasons with the numbers of their runs.
std::string reasons_text(const sim::Row& row) {
  std::string text;
  for (const StopReason reason : policy::kStopReasons) {
    if (runs_stopped(row, reason) == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", policy::name(reason),
                        runs_stopped(row, reason));
  }
  return text;
}

/// Name of a field; it outlives the field.
std::string_view field_name(StopReason reason) {
  switch (reason) {
    case StopReason::accuracy:
      return "stopped_accuracy";
    case StopReason::settled:
      return "stopped_settled";
    case StopReason::worth:
      return "stopped_worth";
    case StopReason::budget:
      return "stopped_budget";
    default:
      return "stopped_exhausted";
  }
}

}  // namespace

std::string stop_table(const std::vector<sim::Row>& rows, const std::vector<std::string>& budgets) {
  Table table({"policy", "budget", "labels", "spent", "runs stopped by"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    table.add({rows[i].policy, budgets[i % budgets.size()], fmt::format("{:.6g}", rows[i].labels),
               fmt::format("{:.6g}", rows[i].spent), reasons_text(rows[i])});
  }
  return table.text();
}

Fields stop_fields(const sim::Row& row) {
  Fields fields{{"labels", number_text(row.labels)}, {"spent", number_text(row.spent)}};
  for (const StopReason reason : policy::kStopReasons)
    fields.emplace_back(field_name(reason), fmt::format("{}", runs_stopped(row, reason)));
  return fields;
}

}  // namespace allot::cli
