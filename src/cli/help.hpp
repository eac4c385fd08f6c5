// Help texts and documentation tables of commands.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace allot::cli {

/// The help text of a command, at most 80 columns wide. `words` is how users call it:
/// "allot simulate".
std::string help_text(const Command& command, const std::string& words);

/// The options of a command, or the commands of a group, as a Markdown table.
std::string markdown_table(const Command& command);

/// `allot help COMMAND`; `program` must outlive the result.
Command help_command(const Command& program);

}  // namespace allot::cli
