#include "serve/call.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "serve/problem.hpp"

namespace allot::serve {

using http::Response;

namespace {

Response run(const Call::Task& task) {
  return guarded([&] { return response_of(task()); });
}

bool has_tag(std::string_view tags, std::string_view wanted) {
  return std::ranges::any_of(split(tags, ','), [&](std::string_view tag) {
    tag = trim(tag);
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    return tag == wanted || tag == "*";
  });
}

}  // namespace

bool is_known(const http::Request& request, std::string_view tag) {
  return has_tag(request.fields.find("If-None-Match").value_or(""), tag);
}

Response response_of(Result<Response> result) {
  return result ? *std::move(result) : problem(result.error());
}

Response json_response(std::string body, int status) {
  Response response{.status = status};
  response.fields.add("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

Response key_reused(const Call& call) {
  return problem(call.for_caller({ErrorCode::key_reused, ""}));
}

std::optional<std::string> Call::query(std::string_view name) const {
  for (const auto& [given, value] : request.query) {
    if (given == name) return value;
  }
  return std::nullopt;
}

Result<std::string> Call::required(std::string_view name, std::string_view what) const {
  if (auto value = query(name)) return *std::move(value);
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} is missing; expected the {}", name, what));
}

Result<std::uint64_t> Call::whole(std::string_view name, std::uint64_t usual, std::uint64_t least,
                                  std::uint64_t most) const {
  const auto text = query(name);
  if (!text) return usual;
  const auto number = parse_whole(*text);
  if (number && *number >= least && *number <= most) return *number;
  return fail(ErrorCode::invalid_argument,
              fmt::format("{} {} is out of range; expected a whole number from {} to {}", name,
                          in_quotes(*text), least, most));
}

std::string Call::key(std::string_view part) const {
  const auto given = request.fields.find("Idempotency-Key");
  if (!given) return "";
  std::string key;
  key.reserve(token.id.size() + 1 + given->size() + part.size());
  return key.append(token.id).append(1, ':').append(*given).append(part);
}

std::string Call::worker(Body& body) const {
  if (!is_worker()) return body.text("worker");
  const auto named = body.text_if("worker");
  if (named && *named != token.person) {
    body.refuse("this token belongs to another worker; expected that worker's name, or none",
                ErrorCode::forbidden);
  }
  return token.person;
}

Result<std::string> Call::reviewer(const std::optional<std::string>& named) const {
  if (!is_reviewer()) {
    if (named && !named->empty()) return *named;
    return fail(ErrorCode::invalid_argument, "reviewer is missing; expected the reviewer's name");
  }
  if (named && *named != token.person) {
    return fail(ErrorCode::forbidden,
                "this token belongs to another reviewer; expected that reviewer's name, or none");
  }
  return token.person;
}

Error Call::for_caller(const Error& error) const {
  if (error.code == ErrorCode::key_reused) {
    const auto key = request.fields.find("Idempotency-Key").value_or("");
    return {error.code,
            fmt::format("the Idempotency-Key {} was used for another request; expected a new one",
                        in_quotes(key))};
  }
  if (!is_worker() || error.code == ErrorCode::invalid_argument || status_of(error.code) >= 500) {
    return error;
  }
  if (error.code == ErrorCode::conflict) {
    return {ErrorCode::conflict,
            "this differs from your earlier answer, or you no longer have the item"};
  }
  return {ErrorCode::forbidden, "you do not have this item, or it needs no more labels"};
}

Result<void> Call::send(Response response) const {
  reply(std::move(response));
  return {};
}

Result<void> Call::command(Command command, std::string_view key_part) {
  std::vector<std::string> keys;
  // In a folder each lookup is cheap.
  if (hub().cluster() && request.fields.find("Idempotency-Key")) {
    keys.push_back(key());
    if (!key_part.empty()) keys.push_back(key(key_part));
  }
  hub().command(
      campaign(),
      [command = std::move(command)](OpenBatch& batch) { return response_of(command(batch)); },
      take_reply(), std::move(keys));
  return {};
}

Result<void> Call::look(Look look) {
  hub().look(
      campaign(), [look = std::move(look)](OpenCampaign& open) { return response_of(look(open)); },
      take_reply());
  return {};
}

Result<void> Call::report(Look look) {
  const std::string known(request.fields.find("If-None-Match").value_or(""));
  return this->look([known, look = std::move(look)](OpenCampaign& open) -> Result<Response> {
    const std::string tag = fmt::format("\"{}\"", TRY(open.sequence()));
    Response response = has_tag(known, tag) ? Response{.status = 304} : TRY(look(open));
    response.fields.add("ETag", tag);
    response.fields.add("Cache-Control", "private, no-cache");
    return response;
  });
}

Result<void> Call::work(const Task& task) const {
  const bool taken = hub().work([task, answer = reply] { answer(run(task)); });
  return taken ? Result<void>() : send(busy(kStopping));
}

Result<void> Call::work_slow(const Task& task) const {
  const bool taken = hub().run_slow([task, answer = reply, &hub = hub()] {
    answer(hub.stopped() ? busy(kStopping) : run(task));
  });
  return taken ? Result<void>()
               : send(busy("too many such requests are waiting; try again in a moment"));
}

}  // namespace allot::serve
