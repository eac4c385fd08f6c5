// Keeps a secret out of texts that others send back.
#pragma once

#include <string>

namespace allot::bridge {

/// Replaces the secret, unless it is empty, wherever the text has it: as it is, or with JSON's
/// escapes.
void strike_out(const std::string& secret, std::string& text);

}  // namespace allot::bridge
