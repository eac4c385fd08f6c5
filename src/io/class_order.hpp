// The order in which classes are numbered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace allot::io {

/// Positions of the texts in their order: by value if all are numbers, else alphabetically with
/// capitals ignored. So of 0 and 1, -1 and 1, no and yes, false and true, negative and positive,
/// however written, the negative class comes first.
std::vector<std::uint32_t> class_order(const std::vector<std::string>& texts);

/// The number that a class is, which may have a plus sign; nothing if it is a word.
std::optional<double> class_value(std::string_view text);

/// With the capitals of ASCII made small.
std::string in_small_letters(std::string text);

}  // namespace allot::io
