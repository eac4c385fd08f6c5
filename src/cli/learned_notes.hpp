// What a method of aggregation learned beside its answers, in lines for people.
#pragma once

#include <string>
#include <vector>

#include "cli/aggregate_report.hpp"

namespace allot::cli {

/// What was used beside the labels, and what would help. Empty for methods that do not learn that.
std::vector<std::string> learned_notes(const io::LabelFile& file, const MethodResult& result);

}  // namespace allot::cli
