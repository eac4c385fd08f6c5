// The work of `allot plan` once its pilot is in memory.
#pragma once

#include <optional>
#include <string>

#include "cli/label_files.hpp"
#include "cli/plan_report.hpp"

namespace allot::cli {

/// Values as written.
struct PlanOptions {
  std::optional<std::string> items;
  std::optional<std::string> budget;
  std::optional<std::string> target;
  std::optional<std::string> prior;
  LabelFlags pilot;  // no file if `labels` is empty
  std::optional<std::string> price;
  std::optional<std::string> workers;
  std::string format = "table";
  std::optional<std::string> plot;
};

void add_plan_options(Command& command, PlanOptions& options);

/// Makes the plan; `pilot` has the labels that the options name. With `curve`, plan_figure can draw
/// it.
Result<Plan> make_plan(const PlanOptions& options, const std::optional<LabelFiles>& pilot,
                       bool curve);

}  // namespace allot::cli
