// Admission of a request: token, role, campaign, rate and known parameters, all checked in memory.
#pragma once

#include <optional>

#include "http/message.hpp"
#include "serve/call.hpp"
#include "serve/rate_limiter.hpp"

namespace allot::serve {

/// Finds the token of the call and checks that it may call the route. The refusal, or nothing if
/// the call may go on; its token and trace are then filled in.
std::optional<http::Response> check_admission(Call& call, RateLimiter& limiter);

}  // namespace allot::serve
