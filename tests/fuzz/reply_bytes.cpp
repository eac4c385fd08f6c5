#include "fuzz/reply_bytes.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "bridge/chat_prompt.hpp"
#include "bridge/chat_reply.hpp"
#include "bridge/label_studio_api.hpp"
#include "bridge/secret_text.hpp"
#include "bridge/web_api.hpp"
#include "bridge/webhook_receiver.hpp"
#include "fuzz/demand.hpp"
#include "fuzz/pieces.hpp"
#include "http/response_reader.hpp"

namespace allot::test {
namespace {

namespace json = boost::json;

constexpr http::ResponseReader::Limits kSmallAnswer{.head = 300, .body = 200};

std::string told(const http::ResponseReader& reader, const std::string& body) {
  std::string text = std::to_string(reader.status());
  const http::Fields fields = reader.fields();
  for (const auto& [name, value] : fields.list()) text += "\n" + name + ": " + value;
  return text + "\n\n" + body;
}

/// Takes what was received; false if it is not HTTP.
bool take_response(http::ResponseReader& reader, std::string& body) {
  const auto has_head = reader.read_head();
  check_refusal(has_head);
  if (!has_head) return false;
  demand(*has_head == reader.has_head(), "a head is there once it was read");
  if (!*has_head) return true;
  demand(reader.status() >= 200 || reader.status() == 101, "an interim response is none");
  for (std::string piece = "some"; !piece.empty();) {
    auto read = reader.read_body(7);
    check_refusal(read);
    if (!read) return false;
    piece = *std::move(read);
    demand(piece.size() <= 7, "a piece keeps to its size");
    body += piece;
    demand(body.size() <= kSmallAnswer.body, "a body keeps to its limit");
  }
  return true;
}

/// How a response ends and what it says, the bytes coming in pieces of that size.
std::string response_outcome(std::string_view bytes, bool has_body, std::size_t piece) {
  http::ResponseReader::Limits limits = kSmallAnswer;
  limits.has_body = has_body;
  http::ResponseReader reader(limits);
  std::string body;
  while (!bytes.empty() && !reader.is_done()) {
    reader.receive(take_bytes(bytes, piece));
    if (!take_response(reader, body)) return "refused";
  }
  if (reader.is_done()) return "done " + told(reader, body);
  if (!reader.end()) return "waits";
  demand(reader.is_done() && !reader.leaves_connection(), "a response that ends so is the last");
  return "ended " + told(reader, body);
}

void check_chat(std::string_view bytes) {
  const auto reply = bridge::reply_in(bytes);
  if (!reply) return;
  demand(is_utf8(reply->text) && is_utf8(reply->refusal), "a reply is UTF-8");
  demand(reply->refusal.empty() || (reply->text.empty() && !reply->probability),
         "a refusal says nothing else");
  if (reply->probability)
    demand(*reply->probability >= 0 && *reply->probability <= 1, "a probability is one");
  const auto plain = [](char c) { return c > ' ' && c < '\x7f' && c != '"'; };
  demand(reply->version.size() <= 100 && std::ranges::all_of(reply->version, plain),
         "a version can be part of a name");
  static const std::vector<std::string> classes{"no", "yes"};
  if (const auto found = bridge::class_in(reply->text, classes))
    demand(*found == "no" || *found == "yes", "a reply names a class");
}

void check_answer(std::string_view bytes) {
  static constexpr int kStatuses[] = {200, 204, 302, 400, 401, 403, 404, 429, 500};
  const int status = kStatuses[choose(bytes, std::size(kStatuses))];
  bridge::WebApi::Call call;
  call.path = "/api/tasks";
  const auto value = bridge::json_of(call, {status, std::string(bytes)});
  check_refusal(value);
  demand(status < 300 || !value, "a refusal has no value");
}

bool has_text(const json::value& value, const std::string& text) {
  if (value.is_string()) return value.get_string().find(text) != json::string::npos;
  if (value.is_array())
    return std::ranges::any_of(value.get_array(),
                               [&](const auto& one) { return has_text(one, text); });
  if (!value.is_object()) return false;
  return std::ranges::any_of(value.get_object(), [&](const auto& one) {
    return one.key().find(text) != json::string_view::npos || has_text(one.value(), text);
  });
}

void check_struck_out(std::string_view bytes) {
  static const std::string secrets[] = {"a/b", "k\"\\", "key-0/1"};
  const std::string& secret = secrets[choose(bytes, std::size(secrets))];
  std::string text(bytes);
  bridge::strike_out(secret, text);
  demand(text.find(secret) == std::string::npos, "a secret is struck out");
  std::string again = text;
  bridge::strike_out(secret, again);
  demand(again == text, "a secret is struck out at once");
  boost::system::error_code wrong;
  const json::value value = json::parse(text, wrong);
  demand(wrong || !has_text(value, secret), "no escape hides a secret");
}

void check_annotation(const bridge::Annotation& annotation) {
  demand(is_utf8(annotation.person) && is_utf8(annotation.updated_at), "an annotation is UTF-8");
  for (const auto& [control, choice] : annotation.choices)
    demand(is_utf8(control) && is_utf8(choice), "a choice is UTF-8");
}

void check_label_studio(std::string_view bytes) {
  boost::system::error_code wrong;
  const json::value value = json::parse(bytes, wrong);
  if (wrong) return;
  const bridge::Task task = bridge::task_of(value);
  for (const auto& [name, text] : task.data)
    demand(is_utf8(name) && is_utf8(text), "data is UTF-8");
  for (const bridge::Annotation& one : task.annotations) check_annotation(one);
  check_annotation(bridge::annotation_of(value));
}

void check_webhook(std::string_view bytes) {
  std::size_t looks = 0, replies = 0;
  int status = 0;
  bridge::WebhookReceiver receiver([&](std::uint64_t task) {
    demand(task > 0, "a task has a number");
    ++looks;
  });
  http::Request request;
  request.method = http::Method::post;
  request.body = bytes;
  receiver.handle(std::move(request), [&](const http::Response& response) {
    ++replies;
    status = response.status;
  });
  demand(replies == 1, "a webhook gets one reply");
  demand(status == 200 || (status == 400 && looks == 0), "what is refused has no effect");
  demand(looks <= bytes.size(), "a webhook costs what it says");
}

}  // namespace

void check_response_bytes(std::string_view bytes) {
  const bool has_body = choose(bytes, 2) == 0;
  const std::string whole = response_outcome(bytes, has_body, bytes.size() + 1);
  for (const std::size_t piece : {1UL, 2UL, 7UL}) {
    const std::string pieces = response_outcome(bytes, has_body, piece);
    const auto is_kept = [](const std::string& outcome) {
      return outcome.starts_with("done") || outcome.starts_with("ended");
    };
    if (pieces == whole || (!is_kept(pieces) && !is_kept(whole))) continue;
    std::fprintf(stderr, "whole: %s\npieces of %zu: %s\n", whole.c_str(), piece, pieces.c_str());
    demand(false, "pieces make no difference");
  }
}

void check_reply_bytes(std::string_view bytes) {
  switch (choose(bytes, 5)) {
    case 0:
      return check_chat(bytes);
    case 1:
      return check_answer(bytes);
    case 2:
      return check_struck_out(bytes);
    case 3:
      return check_label_studio(bytes);
    default:
      return check_webhook(bytes);
  }
}

}  // namespace allot::test
