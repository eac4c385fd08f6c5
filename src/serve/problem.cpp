#include "serve/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "allot/base/text.hpp"
#include "base/json_text.hpp"
#include "http/answer.hpp"

namespace allot::serve {
namespace {

struct ErrorForm {
  ErrorCode error;
  std::string_view code;
  int status;
};
/// The one table from errors to codes and HTTP statuses.
constexpr ErrorForm kForms[] = {
    {ErrorCode::invalid_argument, "invalid_argument", 400},
    {ErrorCode::too_large, "too_large", 413},
    {ErrorCode::not_found, "not_found", 404},
    {ErrorCode::conflict, "conflict", 409},
    {ErrorCode::key_reused, "key_reused", 422},
    {ErrorCode::forbidden, "forbidden", 403},
    {ErrorCode::budget_exhausted, "budget_exhausted", 409},
    {ErrorCode::write_failure, "store_failure", 503},
    {ErrorCode::store_failure, "store_failure", 503},
    {ErrorCode::outcome_unknown, "outcome_unknown", 503},
    {ErrorCode::internal, "internal_error", 500},
};

const ErrorForm& form_of(ErrorCode error) {
  const auto found = std::ranges::find(kForms, error, &ErrorForm::error);
  return found == std::end(kForms) ? kForms[std::size(kForms) - 1] : *found;
}

}  // namespace

std::string_view code_of(ErrorCode code) { return form_of(code).code; }
int status_of(ErrorCode code) { return form_of(code).status; }

http::Response problem(int status, std::string_view code, std::string_view detail) {
  http::Response response{.status = status, .reason = std::string(code)};
  response.fields.add("Content-Type", "application/problem+json");
  response.body = fmt::format(
      R"({{"type": "about:blank", "title": {}, "status": {}, "detail": {}, "code": {}}})",
      json_string(http::reason(status)), status, json_string(detail), json_string(code));
  return response;
}

http::Response problem(const Error& error) {
  const ErrorForm& form = form_of(error.code);
  if (form.status < 500) return problem(form.status, form.code, error.message);
  if (form.status == 500) return internal_error(error.message);
  http::Response response =
      problem(form.status, form.code,
              error.code == ErrorCode::outcome_unknown
                  ? "there was no answer in time; this request may have had its effect: repeat it "
                    "with the same Idempotency-Key"
                  : "the data could not be read or written; this request had no effect");
  response.fields.add("Retry-After", "5");
  response.cause = error.message;
  return response;
}

http::Response internal_error(std::string_view cause) {
  http::Response response = problem(
      500, "internal_error", "the server failed; its log has the cause under this request's id");
  response.cause = cause;
  return response;
}

Error logged_error(const http::Response& response) {
  return {ErrorCode::store_failure, response.cause.empty() ? response.body : response.cause};
}

http::Response no_such_campaign(std::string_view campaign) {
  return problem(404, "not_found", fmt::format("there is no campaign {}", in_quotes(campaign)));
}

http::Response busy(std::string_view detail, int seconds) {
  http::Response response = problem(503, "busy", detail);
  response.fields.add("Retry-After", fmt::format("{}", seconds));
  return response;
}

Response too_many_requests(std::string_view detail, double seconds) {
  Response response = problem(429, "too_many_requests", detail);
  response.fields.add("Retry-After", fmt::format("{}", std::max(1.0, std::ceil(seconds))));
  return response;
}

}  // namespace allot::serve
