// The words of a command line, read into the options of a command.
#pragma once

#include <string>
#include <variant>

#include "cli/command.hpp"

namespace allot::cli {

/// The command that the user gave, and how it was called: "allot campaign create".
struct CommandCall {
  const Command* command;
  std::string words;
};

/// The user asked for help about the command.
struct HelpRequest : CommandCall {};

/// The user asked for the version of the program.
struct VersionRequest {};

/// The words make no sense; `message` says why and what was expected.
struct UsageError {
  std::string words;
  std::string message;
};

using CommandLine = std::variant<CommandCall, HelpRequest, VersionRequest, UsageError>;

/// Stores the values that the user gave where the options say.
CommandLine parse_command_line(const Command& program, int count, const char* const* words);

}  // namespace allot::cli
