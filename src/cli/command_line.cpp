#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "allot/base/text.hpp"

namespace allot::cli {
namespace {

void register_option(CLI::App& app, const Option& option) {
  CLI::Option* const registered = std::visit(
      [&](auto* value) -> CLI::Option* {
        using Value = std::remove_pointer_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          return app.add_flag(option.name, *value);
        } else {
          CLI::Option* const added = app.add_option(option.name, *value);
          // Words after a list option are not its values: the option must be given again.
          if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            if (!option.is_positional()) added->allow_extra_args(false);
          }
          return added;
        }
      },
      option.target);
  if (option.required) registered->required();
}

void register_command(CLI::App& app, const Command& command) {
  for (const Option& option : command.options) register_option(app, option);
  for (const Command& inner : command.commands)
    register_command(*app.add_subcommand(inner.name), inner);
  if (!command.commands.empty()) app.require_subcommand(0, 1);
}

/// The innermost command that CLI11 met.
CommandCall chosen(const CLI::App& app, const Command& program) {
  CommandCall call{&program, program.name};
  for (auto inner = app.get_subcommands(); !inner.empty();
       inner = inner.front()->get_subcommands()) {
    const std::string name = inner.front()->get_name();
    call.command = call.command->find(name, call.words).value();
    call.words += " " + name;
  }
  return call;
}

const Option* find_option(const Command& command, std::string_view name) {
  const auto found = std::ranges::find(command.options, name, &Option::name);
  return found == command.options.end() ? nullptr : &*found;
}

/// "--format: At Most 1 required but received 2" or "--format is required": the name in front.
std::string name_in(const CLI::ParseError& error) {
  const std::string text = error.what();
  return text.substr(0, text.find_first_of(": "));
}

std::string explain_count(const CLI::App& app, const Option& option) {
  const std::size_t given = app.get_option(option.name)->results().size();
  if (given > 1) return fmt::format("{} is given {} times; expected once", option.name, given);
  return fmt::format("{} has no value; expected {}", option.name, option.usage());
}

/// The option that is most like the word, by name without dashes.
std::string similar_option(const Command& command, const std::string& word) {
  std::vector<std::string_view> known;
  for (const Option& option : command.options) {
    if (!option.is_positional()) known.push_back(std::string_view(option.name).substr(2));
  }
  const std::string bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  const auto found = nearest(bare, known);
  return found ? fmt::format(", did you mean '--{}'?", *found) : "";
}

std::string explain_extra(const CommandCall& call, const std::string& word) {
  const std::string hint = fmt::format("('{} --help' lists all)", call.words);
  if (!word.starts_with('-')) {
    std::string expected;
    for (const Option& option : call.command->options) {
      if (option.is_positional()) expected = " after " + option.name;
    }
    return fmt::format("unexpected argument '{}'; expected only options{} {}", word, expected,
                       hint);
  }
  return fmt::format("unknown option '{}'{} {}", word, similar_option(*call.command, word), hint);
}

/// The first word that nothing takes; one with dashes explains more.
std::string first_extra(const std::vector<std::string>& extras) {
  const auto dashed =
      std::ranges::find_if(extras, [](const std::string& word) { return word.starts_with('-'); });
  return dashed == extras.end() ? extras.front() : *dashed;
}

/// CLI11's complaints in our words.
UsageError explain(const CLI::App& app, const Command& program, const CLI::ParseError& error) {
  const CommandCall call = chosen(app, program);
  const CLI::App* command_app = &app;
  while (!command_app->get_subcommands().empty())
    command_app = command_app->get_subcommands().front();
  const std::vector<std::string> extras = app.remaining(true);
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (!extras.empty() && (required || dynamic_cast<const CLI::ExtrasError*>(&error)))
    return {call.words, explain_extra(call, first_extra(extras))};
  const Option* const option = find_option(*call.command, name_in(error));
  if (option && dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    return {call.words, explain_count(*command_app, *option)};
  if (option && required) {
    return {call.words, fmt::format("{} is missing; expected {}{} ('{} --help' lists all)",
                                    option->name, option->is_positional() ? call.words + " " : "",
                                    option->usage(), call.words)};
  }
  return {call.words, error.what()};
}

/// A word that is no command where one is expected; CLI11 would call it an extra argument.
std::optional<UsageError> unknown_command(const Command& program, int count,
                                          const char* const* words) {
  const Command* among = &program;
  std::string where = program.name;
  for (int n = 1; n < count && !among->commands.empty(); ++n) {
    const std::string word = words[n];
    if (word.starts_with('-')) {
      if (word == "--help" || word == "-h" || word == "--version") return {};
      return UsageError{where, fmt::format("option {} must come after the command; expected {} "
                                           "COMMAND {} ... ('{} --help' lists all commands)",
                                           in_quotes(word), where, word, where)};
    }
    const auto inner = among->find(word, where);
    if (!inner) return UsageError{where, inner.error().message};
    among = *inner;
    where += " " + word;
  }
  return {};
}

}  // namespace

CommandLine parse_command_line(const Command& program, int count, const char* const* words) {
  if (auto unknown = unknown_command(program, count, words)) return *std::move(unknown);
  CLI::App app("", program.name);
  app.set_version_flag("--version", "");
  app.set_help_flag("--help,-h", "");
  register_command(app, program);
  try {
    app.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    return HelpRequest{chosen(app, program)};
  } catch (const CLI::CallForVersion&) {
    return VersionRequest{};
  } catch (const CLI::ParseError& error) {
    return explain(app, program, error);
  }
  CommandCall call = chosen(app, program);
  if (!call.command->run) return HelpRequest{std::move(call)};
  return call;
}

}  // namespace allot::cli
