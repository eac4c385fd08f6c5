// A caller's mistake: a public function got an argument outside its domain.
#pragma once

#include <string_view>

namespace allot {

/// Throws std::invalid_argument "FUNCTION: ARGUMENT is VALUE; EXPECTED".
[[noreturn]] void reject(std::string_view function, std::string_view argument, double value,
                         std::string_view expected);

/// Calls `reject` unless `ok`.
inline void require(bool ok, std::string_view function, std::string_view argument, double value,
                    std::string_view expected) {
  if (!ok) [[unlikely]]
    reject(function, argument, value, expected);
}

}  // namespace allot
