// The order in which classes are numbered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace allot::io {

/// Positions of the texts in class order: by value if all are numbers, else alphabetically,
/// ignoring case. So in 0 and 1, -1 and 1, no and yes, false and true, negative and positive, in
/// any case, the negative class comes first.
std::vector<std::uint32_t> class_order(const std::vector<std::string>& texts);

/// The value of a class that is a number, with an optional plus sign; nothing if it is a word.
std::optional<double> class_value(std::string_view text);

/// The text with ASCII capitals turned into small letters.
std::string in_small_letters(std::string text);

}  // namespace allot::io
