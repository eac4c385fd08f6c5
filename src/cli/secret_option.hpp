// Secrets that come from a file or the environment, never from the command line, where other users
// of the machine could read them.
#pragma once

#include <optional>
#include <string>

#include "allot/base/result.hpp"

namespace allot::cli {

/// The secret in the file, if an option names one, else in the variable. Refuses if there is
/// neither, and a text with blanks or control characters inside. No error shows the secret.
Result<std::string> read_secret(const std::string& option, const std::optional<std::string>& file,
                                const std::string& variable);

}  // namespace allot::cli
