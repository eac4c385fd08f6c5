// Values of options. Every error message names the option as the user wrote it, the value and the
// accepted values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::io {

/// Reads a whole number from `least` to `most`.
template <typename Whole = std::uint64_t>
Result<Whole> read_whole(std::string_view option, std::string_view text, std::uint64_t least,
                         std::uint64_t most) {
  const auto number = parse_whole(text);
  if (number && *number >= least && *number <= most) return static_cast<Whole>(*number);
  return invalid("{} {} is not valid; expected a whole number from {} to {}", option,
                 in_quotes(text), least, most);
}

/// The value whose name is `text`; an error lists the known names.
template <typename Value>
Result<Value> read_choice(std::string_view option, std::string_view text,
                          std::initializer_list<std::pair<std::string_view, Value>> choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return invalid("{} {} is unknown; expected {}", option, in_quotes(text), names);
}

/// Passes the result on; an error gets the option in front of its message.
template <typename T>
Result<T> in_option(std::string_view option, Result<T> result) {
  if (!result) result.error().message = std::string(option) + ": " + result.error().message;
  return result;
}

}  // namespace allot::io
