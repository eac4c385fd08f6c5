// UTF-8 as outside bytes may or may not be.
#pragma once

#include <cstddef>
#include <string_view>

namespace allot {

/// Bytes of the character at that place; 0 if there is none in UTF-8: shortest forms, no
/// surrogates, nothing beyond U+10FFFF.
std::size_t utf8_length(std::string_view text, std::size_t at);

bool is_utf8(std::string_view text);

}  // namespace allot
