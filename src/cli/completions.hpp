// Completion scripts for shells, from the same options as the help text.
//
// A script walks over the words before the cursor and follows those that name a command. It then
// offers inner commands, options, the values of an option such as yes|no, or files.
#pragma once

#include <string>

#include "cli/command.hpp"

namespace allot::cli {

std::string bash_completions(const Command& program);
std::string zsh_completions(const Command& program);
std::string fish_completions(const Command& program);

}  // namespace allot::cli
