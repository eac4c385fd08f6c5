#include "cli/completions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/help_words.hpp"

namespace allot::cli {
namespace {

/// A word that can come next, such as an inner command.
struct NextWord {
  std::string name, meaning;
};

/// A command, and how users call it: "allot campaign create".
struct CalledCommand {
  std::string words;
  const Command* command;
  std::vector<NextWord> next = {};
};

std::vector<NextWord> inner_commands(const Command& command) {
  std::vector<NextWord> words;
  for (const Command& inner : command.commands) words.push_back({inner.name, inner.summary});
  return words;
}

/// 'text' for a shell; a quote within is written as `quote`.
std::string in_shell_quotes(const std::string& text, std::string_view quote) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string(quote) : std::string(1, c);
  return result + "'";
}

std::string in_posix_quotes(const std::string& text) { return in_shell_quotes(text, "'\\''"); }
std::string in_fish_quotes(const std::string& text) { return in_shell_quotes(text, "\\'"); }

bool is_literal(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](unsigned char c) {
    return std::islower(c) != 0 || c == '-';
  });
}

/// The values at the end of a meaning, such as "Output format: `table`, `csv` or `json`"; none
/// unless the list is all there is behind the colon, and all of it is literal.
std::vector<std::string> listed_choices(std::string_view meaning) {
  const std::size_t colon = meaning.rfind(": `");
  if (colon == std::string_view::npos) return {};
  std::vector<std::string> values;
  bool is_value = false;
  for (const std::string_view part : split(meaning.substr(colon + 2), '`')) {
    if (is_value && !is_literal(part)) return {};
    if (is_value) values.emplace_back(part);
    if (!is_value && !part.empty() && part != ", " && part != " or ") return {};
    is_value = !is_value;
  }
  return values;
}

/// The values of "yes|no", or those that the meaning lists; none where users name the value
/// themselves.
std::vector<std::string> choices(const Option& option) {
  std::vector<std::string> values;
  for (const std::string_view value : split(option.type, '|')) {
    if (is_literal(value)) values.emplace_back(value);
  }
  return values.empty() ? listed_choices(option.meaning) : values;
}

/// The inner commands, or the values of an argument that has few.
std::vector<NextWord> next_words(const Command& command) {
  std::vector<NextWord> words = inner_commands(command);
  for (const Option& option : command.options) {
    if (!option.is_positional()) continue;
    for (const std::string& value : choices(option)) words.push_back({value, option.meaning});
  }
  return words;
}

void collect(const Command& command, const std::string& words, std::vector<CalledCommand>& all) {
  all.push_back({words, &command, next_words(command)});
  for (const Command& inner : command.commands) collect(inner, words + " " + inner.name, all);
}

/// The program comes first. `help` is followed by commands, as the program is.
std::vector<CalledCommand> all_commands(const Command& program) {
  std::vector<CalledCommand> all;
  collect(program, program.name, all);
  const std::string help = program.name + " help";
  for (std::size_t n = 0, count = all.size(); n < count; ++n) {
    if (all[n].words == help) all[n].next = inner_commands(program);
    if (n == 0 || all[n].command->commands.empty()) continue;
    all.push_back({help + all[n].words.substr(program.name.size()), all[n].command, all[n].next});
  }
  return all;
}

bool is_path(const Option& option) {
  return option.type.find("FILE") != std::string::npos || option.type == "DIR";
}

/// What a script offers in place of an option's value.
enum class Value { none, file, choice, other };

Value value_of(const Option& option) {
  if (option.type.empty()) return Value::none;
  if (is_path(option)) return Value::file;
  return choices(option).empty() ? Value::other : Value::choice;
}

/// The options of a command whose values are of this kind, as a pattern for `case`: --config|--log.
std::string pattern_of(const Command& command, Value kind) {
  std::vector<std::string_view> names;
  for (const Option& option : command.options) {
    if (!option.is_positional() && value_of(option) == kind) names.push_back(option.name);
  }
  return fmt::format("{}", fmt::join(names, "|"));
}

/// The inner commands that the script may follow, as a pattern for `case`.
std::string known_words(const std::vector<CalledCommand>& all) {
  std::vector<std::string> quoted;
  for (const CalledCommand& called : all) quoted.push_back(in_posix_quotes(called.words));
  quoted.erase(quoted.begin());
  return fmt::format("{}", fmt::join(quoted, "|"));
}

std::vector<std::string> next_names(const CalledCommand& called) {
  std::vector<std::string> names;
  for (const NextWord& word : called.next) names.push_back(word.name);
  return names;
}

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options) {
    if (!option.is_positional()) names.push_back(option.name);
  }
  names.push_back("--help");
  return names;
}

std::string bash_case(const CalledCommand& called) {
  const Command& command = *called.command;
  std::string text =
      fmt::format("    {})\n      options='{}' commands='{}'\n", in_posix_quotes(called.words),
                  fmt::join(option_names(command), " "), fmt::join(next_names(called), " "));
  std::string values;
  for (const Option& option : command.options) {
    if (!option.is_positional() && value_of(option) == Value::choice)
      values += fmt::format("        {}) commands='{}' options= ;;\n", option.name,
                            fmt::join(choices(option), " "));
  }
  for (const Value kind : {Value::file, Value::other}) {
    if (const std::string pattern = pattern_of(command, kind); !pattern.empty())
      values += fmt::format("        {}) commands= options= ;;\n", pattern);
  }
  if (!values.empty()) text += fmt::format("      case $before in\n{}      esac\n", values);
  return text + "      ;;\n";
}

/// An entry of zsh's _describe.
std::string zsh_entry(const std::string& name, const std::string& meaning) {
  std::string text = name + ":";
  for (const char c : plain(meaning)) text += c == ':' ? std::string("\\:") : std::string(1, c);
  return "        " + in_posix_quotes(text) + "\n";
}

std::string zsh_case(const CalledCommand& called) {
  const Command& command = *called.command;
  std::string values, options, commands;
  for (const Option& option : command.options) {
    if (option.is_positional()) continue;
    options += zsh_entry(option.name, option.meaning);
    if (value_of(option) == Value::choice)
      values += fmt::format("        ({}) compadd {}; return ;;\n", option.name,
                            fmt::join(choices(option), " "));
  }
  options += zsh_entry("--help", "Print this help");
  for (const auto& [name, meaning] : called.next) commands += zsh_entry(name, meaning);
  if (const std::string pattern = pattern_of(command, Value::file); !pattern.empty())
    values += fmt::format("        ({}) _files; return ;;\n", pattern);
  if (const std::string pattern = pattern_of(command, Value::other); !pattern.empty())
    values += fmt::format("        ({}) _message value; return ;;\n", pattern);
  std::string text = fmt::format("    ({})\n", in_posix_quotes(called.words));
  if (!values.empty()) text += fmt::format("      case $before in\n{}      esac\n", values);
  return text + fmt::format("      options=(\n{}      )\n      commands=(\n{}      )\n      ;;\n",
                            options, commands);
}

std::string fish_lines(const CalledCommand& called) {
  const Command& command = *called.command;
  const std::string start = fmt::format("complete -c allot -n '__allot_is \"{}\"'", called.words);
  std::string text;
  for (const auto& [name, meaning] : called.next)
    text += fmt::format("{} -f -a {} -d {}\n", start, name, in_fish_quotes(plain(meaning)));
  for (const Option& option : command.options) {
    if (option.is_positional()) continue;
    std::string value;
    switch (value_of(option)) {
      case Value::none:
        break;
      case Value::file:
        value = " -r -F";
        break;
      case Value::other:
        value = " -x";
        break;
      case Value::choice:
        value = fmt::format(" -x -a '{}'", fmt::join(choices(option), " "));
    }
    text += fmt::format("{} -l {}{} -d {}\n", start, option.name.substr(2), value,
                        in_fish_quotes(plain(option.meaning)));
  }
  return text;
}

struct CompletionFlags {
  std::string shell;
};

Result<Output> show_completions(const Command& program, const CompletionFlags& flags) {
  if (flags.shell == "bash") return Output{bash_completions(program)};
  if (flags.shell == "zsh") return Output{zsh_completions(program)};
  if (flags.shell == "fish") return Output{fish_completions(program)};
  return invalid("unknown shell {}; expected bash, zsh or fish", in_quotes(flags.shell));
}

}  // namespace

std::string bash_completions(const Command& program) {
  const auto all = all_commands(program);
  std::string cases;
  for (const CalledCommand& called : all) cases += bash_case(called);
  return fmt::format(R"(# Completions of allot for bash.
_allot() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command=allot options= commands= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {}) command+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case $command in
{}  esac
  # Without a match, bash completes the names of files.
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
  fi
}}
complete -o default -F _allot allot
)",
                     known_words(all), cases);
}

std::string zsh_completions(const Command& program) {
  const auto all = all_commands(program);
  std::string cases;
  for (const CalledCommand& called : all) cases += zsh_case(called);
  return fmt::format(R"(#compdef allot
# Completions of allot for zsh.
_allot() {{
  local before=${{words[CURRENT-1]}} command=allot i
  local -a options commands
  for ((i = 2; i < CURRENT; i++)); do
    case "$command ${{words[i]}}" in
      ({}) command+=" ${{words[i]}}" ;;
    esac
  done
  case $command in
{}  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
  elif (( ${{#commands}} )); then
    _describe command commands
  else
    _files
  fi
}}
if [[ ${{funcstack[1]}} == _allot ]]; then _allot "$@"; else compdef _allot allot; fi
)",
                     known_words(all), cases);
}

std::string fish_completions(const Command& program) {
  const auto all = all_commands(program);
  std::string known, lines;
  for (const CalledCommand& called : all) {
    lines += fish_lines(called);
    if (called.command != &program) known += " " + in_fish_quotes(called.words);
  }
  return fmt::format(R"(# Completions of allot for fish.
function __allot_is
  set -l command allot
  for word in (commandline -opc)[2..-1]
    if contains -- "$command $word"{}
      set command "$command $word"
    end
  end
  test "$command" = $argv[1]
end
complete -c allot -l help -d 'Print this help'
{})",
                     known, lines);
}

Command completions_command(const Command& program) {
  const auto flags = std::make_shared<CompletionFlags>();
  Command command{"completions", "Print the completions of commands and options for a shell",
                  [flags, &program] { return show_completions(program, *flags); }};
  command.require("SHELL", &flags->shell, "bash|zsh|fish", "Shell: `bash`, `zsh` or `fish`");
  command.notes = {
      "The Debian package installs them. Otherwise, for bash: `source <(allot completions bash)`."};
  command.examples = {"allot completions fish > ~/.config/fish/completions/allot.fish"};
  return command;
}

}  // namespace allot::cli
