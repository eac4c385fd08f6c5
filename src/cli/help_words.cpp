#include "cli/help_words.hpp"

#include <fmt/format.h>

namespace allot::cli {

std::string plain(std::string text) {
  std::erase(text, '`');
  return text;
}

std::string usage(const Command& command, const std::string& words) {
  std::string text = words + (command.commands.empty() ? "" : " COMMAND");
  for (const bool positional : {true, false}) {
    for (const Option& option : command.options) {
      if (option.is_positional() != positional) continue;
      const bool many = std::holds_alternative<std::vector<std::string>*>(option.target);
      const std::string term = option.usage() + (positional && many ? "..." : "");
      if (option.required) {
        text += " " + term;
      } else if (positional) {
        text += fmt::format(" [{}]", term);
      }
    }
  }
  return text + " [OPTIONS]";
}

std::string meaning_with_default(const Option& option) {
  if (option.required) return option.meaning + " (required)";
  if (option.default_text.empty()) return option.meaning;
  return fmt::format("{} (default: {})", option.meaning, option.default_text);
}

}  // namespace allot::cli
