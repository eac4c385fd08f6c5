#include "serve/problem.hpp"

#include <fmt/format.h>

#include "io/json_object.hpp"

namespace allot::serve {
namespace {

std::string_view title_of(int status) {
  switch (status) {
    case 400:
      return "Bad request";
    case 401:
      return "Who are you?";
    case 403:
      return "Not allowed";
    case 404:
      return "Not found";
    case 405:
      return "No such method here";
    case 409:
      return "Conflict";
    case 413:
      return "Too large";
    case 415:
      return "Another kind of content is expected";
    case 422:
      return "Another request had this key";
    case 429:
      return "Too many requests";
    case 503:
      return "Not now";
    default:
      return "Trouble in the server";
  }
}

}  // namespace

std::string_view code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::too_large:
      return "too_large";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::conflict:
      return "conflict";
    case ErrorCode::key_reused:
      return "key_reused";
    case ErrorCode::forbidden:
      return "forbidden";
    case ErrorCode::budget_exhausted:
      return "budget_exhausted";
    case ErrorCode::write_failure:
    case ErrorCode::store_failure:
      break;
  }
  return "store_failure";
}

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return 400;
    case ErrorCode::too_large:
      return 413;
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::conflict:
    case ErrorCode::budget_exhausted:
      return 409;
    case ErrorCode::key_reused:
      return 422;
    case ErrorCode::forbidden:
      return 403;
    case ErrorCode::write_failure:
    case ErrorCode::store_failure:
      break;
  }
  return 503;
}

http::Response problem(int status, std::string_view code, std::string_view detail) {
  http::Response response{.status = status};
  response.fields.add("Content-Type", "application/problem+json");
  response.body = fmt::format(
      R"({{"type": "about:blank", "title": {}, "status": {}, "detail": {}, "code": {}}})",
      io::json_string(title_of(status)), status, io::json_string(detail), io::json_string(code));
  return response;
}

http::Response problem(const Error& error) {
  if (status_of(error.code) != 503) {
    return problem(status_of(error.code), code_of(error.code), error.message);
  }
  http::Response response =
      problem(503, code_of(error.code),
              "what is kept could not be read or added to; nothing of this request happened");
  response.fields.add("Retry-After", "5");
  response.fields.add(std::string(kPrivateCause), error.message);
  return response;
}

http::Response broken(std::string_view cause) {
  http::Response response = problem(
      500, "internal_error", "the server ran into trouble, which its log tells under this id");
  response.fields.add(std::string(kPrivateCause), std::string(cause));
  return response;
}

Error trouble_of(const http::Response& response) {
  return {ErrorCode::store_failure,
          std::string(response.fields.find(kPrivateCause).value_or(response.body))};
}

http::Response busy(std::string_view detail, int seconds) {
  http::Response response = problem(503, "busy", detail);
  response.fields.add("Retry-After", fmt::format("{}", seconds));
  return response;
}

}  // namespace allot::serve
