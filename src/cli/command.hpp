// A command of the program as data: its options, where their values go, and the function to run.
//
// Each command is made by a function next to its code (cli/commands.hpp lists them). The parser
// (cli/command_line.hpp), the help text and the tables of docs/reference/cli (cli/help.cpp) all
// read the same Command, so a default or a meaning is written once. Texts mark literals with
// backticks, which the help text leaves out.
#pragma once

#include <functional>
#include <memory>
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
  std::string type;     // "N"; empty for flags; of a positional argument: "a|b", or empty
  std::string meaning;  // one line, without a full stop
  Target target;
  std::string default_text = {};  // the default, as shown; empty if there is none
  bool required = false;

  bool is_positional() const { return !name.starts_with("--"); }
  /// "--items N".
  std::string usage() const { return type.empty() || is_positional() ? name : name + " " + type; }
};

struct Command {
  using Texts = std::vector<std::string>;

  std::string name;
  std::string summary;                       // one line, without a full stop
  std::function<Result<Output>()> run = {};  // empty for a group of commands
  /// Paragraphs and examples below the options.
  Texts notes = {}, examples = {};
  std::vector<Option> options = {};
  std::vector<Command> commands = {};

  /// Adds an option; its default is `default_text`, else the value of `target` at this time.
  void add(std::string option, Target target, std::string type, std::string meaning,
           std::string default_text = {});
  /// Adds an option without a value, or a positional argument.
  void add(std::string option, Target target, std::string meaning);
  /// Adds an option, or a positional argument, that must be given.
  void require(std::string option, Target target, std::string type, std::string meaning);
  void require(std::string argument, Target target, std::string meaning);

  /// The inner command of that name. An error calls this command by `words`.
  Result<const Command*> find(const std::string& inner, const std::string& words) const;
};

/// Makes a command whose values are kept in Flags; `add` registers its options.
template <typename Flags>
Command make_command(std::string name, std::string summary, Result<Output> (*run)(const Flags&),
                     void (*add)(Command&, Flags&), Command::Texts notes = {},
                     Command::Texts examples = {}) {
  const auto flags = std::make_shared<Flags>();
  Command command{std::move(name), std::move(summary), [flags, run] { return run(*flags); },
                  std::move(notes), std::move(examples)};
  add(command, *flags);
  return command;
}

}  // namespace allot::cli
