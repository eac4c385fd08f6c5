#include "bridge/web_api.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <future>

#include "allot/base/rng.hpp"
#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "bridge/secret_text.hpp"
#include "http/url.hpp"

namespace allot::bridge {
namespace {

namespace json = boost::json;
using http::Client;

/// Characters of a response that an error shows.
constexpr std::size_t kMostShown = 200;
/// Nobody waits longer for a server that asks for it.
constexpr std::uint64_t kLongestRetrySeconds = 300;

bool is_trouble(int status) { return status == 429 || status >= 500; }
/// Whether the server says that the request did not happen.
bool did_not_happen(int status) { return status == 429 || status == 503; }

/// What a status other than 2xx means, in words.
std::string_view status_words(int status) {
  if (status == 401) return "it refuses the key";
  if (status == 403) return "it does not allow that with this key";
  if (status == 404) return "it does not know the address";
  if (status == 429) return "it takes no more requests for now";
  return status >= 500 ? "it failed" : "it refuses the request";
}

std::string refusal_text(const Client::Answer& answer) {
  return fmt::format("{} (status {}) and says {}", status_words(answer.status), answer.status,
                     in_quotes(for_display(answer.body, kMostShown)));
}

}  // namespace

Result<std::unique_ptr<WebApi>> WebApi::open(WebApiOptions options, const StopFlag& stop) {
  while (options.base.ends_with('/')) options.base.pop_back();
  if (const auto url = http::parse_web_url(options.base); !url) return tl::unexpected(url.error());
  auto client = TRY(http::Client::start({.answer_time = options.answer_time,
                                         .largest_answer = options.largest_answer,
                                         .private_addresses = true,
                                         .roots = options.roots}));
  return std::unique_ptr<WebApi>(new WebApi(std::move(options), stop, std::move(client)));
}

Result<Client::Answer> WebApi::send_once(const Call& call) {
  // Shared, because the client's thread may still be in set_value when this one goes on.
  const auto told = std::make_shared<std::promise<Result<Client::Answer>>>();
  client_->ask(call.method, options_.base + call.path, call.fields, call.body,
               [told](Result<Client::Answer> answer) { told->set_value(std::move(answer)); });
  auto answer = told->get_future().get();
  if (answer) strike_out(options_.secret, answer->body);
  return answer;
}

std::chrono::milliseconds WebApi::pause(int n, const std::string& retry_after) {
  if (const auto seconds = parse_whole(retry_after))
    return std::chrono::seconds(std::min(*seconds, kLongestRetrySeconds));
  auto longest = options_.first_pause;
  for (int i = 1; i < n && longest < options_.longest_pause; ++i) longest *= 2;
  longest = std::min(longest, options_.longest_pause);
  Rng rng(1, Rng::Purpose::general, pauses_++);
  return longest * 2 / 3 + std::chrono::milliseconds(below(rng, 1 + longest.count() / 3));
}

Result<Client::Answer> WebApi::send(const Call& call) {
  for (int n = 1;; ++n) {
    auto answer = send_once(call);
    const bool fine = answer && !is_trouble(answer->status);
    if (fine) return answer;
    ++failures_;
    const bool may_repeat =
        call.repeat == Repeat::safe || (answer && did_not_happen(answer->status));
    const bool last = n >= options_.tries || !may_repeat;
    if (last || stop_.wait_for(pause(n, answer ? answer->retry_after : ""))) {
      if (!answer)
        return fail(ErrorCode::store_failure, "{}: {}", call.name(), answer.error().message);
      return fail(ErrorCode::store_failure, "{}: {}", call.name(), refusal_text(*answer));
    }
  }
}

Result<json::value> json_of(const WebApi::Call& call, const Client::Answer& answer) {
  if (answer.status < 200 || answer.status > 299) {
    const ErrorCode code = answer.status == 404                           ? ErrorCode::not_found
                           : answer.status == 401 || answer.status == 403 ? ErrorCode::forbidden
                                                                          : ErrorCode::conflict;
    return fail(code, "{}: {}", call.name(), refusal_text(answer));
  }
  if (trim(answer.body).empty()) return json::value();
  boost::system::error_code wrong;
  json::value value = json::parse(answer.body, wrong);
  if (!wrong) return value;
  return fail(ErrorCode::store_failure, "{}: the response {} is not JSON; expected JSON",
              call.name(), in_quotes(for_display(answer.body, kMostShown)));
}

const json::value* member(const json::value& value, std::string_view name) {
  const json::object* const object = value.if_object();
  return object ? object->if_contains(name) : nullptr;
}

std::string text_member(const json::value& value, std::string_view name) {
  const json::value* const found = member(value, name);
  return found && found->is_string() ? std::string(found->get_string()) : "";
}

std::string scalar_of(const json::value& value, std::string_view name) {
  const json::value* const found = member(value, name);
  if (!found) return "";
  if (found->is_int64()) return fmt::format("{}", found->get_int64());
  if (found->is_uint64()) return fmt::format("{}", found->get_uint64());
  if (found->is_double()) return plain_number(found->get_double());
  return found->is_string() ? std::string(found->get_string()) : "";
}

std::uint64_t whole_member(const json::value& value, std::string_view name) {
  const json::value* const found = member(value, name);
  if (!found) return 0;
  boost::system::error_code wrong;
  const auto number = found->is_number() ? found->to_number<std::uint64_t>(wrong) : 0;
  return wrong ? 0 : number;
}

bool flag_member(const json::value& value, std::string_view name) {
  const json::value* const found = member(value, name);
  return found && found->is_bool() && found->get_bool();
}

}  // namespace allot::bridge
