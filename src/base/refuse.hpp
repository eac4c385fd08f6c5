// A refusal whose message is made of parts:
//
//   return refuse(ErrorCode::not_found, "there is no campaign {}", in_quotes(name));
#pragma once

#include <fmt/format.h>

#include "allot/base/result.hpp"

namespace allot {

template <typename... Args>
tl::unexpected<Error> refuse(ErrorCode code, fmt::format_string<Args...> text, Args&&... args) {
  return fail(code, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace allot
