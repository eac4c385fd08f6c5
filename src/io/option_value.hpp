// Values of options. Every error message names the option as the user wrote it, the value and the
// accepted values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "allot/base/result.hpp"
#include "allot/base/text.hpp"

namespace allot::io {

/// Reads a whole number from `least` to `most`.
Result<std::uint64_t> read_whole(std::string_view option, std::string_view text,
                                 std::uint64_t least, std::uint64_t most);

/// The value whose name is `text`; an error lists the known names.
template <typename Value, std::size_t count>
Result<Value> read_choice(std::string_view option, std::string_view text,
                          const std::array<std::pair<std::string_view, Value>, count>& choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return fail(ErrorCode::invalid_argument,
              std::string(option) + " " + in_quotes(text) + " is unknown; expected " + names);
}

/// Passes the result on; an error gets the option in front of its message.
template <typename T>
Result<T> in_option(std::string_view option, Result<T> result) {
  if (!result) result.error().message = std::string(option) + ": " + result.error().message;
  return result;
}

/// Stores values as they are read, and remembers the first error.
class Reader {
 public:
  /// Stores the value; false if it is an error.
  template <typename Target, typename Value>
  bool operator()(Target& target, Result<Value> value) {
    if (!value) {
      error_ = value.error();
      return false;
    }
    target = static_cast<Target>(*std::move(value));
    return true;
  }
  const Error& error() const { return error_; }

 private:
  Error error_{};
};

}  // namespace allot::io
