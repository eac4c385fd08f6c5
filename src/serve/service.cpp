#include "serve/service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"
#include "serve/limits.hpp"
#include "serve/metrics.hpp"
#include "serve/problem.hpp"
#include "serve/route.hpp"
#include "serve/secret.hpp"
#include "serve/write_probe.hpp"

namespace allot::serve {
namespace {

using http::Method;
using http::Response;

constexpr std::size_t kLongestKey = 200;
/// Longer answers are not kept to be given again.
constexpr std::size_t kLongestKept = 64 << 10;

/// Whether the path is one of the pattern.
bool fits(std::string_view pattern, std::string_view path) {
  // Most differ in how they end.
  if (!pattern.ends_with('}') && !pattern.ends_with(path.substr(path.rfind('/')))) return false;
  while (true) {
    const std::size_t wanted_end = pattern.find('/', 1), given_end = path.find('/', 1);
    const std::string_view wanted = pattern.substr(0, wanted_end),
                           given = path.substr(0, given_end);
    if (wanted.starts_with("/{") ? given.size() < 2 : wanted != given) return false;
    if (wanted_end == std::string_view::npos || given_end == std::string_view::npos) {
      return wanted_end == given_end;
    }
    pattern.remove_prefix(wanted_end);
    path.remove_prefix(given_end);
  }
}

/// What stands for the {names} of the pattern in a path that fits it.
std::map<std::string, std::string, std::less<>> params_of(std::string_view pattern,
                                                          std::string_view path) {
  std::map<std::string, std::string, std::less<>> params;
  while (!pattern.empty()) {
    const std::string_view wanted = pattern.substr(0, pattern.find('/', 1)),
                           given = path.substr(0, path.find('/', 1));
    if (wanted.starts_with("/{")) {
      params.emplace(wanted.substr(2, wanted.size() - 3), given.substr(1));
    }
    pattern.remove_prefix(wanted.size());
    path.remove_prefix(given.size());
  }
  return params;
}

std::ptrdiff_t depth(std::string_view path) { return std::ranges::count(path, '/'); }

/// What every answer says about itself.
void add_strict_fields(Response& response) {
  const auto add = [&](const char* name, const char* value) {
    if (!response.fields.find(name)) response.fields.add(name, value);
  };
  add("Cache-Control", "no-store");
  add("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors 'none'");
  add("Referrer-Policy", "no-referrer");
  add("X-Content-Type-Options", "nosniff");
  add("X-Frame-Options", "DENY");
}

Response without_private(Response response) {
  if (!response.fields.find(kPrivateCause)) return response;
  http::Fields fields;
  for (const auto& [name, value] : response.fields.list()) {
    if (name != kPrivateCause) fields.add(name, value);
  }
  response.fields = std::move(fields);
  return response;
}

/// Another stream, whose trouble is told to somebody else as well.
class ToldStream final : public http::Stream {
 public:
  using Tell = std::function<void(const Error&)>;
  ToldStream(std::unique_ptr<http::Stream> stream, Tell tell)
      : stream_(std::move(stream)), tell_(std::move(tell)) {}
  void pull(Ready ready) override {
    stream_->pull([tell = tell_, ready = std::move(ready)](auto piece) {
      if (!piece) tell(piece.error());
      ready(std::move(piece));
    });
  }

 private:
  const std::unique_ptr<http::Stream> stream_;
  const Tell tell_;
};

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

Response too_often(double seconds) {
  Response response =
      problem(429, "too_many_requests", "this token makes too many requests; try again later");
  response.fields.add("Retry-After", fmt::format("{}", std::max(1.0, std::ceil(seconds))));
  return response;
}

}  // namespace

struct Service::Match {
  const Route* route = nullptr;
  /// Methods of routes with such a path.
  std::vector<Method> allowed;
};

Service::Service(Hub& hub, ServiceOptions options)
    : hub_(hub),
      options_(std::move(options)),
      log_(options_.log, options_.log_level),
      limiter_(std::make_unique<Limiter>(options_.rate, options_.burst)),
      metrics_(std::make_unique<Metrics>()),
      memory_(std::make_shared<Memory>(options_.kept_answers)),
      webhooks_(std::make_unique<Webhooks>(hub_, *metrics_, log_, options_.webhooks,
                                           options_.private_webhooks, options_.version)),
      write_probe_(std::make_unique<WriteProbe>(hub_.folder(), options_.probe_every)) {
  add_server_routes(routes_);
  add_campaign_routes(routes_);
  add_twin_routes(routes_);
  add_import_routes(routes_);
  add_item_routes(routes_);
  add_work_routes(routes_);
  add_report_routes(routes_);
  add_board_routes(routes_);
  add_forecast_routes(routes_);
  add_live_routes(routes_);
  add_webhook_routes(routes_);
  add_page_routes(routes_);
  for (const Route& route : routes_) {
    const auto deep = static_cast<std::size_t>(depth(route.pattern));
    if (by_depth_.size() <= deep) by_depth_.resize(deep + 1);
    by_depth_[deep].push_back(&route);
  }
  openapi_ = make_openapi(routes_, options_.version);
  openapi_tag_ = fmt::format("\"{:.16}\"", hex(digest_of(openapi_)));
  docs_ = make_docs(routes_);
}

Service::~Service() = default;

Service::Match Service::match(Method method, std::string_view path) const {
  Match match;
  const Method wanted = method == Method::head ? Method::get : method;
  const auto deep = static_cast<std::size_t>(depth(path));
  if (deep >= by_depth_.size()) return match;
  for (const Route* route : by_depth_[deep]) {
    if (!fits(route->pattern, path)) continue;
    match.allowed.push_back(route->method);
    if (route->method == wanted) match.route = route;
  }
  return match;
}

http::Service::Intake Service::intake(Method method, std::string_view path) const {
  const Route* route = match(method, path).route;
  if (!route) return {.largest_body = 0};
  if (!route->uploads.empty()) return {options_.largest_upload, true};
  return {.largest_body = options_.largest_body};
}

void Service::handle(http::Request request, http::Reply reply) {
  const auto trace = std::make_shared<Trace>();
  trace->request = request.id;
  trace->method = name(request.method);
  const auto begin = std::chrono::steady_clock::now();
  const auto call = std::make_shared<Call>(
      *this, std::move(request), [this, trace, begin, reply = std::move(reply)](Response response) {
        trace->status = response.status;
        trace->cause = response.fields.find(kPrivateCause).value_or("");
        trace->seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        metrics_->request(trace->route, trace->method, trace->status, trace->seconds);
        log_.request(*trace, hub_.now());
        response = without_private(std::move(response));
        add_strict_fields(response);
        if (response.stream) {
          response.stream = std::make_unique<ToldStream>(std::move(response.stream),
                                                         [this, trace](const Error& error) {
                                                           log_.note({.level = Level::error,
                                                                      .what = "an answer was cut",
                                                                      .request = trace->request,
                                                                      .campaign = trace->campaign,
                                                                      .cause = error.message},
                                                                     hub_.now());
                                                         });
        }
        reply(std::move(response));
      });
  call->trace = trace;
  Match found = match(call->request.method, call->request.path);
  if (!found.route) {
    if (found.allowed.empty()) {
      if (wants_page(*call)) return send_no_such_page(call);
      return call->reply(problem(404, "no_such_route",
                                 fmt::format("there is nothing at {}; /docs lists what there is",
                                             in_quotes(call->request.path))));
    }
    std::string allowed;
    for (const Method one : found.allowed) {
      allowed += (allowed.empty() ? "" : ", ") + std::string(name(one));
      if (one == Method::get) allowed += ", HEAD";
    }
    Response response = problem(
        405, "no_such_method",
        fmt::format("{} is not for this path; expected {}", name(call->request.method), allowed));
    response.fields.add("Allow", allowed);
    return call->reply(std::move(response));
  }
  call->route = found.route;
  trace->route = found.route->pattern;
  call->params = params_of(found.route->pattern, call->request.path);
  if (auto response = refused(*call)) return call->reply(*std::move(response));
  if (auto response = recalled(*call)) return call->reply(*std::move(response));
  try {
    call->route->handle(call);
  } catch (const std::exception& wrong) {
    call->reply(broken(wrong.what()));
  }
}

std::optional<Response> Service::refused(Call& call) {
  const Route& route = *call.route;
  const auto now = std::chrono::steady_clock::now();
  if (route.access != Access::anyone) {
    const auto text = bearer(call.request);
    const auto token = text ? hub_.vault().find(*text) : std::nullopt;
    if (!token) {
      if (const double wait = limiter_->take("peer " + call.request.peer, now); wait > 0) {
        return too_often(wait);
      }
      return text ? unauthorised("bad_token", "the token is unknown or was revoked")
                  : unauthorised("no_token",
                                 "expected a token, as in Authorization: Bearer allot_...");
    }
    call.token = *token;
    call.trace->token = token->id;
    call.trace->role = name(token->role);
    if (const double wait = limiter_->take(token->id, now); wait > 0) return too_often(wait);
    const auto wrong_role = [&] {
      return problem(403, "wrong_role",
                     fmt::format("a token of a {} cannot do this; it is for {}", name(token->role),
                                 about(route.access)));
    };
    const bool is_worker = token->role == Role::worker;
    if (is_worker && route.access != Access::worker && route.access != Access::token) {
      return wrong_role();
    }
    if (token->role != Role::admin && route.access == Access::admin) return wrong_role();
    if (call.params.contains("campaign")) {
      const auto entry = hub_.vault().campaign(call.campaign());
      const bool visible =
          entry && (token->role == Role::admin ||
                    (is_worker ? token->campaign == entry->id : token->owner_of(*entry)));
      // Whose it is not need not know that it is there.
      if (!visible) {
        return problem(404, "not_found",
                       fmt::format("there is no campaign {}", in_quotes(call.campaign())));
      }
      call.trace->campaign = entry->id;
    }
  }
  if (route.page) return std::nullopt;
  for (const auto& [given, value] : call.request.query) {
    const auto known = std::ranges::find(route.query, given, &Parameter::name);
    if (known == route.query.end() || value.size() > kLongestName) {
      return problem(400, "invalid_argument",
                     fmt::format("the parameter {} is {}", in_quotes(given),
                                 known == route.query.end() ? "unknown here" : "too long"));
    }
  }
  return std::nullopt;
}

std::optional<Response> Service::recalled(Call& call) {
  const auto key = call.request.fields.find("Idempotency-Key");
  if (!key || !call.route->keyed) return std::nullopt;
  const auto plain = [](char c) { return c > ' ' && c < '\x7f'; };
  if (key->empty() || key->size() > kLongestKey || !std::ranges::all_of(*key, plain)) {
    return problem(400, "invalid_argument",
                   fmt::format("an Idempotency-Key of {} bytes; expected 1 to {} letters, digits "
                               "and signs",
                               key->size(), kLongestKey));
  }
  if (!call.route->uploads.empty()) return std::nullopt;
  const std::string name = fmt::format("{} {} {}", call.token.id, call.request.path, *key);
  const std::string digest = digest_of(call.request.body);
  if (const auto kept = memory_->find(name)) {
    if (kept->digest != digest) {
      return key_reused(call);
    }
    Response response{.status = kept->status};
    response.fields.add("Content-Type", kept->type);
    response.fields.add("Idempotency-Replayed", "true");
    response.body = kept->body;
    return response;
  }
  call.reply = [reply = std::move(call.reply), memory = memory_, name, digest](Response response) {
    const auto type = response.fields.find("Content-Type");
    // The answer to a request whose key is that of another is not the answer under that key.
    const bool is_its_own = response.status != status_of(ErrorCode::key_reused);
    if (response.status < 500 && response.status != 429 && is_its_own && !response.stream &&
        response.body.size() <= kLongestKept) {
      memory->keep(name, {digest, response.status, std::string(type.value_or("")), response.body});
    }
    reply(std::move(response));
  };
  return std::nullopt;
}

std::string_view name(Method method) {
  switch (method) {
    case Method::get:
      return "GET";
    case Method::head:
      return "HEAD";
    case Method::post:
      return "POST";
    case Method::put:
      return "PUT";
    case Method::patch:
      return "PATCH";
    case Method::del:
      break;
  }
  return "DELETE";
}

std::string_view about(Access access) {
  switch (access) {
    case Access::anyone:
      return "anyone";
    case Access::token:
      return "whoever has a token";
    case Access::admin:
      return "admins";
    case Access::requester:
      return "admins and requesters";
    case Access::owner:
      return "admins and the requester whose campaign it is";
    case Access::worker:
      break;
  }
  return "admins, the requester whose campaign it is, and its workers";
}

Response key_reused(const Call& call) { return problem(call.said({ErrorCode::key_reused, ""})); }

Response json_response(std::string body, int status) {
  Response response{.status = status};
  response.fields.add("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

std::optional<std::string> Call::query(std::string_view wanted) const {
  for (const auto& [one, value] : request.query) {
    if (one == wanted) return value;
  }
  return std::nullopt;
}

Result<std::uint64_t> Call::whole(std::string_view wanted, std::uint64_t usual, std::uint64_t least,
                                  std::uint64_t most) const {
  const auto text = query(wanted);
  if (!text) return usual;
  const auto number = parse_whole(*text);
  if (number && *number >= least && *number <= most) return *number;
  return fail(ErrorCode::invalid_argument, fmt::format("{} {} is not a whole number from {} to {}",
                                                       wanted, in_quotes(*text), least, most));
}

std::string Call::key(std::string_view part) const {
  const auto given = request.fields.find("Idempotency-Key");
  return given ? fmt::format("{}:{}{}", token.id, *given, part) : "";
}

std::string Call::worker(Body& body) const {
  if (!is_worker()) return body.text("worker");
  const auto named = body.text_if("worker");
  if (named && *named != token.worker) {
    body.refuse("this token is of another worker; expected their own name, or none",
                ErrorCode::forbidden);
  }
  return token.worker;
}

Error Call::said(const Error& error) const {
  if (error.code == ErrorCode::key_reused) {
    const auto key = request.fields.find("Idempotency-Key").value_or("");
    return {error.code,
            fmt::format("the Idempotency-Key {} was used for another request; expected a new one",
                        in_quotes(key))};
  }
  if (!is_worker() || error.code == ErrorCode::invalid_argument ||
      error.code == ErrorCode::store_failure) {
    return error;
  }
  if (error.code == ErrorCode::conflict) {
    return {ErrorCode::conflict,
            "this is not what you said before, or you do not have the item any more"};
  }
  return {ErrorCode::forbidden, "you do not have this item, or it needs no more labels"};
}

void Call::refuse(const Error& error) const { reply(problem(error)); }

namespace {

Response answered(const Call::Task& work) {
  try {
    auto response = work();
    return response ? *std::move(response) : problem(response.error());
  } catch (const std::exception& wrong) {
    return broken(wrong.what());
  }
}

}  // namespace

void Call::command(Work work) const {
  hub().command(
      campaign(),
      [work = std::move(work)](Room& room) {
        auto response = work(room);
        return response ? *std::move(response) : problem(response.error());
      },
      reply);
}

void Call::look(Work work) const {
  hub().look(
      campaign(),
      [work = std::move(work)](Room& room) {
        auto response = work(room);
        return response ? *std::move(response) : problem(response.error());
      },
      reply);
}

void Call::work(const Task& work) const {
  const bool taken = hub().work([work, answer = reply] { answer(answered(work)); });
  if (!taken) reply(busy("the server is about to stop"));
}

void Call::work_slowly(const Task& work) const {
  const bool taken = hub().slowly([work, answer = reply, &hub = hub()] {
    answer(hub.stopped() ? busy("the server is about to stop") : answered(work));
  });
  if (!taken) reply(busy("too many such requests wait already; try again in a moment"));
}

}  // namespace allot::serve
