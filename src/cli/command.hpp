// A command of the program as data: its options, where their values go, and the function to run.
//
// Each command is made by a function next to its code (cli/commands.hpp lists them). The parser
// (cli/command_line.hpp), the help text and the tables of docs/reference/cli (cli/help.hpp) all
// read the same Command, so a default or a meaning is written once. Texts mark literals with
// backticks, which the help text leaves out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::cli {

/// A file to write.
struct File {
  std::string path, text;
};

/// Result of a command: text for standard output, files, and warnings for standard error.
struct Output {
  std::string text;
  std::vector<File> files = {};
  std::vector<std::string> notes = {};
  /// The exit status if everything could be printed and written.
  int status = 0;
};

/// Where the parser stores what the user wrote. A vector takes an option given several times, or
/// several positional arguments; a bool is a flag without a value.
using Target =
    std::variant<std::string*, std::optional<std::string>*, std::vector<std::string>*, bool*>;

struct Option {
  std::string name;     // "--items"; without dashes it is positional
  std::string type;     // "N"; empty for flags and positional arguments
  std::string meaning;  // one line, without a full stop
  Target target;
  std::string default_text = {};  // the default, as shown; empty if there is none
  bool required = false;

  bool is_positional() const { return !name.starts_with("--"); }
  bool is_flag() const { return std::holds_alternative<bool*>(target); }
  /// "--items N".
  std::string usage() const { return type.empty() ? name : name + " " + type; }

  Option& require();
  /// Describes a default that the value itself does not show.
  Option& by_default(std::string text);
};

struct Command {
  using Run = std::function<Result<Output>()>;

  std::string name;
  std::string summary;  // one line, without a full stop
  Run run = {};         // empty for a group of commands
  std::vector<Option> options = {};
  /// Paragraphs and examples below the options.
  std::vector<std::string> notes = {}, examples = {};
  std::vector<Command> commands = {};

  /// Adds an option whose default is the value of `target` at this time.
  Option& add(std::string option, Target target, std::string type, std::string meaning);
  /// Adds an option without a value, or a positional argument.
  Option& add(std::string option, Target target, std::string meaning);

  const Command* find(const std::string& inner) const;
};

}  // namespace allot::cli
