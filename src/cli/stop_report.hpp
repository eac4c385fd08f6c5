// How runs stopped: labels bought, money spent, and the reasons.
#pragma once

#include <string>
#include <vector>

#include "allot/sim/row.hpp"
#include "cli/formats.hpp"

namespace allot::cli {

/// One line per row; `budgets` are the texts of a policy's budgets.
std::string stop_table(const std::vector<sim::Row>& rows, const std::vector<std::string>& budgets);

/// Fields labels, spent, and the number of runs per reason: stopped_accuracy, ...
Fields stop_fields(const sim::Row& row);

}  // namespace allot::cli
