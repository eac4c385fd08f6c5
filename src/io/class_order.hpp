// The order in which classes are numbered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace allot::io {

/// Positions of the texts in their order: by value if all are numbers, else alphabetically with
/// capitals ignored. So of 0 and 1, -1 and 1, no and yes, false and true, negative and positive,
/// however written, the negative class comes first.
std::vector<std::uint32_t> class_order(const std::vector<std::string>& texts);

}  // namespace allot::io
