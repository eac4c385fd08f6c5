#include "cli/command.hpp"

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::cli {
namespace {

/// The default of an option as literal text; empty if there is none.
std::string literal_default(const Target& target) {
  std::string text;
  if (const auto* value = std::get_if<std::string*>(&target)) text = **value;
  if (const auto* list = std::get_if<std::vector<std::string>*>(&target))
    text = fmt::format("{}", fmt::join(**list, ","));
  return text.empty() ? text : fmt::format("`{}`", text);
}

}  // namespace

void Command::add(std::string option, Target target, std::string type, std::string meaning,
                  std::string default_text) {
  if (default_text.empty()) default_text = literal_default(target);
  options.push_back(
      {std::move(option), std::move(type), std::move(meaning), target, std::move(default_text)});
}

void Command::add(std::string option, Target target, std::string meaning) {
  add(std::move(option), target, "", std::move(meaning));
}

void Command::require(std::string option, Target target, std::string type, std::string meaning) {
  add(std::move(option), target, std::move(type), std::move(meaning));
  options.back().required = true;
}

void Command::require(std::string argument, Target target, std::string meaning) {
  require(std::move(argument), target, "", std::move(meaning));
}

Result<const Command*> Command::find(const std::string& inner, const std::string& words) const {
  const auto found = std::ranges::find(commands, inner, &Command::name);
  if (found != commands.end()) return &*found;
  std::vector<std::string_view> known;
  for (const Command& command : commands) known.push_back(command.name);
  return invalid("unknown command {}{} ('{} --help' lists all)", in_quotes(inner),
                 suggestion(inner, known), words);
}

}  // namespace allot::cli
