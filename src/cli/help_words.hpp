// The words that the help text, the manual pages and the completions share.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace allot::cli {

/// The text without the marks around literals.
std::string plain(std::string text);

/// "allot aggregate LABELS [OPTIONS]": what a call needs. `words` is how users call the command.
std::string usage(const Command& command, const std::string& words);

/// The meaning of an option and its default.
std::string meaning_with_default(const Option& option);

}  // namespace allot::cli
