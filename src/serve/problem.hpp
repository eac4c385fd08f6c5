// Refusals as responses: application/problem+json (RFC 9457) with a stable code, so that programs
// need not read sentences.
//
// Storage errors and exceptions are logged, not sent to clients: their text is the `cause` of the
// response, which the HTTP layer never writes.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"
#include "http/message.hpp"

namespace allot::serve {

/// The code of an ordinary refusal: "not_found".
std::string_view code_of(ErrorCode code);
int status_of(ErrorCode code);

http::Response problem(int status, std::string_view code, std::string_view detail);
http::Response problem(const Error& error);
/// 500, after an exception.
http::Response internal_error(std::string_view cause);
/// make(), or 500 if it throws.
template <typename Make>
http::Response guarded(Make make) {
  try {
    return make();
  } catch (const std::exception& wrong) {
    return internal_error(wrong.what());
  }
}
/// make(), which returns a Result, or the error `internal` if it throws.
template <typename Make>
auto result_of(Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::exception& wrong) {
    return fail(ErrorCode::internal, wrong.what());
  }
}
/// 404, also for a campaign that the caller may not see.
http::Response no_such_campaign(std::string_view campaign);
inline constexpr std::string_view kStopping = "the server is about to stop";
/// 503; the client may try again after `seconds`.
http::Response busy(std::string_view detail, int seconds = 1);
/// 429; the client may try again after `seconds`, at least one.
http::Response too_many_requests(std::string_view detail, double seconds);

/// The error that the log shows for a response: its cause, or else what the client is told.
Error logged_error(const http::Response& response);

}  // namespace allot::serve
