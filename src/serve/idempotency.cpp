#include "serve/idempotency.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "serve/call.hpp"
#include "serve/problem.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

using http::Response;

constexpr std::size_t kLongestKey = 200;
/// Longer bodies are not cached.
constexpr std::size_t kLongestBody = 64 << 10;

bool is_valid_key(std::string_view key) {
  const auto is_visible = [](char c) { return c > ' ' && c < '\x7f'; };
  return !key.empty() && key.size() <= kLongestKey && std::ranges::all_of(key, is_visible);
}

/// Errors of the server and of the rate are not final. Nor is the refusal of a key that belongs to
/// another request: the response under that key is the other one's.
bool is_final(const Response& response) {
  return response.status < 500 && response.status != 429 &&
         response.status != status_of(ErrorCode::key_reused) && !response.stream &&
         response.body.size() <= kLongestBody;
}

}  // namespace

std::optional<ResponseCache::CachedResponse> ResponseCache::find(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = responses_.find(key);
  return found == responses_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t ResponseCache::bytes(const std::string& key, const CachedResponse& response) {
  return key.size() + response.body.size() + sizeof(CachedResponse) + 200;
}

void ResponseCache::keep(const std::string& key, CachedResponse response) {
  const std::scoped_lock lock(mutex_);
  const std::size_t size = bytes(key, response);
  if (most_ == 0) return;
  const auto [place, is_new] = responses_.emplace(key, std::move(response));
  if (!is_new) return;
  order_.push_back(&place->first);
  bytes_ += size;
  while (order_.size() > most_ || bytes_ > kMostBytes) {
    const auto oldest = responses_.find(*order_.front());
    bytes_ -= bytes(oldest->first, oldest->second);
    responses_.erase(oldest);
    order_.pop_front();
  }
}

std::optional<Response> replay(Call& call, const std::shared_ptr<ResponseCache>& cache) {
  const auto key = call.request.fields.find("Idempotency-Key");
  if (!key || !call.route->keyed) return std::nullopt;
  if (!is_valid_key(*key)) {
    return problem(400, "invalid_argument",
                   fmt::format("the Idempotency-Key has {} bytes or an invalid character; expected "
                               "1 to {} visible ASCII characters",
                               key->size(), kLongestKey));
  }
  if (!call.route->uploads.empty()) return std::nullopt;
  const std::string name = fmt::format("{} {} {}", call.token.id, call.request.path, *key);
  const std::string digest = digest_of(call.request.body);
  if (const auto known = cache->find(name)) {
    if (known->digest != digest) return key_reused(call);
    Response response{.status = known->status};
    response.fields.add("Content-Type", known->type);
    response.fields.add("Idempotency-Replayed", "true");
    response.body = known->body;
    return response;
  }
  call.reply = [reply = std::move(call.reply), cache, name, digest](Response response) {
    if (is_final(response)) {
      const auto type = response.fields.find("Content-Type");
      cache->keep(name, {digest, response.status, std::string(type.value_or("")), response.body});
    }
    reply(std::move(response));
  };
  return std::nullopt;
}

}  // namespace allot::serve
