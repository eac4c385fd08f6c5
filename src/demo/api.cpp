#include "demo/api.hpp"

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <future>

#include "base/try.hpp"

namespace allot::demo {

namespace json = boost::json;

namespace {

ErrorCode code_of(int status) {
  if (status == 404) return ErrorCode::not_found;
  if (status == 409) return ErrorCode::conflict;
  return status == 403 ? ErrorCode::forbidden : ErrorCode::invalid_argument;
}

}  // namespace

std::string text_of(const json::value& object, std::string_view member) {
  const auto* const members = object.if_object();
  const auto* const value = members ? members->if_contains(member) : nullptr;
  return value && value->is_string() ? std::string(value->get_string()) : "";
}

Result<std::unique_ptr<Api>> Api::open(std::string server) {
  return http::Client::start({.private_addresses = true})
      .map([&](std::unique_ptr<http::Client> client) {
        return std::unique_ptr<Api>(new Api(std::move(server), std::move(client)));
      });
}

Result<json::value> Api::call(const char* method, const std::string& path,
                              const std::string& body) {
  http::Fields fields;
  fields.add("Authorization", "Bearer " + token_);
  if (!body.empty()) fields.add("Content-Type", "application/json");
  std::promise<Result<http::Client::Answer>> told;
  client_->ask(method, fmt::format("{}/api/v1/{}", server_, path), fields, body,
               [&](Result<http::Client::Answer> answer) { told.set_value(std::move(answer)); });
  const auto answer = TRY(told.get_future().get());
  boost::system::error_code wrong;
  json::value value = json::parse(answer.body, wrong);
  if (answer.status >= 200 && answer.status < 300 && !wrong) return value;
  const std::string why = wrong ? "the response is not JSON" : text_of(value, "detail");
  return fail(code_of(answer.status),
              fmt::format("{} {}: {} {}", method, path, answer.status, why));
}

}  // namespace allot::demo
