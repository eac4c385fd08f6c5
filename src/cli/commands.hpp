// The commands of the program, each made next to its code.
#pragma once

#include "cli/command.hpp"

namespace allot::cli {

Command aggregate_command();
Command audit_command();
Command simulate_command();
Command replay_command();
Command plan_command();
Command exact_command();
Command policies_command();
Command formats_command();
Command reproduce_command();
Command campaign_command();
Command bridge_command();
Command work_command();
Command serve_command();
Command backup_command();
Command restore_command();
Command check_command();
Command demo_command();
/// `allot completions SHELL` and `allot help COMMAND`; `program` must outlive the result.
Command completions_command(const Command& program);
Command help_command(const Command& program);

/// The help text of a command, at most 80 columns wide. `words` is how users call it:
/// "allot simulate".
std::string help_text(const Command& command, const std::string& words);

}  // namespace allot::cli
