// Errors in one call: made with a formatted message, or passed on by TRY (base/try.hpp).
#pragma once

#include <fmt/format.h>

#include "base/try.hpp"

namespace allot {

/// Makes an error whose message is the formatted text.
template <typename Arg, typename... Args>
tl::unexpected<Error> fail(ErrorCode code, fmt::format_string<Arg, Args...> text, Arg&& arg,
                           Args&&... args) {
  return fail(code, fmt::format(text, std::forward<Arg>(arg), std::forward<Args>(args)...));
}

/// Makes an ErrorCode::invalid_argument.
template <typename... Args>
tl::unexpected<Error> invalid(fmt::format_string<Args...> text, Args&&... args) {
  return fail(ErrorCode::invalid_argument, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace allot
