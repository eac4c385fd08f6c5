#include "serve/admission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"
#include "http/ascii.hpp"
#include "serve/problem.hpp"
#include "serve/seat.hpp"
#include "serve/secret.hpp"
#include "serve/sign_in.hpp"

namespace allot::serve {
namespace {

using http::Response;

std::optional<std::string_view> bearer(const http::Request& request) {
  const auto field = request.fields.find("Authorization");
  constexpr std::string_view kScheme = "bearer ";
  if (!field || field->size() <= kScheme.size() ||
      !http::same_word(field->substr(0, kScheme.size()), kScheme)) {
    return std::nullopt;
  }
  return trim(field->substr(kScheme.size()));
}

Response unauthorised(std::string_view code, std::string_view detail) {
  Response response = problem(401, code, detail);
  response.fields.add("WWW-Authenticate", "Bearer");
  return response;
}

std::optional<Response> check_rate(RateLimiter& limiter, const std::string& caller) {
  const double seconds = limiter.take(caller, std::chrono::steady_clock::now());
  if (seconds <= 0) return std::nullopt;
  return too_many_requests("too many requests; try again later", seconds);
}

void set_caller(Call& call, const Token& token) {
  call.token = token;
  call.trace->token = token.id;
  call.trace->role = name(token.role);
  call.trace->person = token.person.empty() ? token.label : token.person;
}

std::optional<Response> check_token(Call& call, RateLimiter& limiter) {
  const auto found = token_of(call.request, call.hub().vault(), call.service.sign_in());
  if (!found) {
    call.trace->person = call.service.sign_in().claimed_person(call.request);
    if (auto refused = check_rate(limiter, "peer " + call.client())) return refused;
    return problem(403, "sign_in_refused", found.error().message);
  }
  const std::optional<Token>& token = *found;
  if (!token) {
    const auto text = bearer(call.request);
    // Guesses count per address, so that they cannot use up the rate of a real token.
    if (auto refused = check_rate(limiter, "peer " + call.client())) return refused;
    return text ? unauthorised("bad_token", "the token is unknown or was revoked")
                : unauthorised("no_token",
                               "the token is missing; expected Authorization: Bearer allot_...");
  }
  set_caller(call, *token);
  return check_rate(limiter, token->id);
}

bool is_route_of(Role seat, Access access) {
  return access == Access::token ||
         access == (seat == Role::worker ? Access::worker : Access::reviewer);
}

/// Lets a person with an account act in the seat that the campaign gives them. The owner and admins
/// do so only on routes that are for such a seat.
std::optional<Response> take_seat(Call& call) {
  if (!call.params.contains("campaign")) return std::nullopt;
  const Vault& vault = call.hub().vault();
  const auto seat = seat_of(vault, call.token, call.campaign());
  if (!seat) return std::nullopt;
  const auto entry = vault.campaign(call.campaign());
  const bool is_owner = call.token.role == Role::admin || (entry && entry->is_owned_by(call.token));
  if (is_owner && !is_route_of(seat->role, call.route->access)) return std::nullopt;
  if (!may_take(call.token.role, seat->role)) {
    return problem(403, "wrong_role",
                   fmt::format("{} signs in as a {}, but is a {} of this campaign; expected a "
                               "person who signs in as a {}",
                               in_quotes(seat->person), name(call.token.role), name(seat->role),
                               name(seat->role)));
  }
  set_caller(call, *seat);
  return std::nullopt;
}

std::optional<Response> check_role(const Call& call) {
  const Access access = call.route->access;
  const auto may = [&](Role role) {
    switch (role) {
      case Role::admin:
        return true;
      case Role::requester:
        return access != Access::admin && access != Access::monitor;
      case Role::worker:
      case Role::participant:
        return access == Access::worker || access == Access::token;
      case Role::reviewer:
        return access == Access::reviewer || access == Access::token;
      case Role::monitor:
        return access == Access::monitor || access == Access::token;
    }
    return false;
  };
  if (may(call.token.role)) return std::nullopt;
  return problem(403, "wrong_role",
                 fmt::format("a {}'s token cannot do this; expected a token of {}",
                             name(call.token.role), about(access)));
}

/// A campaign that the caller may not see is reported as one that does not exist.
std::optional<Response> check_campaign(Call& call) {
  if (!call.params.contains("campaign")) return std::nullopt;
  const auto entry = call.hub().vault().campaign(call.campaign());
  const Token& token = call.token;
  const bool visible =
      entry && (token.role == Role::admin ||
                (token.is_personal() ? token.campaign == entry->id : entry->is_owned_by(token)));
  if (!visible) {
    return no_such_campaign(call.campaign());
  }
  call.trace->campaign = entry->id;
  return std::nullopt;
}

std::optional<Response> check_parameters(const Call& call) {
  if (const std::string& why = call.request.query_problem; !why.empty()) {
    return problem(400, "bad_target", why);
  }
  const std::vector<Parameter>& known = call.route->query;
  for (const auto& [given, value] : call.request.query) {
    if (std::ranges::find(known, given, &Parameter::name) == known.end()) {
      return problem(400, "invalid_argument",
                     fmt::format("the parameter {} is unknown here", in_quotes(given)));
    }
    if (value.size() > kLongestName) {
      return problem(400, "invalid_argument",
                     fmt::format("the parameter {} has {} bytes; expected at most {}",
                                 in_quotes(given), value.size(), kLongestName));
    }
  }
  return std::nullopt;
}

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

double RateLimiter::drops(const Bucket& bucket, Moment now) {
  const double seconds = std::chrono::duration<double>(now - bucket.at).count();
  return std::min(bucket.burst, bucket.drops + bucket.rate * std::max(0.0, seconds));
}

double RateLimiter::take(const std::string& caller, Moment now, double rate, double burst) {
  const std::scoped_lock lock(mutex_);
  if (buckets_.size() >= sweep_at_) {
    std::erase_if(buckets_, [&](const auto& entry) {
      return drops(entry.second, now) >= entry.second.burst;
    });
    sweep_at_ = std::max<std::size_t>(4096, 2 * buckets_.size());
  }
  Bucket& bucket = buckets_.try_emplace(caller, Bucket{burst, now, rate, burst}).first->second;
  bucket.rate = rate;
  bucket.burst = burst;
  const double available = drops(bucket, now);
  if (available < 1) return (1 - available) / rate;
  bucket = {available - 1, now, rate, burst};
  return 0;
}

Result<std::optional<Token>> token_of(const http::Request& request, const Vault& vault,
                                      SignIn& sign_in) {
  if (const auto text = bearer(request)) return vault.find(*text);
  return sign_in.caller(request);
}

std::optional<Response> check_admission(Call& call, RateLimiter& limiter) {
  if (call.route->access != Access::anyone) {
    if (auto refused = check_token(call, limiter)) return refused;
    if (auto refused = take_seat(call)) return refused;
    if (auto refused = check_role(call)) return refused;
    if (auto refused = check_campaign(call)) return refused;
  }
  return call.route->page ? std::nullopt : check_parameters(call);
}

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
  std::string name = fmt::format("{} {} {}", call.token.id, call.request.path, *key);
  std::string digest = digest_of(call.request.body);
  if (const auto known = cache->find(name)) {
    if (known->digest != digest) return key_reused(call);
    Response response{.status = known->status};
    response.fields.add("Content-Type", known->type);
    response.fields.add("Idempotency-Replayed", "true");
    response.body = known->body;
    return response;
  }
  call.reply = [reply = std::move(call.reply), cache, name = std::move(name),
                digest = std::move(digest)](Response response) {
    if (is_final(response)) {
      const auto type = response.fields.find("Content-Type");
      cache->keep(name, {digest, response.status, std::string(type.value_or("")), response.body});
    }
    reply(std::move(response));
  };
  return std::nullopt;
}

}  // namespace allot::serve
