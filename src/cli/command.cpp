#include "cli/command.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace allot::cli {
namespace {

/// The default of an option as literal text; empty if there is none.
std::string literal_default(const Target& target) {
  std::string text;
  if (const auto* value = std::get_if<std::string*>(&target)) text = **value;
  if (const auto* list = std::get_if<std::vector<std::string>*>(&target)) {
    text = fmt::format("{}", fmt::join(**list, ","));
  }
  return text.empty() ? text : fmt::format("`{}`", text);
}

}  // namespace

Option& Option::require() {
  required = true;
  return *this;
}

Option& Option::by_default(std::string text) {
  default_text = std::move(text);
  return *this;
}

Option& Command::add(std::string option, Target target, std::string type, std::string meaning) {
  options.push_back(
      {std::move(option), std::move(type), std::move(meaning), target, literal_default(target)});
  return options.back();
}

Option& Command::add(std::string option, Target target, std::string meaning) {
  return add(std::move(option), target, "", std::move(meaning));
}

const Command* Command::find(const std::string& inner) const {
  const auto found = std::ranges::find(commands, inner, &Command::name);
  return found == commands.end() ? nullptr : &*found;
}

}  // namespace allot::cli
