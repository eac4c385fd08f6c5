#include "serve/admission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"
#include "serve/problem.hpp"

namespace allot::serve {
namespace {

using http::Response;

std::optional<std::string_view> bearer(const http::Request& request) {
  const auto field = request.fields.find("Authorization");
  constexpr std::string_view kScheme = "bearer ";
  if (!field || field->size() <= kScheme.size()) return std::nullopt;
  for (std::size_t n = 0; n < kScheme.size(); ++n) {
    if (((*field)[n] | 0x20) != kScheme[n]) return std::nullopt;
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
  Response response =
      problem(429, "too_many_requests", "this token makes too many requests; try again later");
  response.fields.add("Retry-After", fmt::format("{}", std::max(1.0, std::ceil(seconds))));
  return response;
}

std::optional<Response> check_token(Call& call, RateLimiter& limiter) {
  const auto text = bearer(call.request);
  const auto token = text ? call.hub().vault().find(*text) : std::nullopt;
  if (!token) {
    // Guesses count per address, so that they cannot use up the rate of a real token.
    if (auto refused = check_rate(limiter, "peer " + call.request.peer)) return refused;
    return text ? unauthorised("bad_token", "the token is unknown or was revoked")
                : unauthorised("no_token",
                               "the token is missing; expected Authorization: Bearer allot_...");
  }
  call.token = *token;
  call.trace->token = token->id;
  call.trace->role = name(token->role);
  return check_rate(limiter, token->id);
}

std::optional<Response> check_role(const Call& call) {
  const Access access = call.route->access;
  const bool for_workers = access == Access::worker || access == Access::token;
  const bool allowed =
      call.token.role == Role::admin || (call.is_worker() ? for_workers : access != Access::admin);
  if (allowed) return std::nullopt;
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
                (call.is_worker() ? token.campaign == entry->id : token.owner_of(*entry)));
  if (!visible) {
    return problem(404, "not_found",
                   fmt::format("there is no campaign {}", in_quotes(call.campaign())));
  }
  call.trace->campaign = entry->id;
  return std::nullopt;
}

std::optional<Response> check_parameters(const Call& call) {
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

}  // namespace

double RateLimiter::drops(const Bucket& bucket, Moment now) const {
  const double seconds = std::chrono::duration<double>(now - bucket.at).count();
  return std::min(burst_, bucket.drops + rate_ * std::max(0.0, seconds));
}

double RateLimiter::take(const std::string& caller, Moment now) {
  const std::scoped_lock lock(mutex_);
  if (buckets_.size() >= sweep_at_) {
    std::erase_if(buckets_, [&](const auto& entry) { return drops(entry.second, now) >= burst_; });
    sweep_at_ = std::max<std::size_t>(4096, 2 * buckets_.size());
  }
  Bucket& bucket = buckets_.try_emplace(caller, Bucket{burst_, now}).first->second;
  const double available = drops(bucket, now);
  if (available < 1) return (1 - available) / rate_;
  bucket = {available - 1, now};
  return 0;
}

std::optional<Response> check_admission(Call& call, RateLimiter& limiter) {
  if (call.route->access != Access::anyone) {
    if (auto refused = check_token(call, limiter)) return refused;
    if (auto refused = check_role(call)) return refused;
    if (auto refused = check_campaign(call)) return refused;
  }
  return call.route->page ? std::nullopt : check_parameters(call);
}

}  // namespace allot::serve
