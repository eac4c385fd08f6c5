// How runs ended: labels bought, money spent, and why they stopped.
#pragma once

#include <string>
#include <vector>

#include "allot/sim/row.hpp"
#include "cli/output.hpp"

namespace allot::cli {

/// A line a row; `budgets` are the texts of a policy's budgets.
std::string ends_table(const std::vector<sim::Row>& rows, const std::vector<std::string>& budgets);

/// labels, spent, and the number of runs that ended for each reason: stopped_accuracy, ...
Fields end_fields(const sim::Row& row);

}  // namespace allot::cli
