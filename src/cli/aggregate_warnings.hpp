// Reasons to doubt the answers of `allot aggregate` that the labels show without a truth.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allot/aggregate/registry.hpp"
#include "cli/aggregate_report.hpp"

namespace allot::cli {

/// One warning per method that contradicts itself or, if it fits confusion tables by EM, the
/// default method. Costs a fit by `pooled` where EM is sure of its answers.
std::vector<std::string> contradictions(const AggregateReport& report,
                                        const aggregate::MethodOptions& how);

/// Workers who agree more than independent workers would and belong to no group together, in one
/// warning; none if the search costs more than about 0.2 seconds.
std::vector<std::string> shared_error_warnings(const io::LabelFile& file,
                                               const std::vector<std::uint32_t>& groups);

}  // namespace allot::cli
