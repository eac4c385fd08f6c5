// The commands of the program, each made next to its code.
#pragma once

#include "cli/command.hpp"

namespace allot::cli {

Command aggregate_command();
Command simulate_command();
Command replay_command();
Command plan_command();
Command exact_command();
Command policies_command();
Command reproduce_command();
Command campaign_command();
Command serve_command();
Command demo_command();

}  // namespace allot::cli
