// Manual pages: one per command, in the language of man(7), from the same options as the help text.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace allot::cli {

/// A page for the program and one for each command and inner command. Paths are "DIR/allot.1",
/// "DIR/allot-campaign-create.1".
std::vector<File> manual_pages(const Command& program, const std::string& folder);

}  // namespace allot::cli
