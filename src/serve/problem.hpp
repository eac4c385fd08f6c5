// Refusals as answers: application/problem+json (RFC 9457) with a code that stays the same, so that
// programs need not read sentences.
#pragma once

#include <string>
#include <string_view>

#include "allot/base/result.hpp"
#include "http/message.hpp"

namespace allot::serve {

/// The code of an ordinary refusal: "not_found".
std::string_view code_of(ErrorCode code);
int status_of(ErrorCode code);

http::Response problem(int status, std::string_view code, std::string_view detail);
/// What the disk did is not for clients: it stands in kPrivateCause, which goes to the log.
http::Response problem(const Error& error);

/// A field of a response that never leaves the server.
inline constexpr std::string_view kPrivateCause = "Private-Cause";
/// Something threw.
http::Response broken(std::string_view cause);

/// What a problem says to the log: the private cause, or else what the client is told.
Error trouble_of(const http::Response& response);

/// 503, to be tried again after so many seconds.
http::Response busy(std::string_view detail, int seconds = 1);

}  // namespace allot::serve
