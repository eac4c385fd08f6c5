#include "bridge/chat_reply.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cmath>

#include "bridge/web_api.hpp"

namespace allot::bridge {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestVersionName = 100;

/// The version of the model that the reply names; nothing if it could not be part of a name.
std::string version_in(const json::value& reply) {
  std::string version = text_member(reply, "model");
  const auto is_plain = [](unsigned char c) { return c > ' ' && c < 0x7F && c != '"'; };
  if (version.size() > kLongestVersionName || !std::ranges::all_of(version, is_plain)) return {};
  return version;
}

/// The product of the probabilities of the reply's tokens; nothing if the endpoint does not tell
/// them, or tells what no model can mean.
std::optional<float> probability_in(const json::value& choice) {
  const json::value* const all = member(choice, "logprobs");
  const json::value* const tokens = all ? member(*all, "content") : nullptr;
  if (!tokens || !tokens->is_array() || tokens->get_array().empty()) return {};
  double sum = 0;
  for (const json::value& token : tokens->get_array()) {
    const json::value* const one = member(token, "logprob");
    if (!one || !one->is_number()) return {};
    sum += one->to_number<double>();
  }
  if (std::isnan(sum) || sum > 1e-3) return {};
  return static_cast<float>(std::exp(std::min(sum, 0.0)));
}

}  // namespace

std::optional<ChatReply> reply_in(std::string_view body) {
  boost::system::error_code wrong;
  const json::value value = json::parse(body, wrong);
  const json::value* const choices = wrong ? nullptr : member(value, "choices");
  if (!choices || !choices->is_array() || choices->get_array().empty()) return {};
  const json::value& first = choices->get_array().front();
  const json::value* const message = member(first, "message");
  if (!message) return {};
  const std::string end = text_member(first, "finish_reason");
  ChatReply reply{.version = version_in(value)};
  reply.refusal = text_member(*message, "refusal");
  if (!reply.refusal.empty()) return reply;
  if (end == "content_filter" || end == "length") {
    reply.refusal = "it ended by " + end;
    return reply;
  }
  reply.text = text_member(*message, "content");
  reply.probability = probability_in(first);
  return reply;
}

}  // namespace allot::bridge
