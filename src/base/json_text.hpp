// Texts as JSON strings.
#pragma once

#include <string>
#include <string_view>

namespace allot {

/// The text in quotes, escaped.
std::string json_string(std::string_view text);
/// Appends the text in quotes, escaped.
void add_json_string(std::string_view text, std::string& to);

}  // namespace allot
