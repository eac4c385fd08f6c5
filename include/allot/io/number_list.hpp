// Lists of numbers with ranges: "1,2,5", "0..1:0.25", and with a unit after every number
// "2x..20x:2x".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace allot::io {

/// All numbers of the list; nothing if it is malformed, falls, or has more than a million members.
/// Every number must end in `unit` (which may be empty). `step` is the default step of a range;
/// without it a range must name its step.
std::optional<std::vector<double>> parse_number_list(std::string_view text, std::string_view unit,
                                                     std::optional<double> step);

}  // namespace allot::io
