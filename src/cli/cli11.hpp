// What all registrations of options share. Slow to compile: for the files that register commands.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace allot::cli {

inline constexpr const char* kFormatHelp = "table, csv or json";

inline CLI::Option* add_text(CLI::App& command, const char* name, std::string& value,
                             const char* type, const char* help) {
  return command.add_option(name, value, help)->type_name(type)->capture_default_str();
}
inline CLI::Option* add_text(CLI::App& command, const char* name, std::optional<std::string>& value,
                             const char* type, const char* help) {
  return command.add_option(name, value, help)->type_name(type);
}

/// Several names, with commas between them or the option given again.
inline CLI::Option* add_names(CLI::App& command, const char* name, std::vector<std::string>& values,
                              const char* help) {
  return command.add_option(name, values, help)
      ->allow_extra_args(false)
      ->type_name("NAME,...")
      ->capture_default_str();
}

}  // namespace allot::cli
