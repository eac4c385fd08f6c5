#include "serve/service.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "serve/admission.hpp"
#include "serve/call.hpp"
#include "serve/forwarder.hpp"
#include "serve/openapi.hpp"
#include "serve/problem.hpp"
#include "serve/secret.hpp"
#include "serve/sign_in.hpp"

namespace allot::serve {
namespace {

using http::Method;
using http::Response;

/// Bytes of a body that needs no token, such as the parameters of a recruiting link.
constexpr std::uint64_t kLargestOfAnyone = 64 << 10;

std::vector<Route> all_routes() {
  std::vector<Route> routes;
  for (const auto add :
       {add_server_routes,     add_token_routes,   add_people_routes,   add_campaign_routes,
        add_twin_routes,       add_import_routes,  add_item_routes,     add_work_routes,
        add_worker_routes,     add_group_routes,   add_review_routes,   add_report_routes,
        add_stream_routes,     add_board_routes,   add_forecast_routes, add_webhook_routes,
        add_recruiting_routes, add_arrival_routes, add_sign_in_routes,  add_model_routes,
        add_page_routes}) {
    add(routes);
  }
  return routes;
}

/// Strict defaults for fields that a handler did not set.
void add_strict_fields(Response& response) {
  const auto add = [&](const char* name, const char* value) {
    if (!response.fields.find(name)) response.fields.add(name, value);
  };
  add("Cache-Control", "no-store");
  add("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors 'none'");
  add("Referrer-Policy", "no-referrer");
  add("X-Content-Type-Options", "nosniff");
  // Only a page that names who may frame it can be framed.
  const std::string_view policy = response.fields.find("Content-Security-Policy").value_or("");
  if (policy.find("frame-ancestors https:") == std::string_view::npos) {
    add("X-Frame-Options", "DENY");
  }
}

/// Passes another stream on and reports its error, which cuts the response.
class ReportingStream final : public http::Stream {
 public:
  using Report = std::function<void(const Error&)>;
  ReportingStream(std::unique_ptr<http::Stream> stream, Report report)
      : stream_(std::move(stream)), report_(std::move(report)) {}
  void pull(Ready ready) override {
    stream_->pull([report = report_, ready = std::move(ready)](auto piece) {
      if (!piece) report(piece.error());
      ready(std::move(piece));
    });
  }

 private:
  const std::unique_ptr<http::Stream> stream_;
  const Report report_;
};

/// 404, or 405 if the path has routes with other methods.
Response no_route(const Call& call, const std::vector<Method>& allowed) {
  if (allowed.empty()) {
    return problem(404, "no_such_route",
                   fmt::format("there is nothing at {}; /docs lists all routes",
                               in_quotes(call.request.path)));
  }
  std::string names;
  for (const Method method : allowed) {
    names += (names.empty() ? "" : ", ") + std::string(name(method));
    if (method == Method::get) names += ", HEAD";
  }
  Response response =
      problem(405, "no_such_method",
              fmt::format("{} is not allowed here; expected {}", name(call.request.method), names));
  response.fields.add("Allow", names);
  return response;
}

}  // namespace

Service::Service(Hub& hub, ServiceOptions options)
    : hub_(hub),
      options_(std::move(options)),
      routes_(all_routes()),
      openapi_(make_openapi(routes_.routes(), options_.version)),
      openapi_tag_(fmt::format("\"{:.16}\"", hex(digest_of(openapi_)))),
      docs_(make_docs(routes_.routes())),
      log_(options_.log, options_.log_level),
      limiter_(std::make_unique<RateLimiter>(options_.rate, options_.burst)),
      arrivals_(std::make_unique<RateLimiter>(options_.rate, options_.burst)),
      responses_(std::make_shared<ResponseCache>(options_.kept_answers)),
      webhooks_(hub_, metrics_, log_, options_.webhooks, options_.private_webhooks,
                options_.version),
      models_(hub_, options_.models, log_),
      write_probe_([&hub] { return hub.store().write_trouble(); }, options_.probe_every),
      sign_in_(std::make_unique<SignIn>(hub_, options_.sign_in)) {
  if (Cluster* const cluster = hub_.cluster()) {
    forwarder_ =
        std::make_unique<Forwarder>(hub_, *cluster, [this](const CallPtr& call) { proceed(call); });
  }
}

Service::~Service() = default;

Result<void> Service::join(const std::string& address) {
  return hub_.join(address, {.gained = [this] { webhooks_.changed(); },
                             .gone =
                                 [this](const std::string& gone) {
                                   if (forwarder_) forwarder_->abandon(gone);
                                 }});
}

http::Service::Intake Service::intake(const http::Request& request) const {
  // Reading needs no body: its token is looked up in `handle` only.
  if (request.method == Method::get || request.method == Method::head) {
    return {.largest_body = options_.largest_body};
  }
  const Route* route = routes_.find(request.method, request.path);
  const auto token = token_of(request, hub_.vault(), *sign_in_);
  std::string caller = token && *token ? (*token)->id : "";
  if (route && !route->uploads.empty()) return {options_.largest_upload, true, std::move(caller)};
  // A request without a route is read like others, so that its response can say 404 or 405.
  const bool anyone = route && route->access == Access::anyone;
  return {.largest_body = std::min(options_.largest_body, anyone ? kLargestOfAnyone : UINT64_MAX),
          .caller = std::move(caller)};
}

void Service::finish(const std::shared_ptr<Trace>& trace,
                     std::chrono::steady_clock::time_point begin, Response response,
                     const http::Reply& reply) {
  trace->status = response.status;
  trace->reason = response.reason;
  trace->cause = response.cause;
  trace->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  metrics_.request(trace->route, trace->method, trace->status, trace->seconds);
  log_.request(*trace, hub_.now());
  if (options_.access_log && is_access(*trace)) {
    options_.access_log(access_line(*trace, hub_.now()));
  }
  add_strict_fields(response);
  if (response.stream) {
    const auto report = [this, trace](const Error& error) {
      log_.note({.level = Level::error,
                 .what = "a response was cut",
                 .request = trace->request,
                 .campaign = trace->campaign,
                 .cause = error.message},
                hub_.now());
    };
    response.stream = std::make_unique<ReportingStream>(std::move(response.stream), report);
  }
  reply(std::move(response));
}

void Service::note_refusal(const http::RefusedRequest& refused) const {
  Trace trace{.request = std::string(refused.id),
              .method = std::string(refused.method),
              .status = refused.status,
              .seconds = std::chrono::duration<double>(refused.duration).count(),
              .reason = std::string(refused.code)};
  const auto method = std::ranges::find(http::kMethodNames, refused.method);
  if (method != std::end(http::kMethodNames) && !refused.path.empty()) {
    const auto found = static_cast<Method>(method - std::begin(http::kMethodNames));
    if (const Route* const route = routes_.find(found, refused.path)) trace.route = route->pattern;
  }
  log_.request(trace, hub_.now());
  if (!options_.access_log) return;
  trace.peer = options_.sign_in.client_address(std::string(refused.peer), refused.fields);
  trace.path = refused.path;
  options_.access_log(access_line(trace, hub_.now()));
}

void Service::handle(http::Request request, http::Reply reply) {
  const auto trace = std::make_shared<Trace>();
  trace->request = request.id;
  trace->method = name(request.method);
  if (options_.access_log) {
    trace->peer = options_.sign_in.client_address(request.peer, request.fields);
    trace->path = request.path;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto call = std::make_shared<Call>(
      *this, std::move(request), [this, trace, begin, reply = std::move(reply)](Response response) {
        finish(trace, begin, std::move(response), reply);
      });
  call->trace = trace;
  call->route = routes_.find(call->request.method, call->request.path);
  if (!call->route) {
    const std::vector<Method> allowed = routes_.methods(call->request.path);
    const bool page = allowed.empty() && wants_page(*call);
    static_cast<void>(page ? send_no_such_page(call) : call->send(no_route(*call, allowed)));
    return;
  }
  trace->route = call->route->pattern;
  call->params = params_of(call->route->pattern, call->request.path);
  admit(call, hub_.cluster() == nullptr);
}

void Service::admit(const CallPtr& call, bool is_fresh) {
  if (sign_in_->must_enrol(call->request)) {
    const bool taken = hub_.work([this, call, is_fresh] {
      const auto enrolled = result_of([&] { return sign_in_->enrol_caller(call->request); });
      if (!enrolled) {
        call->trace->person = sign_in_->claimed_person(call->request);
        return call->reply(problem(enrolled.error()));
      }
      admit(call, is_fresh);
    });
    return taken ? void() : call->reply(busy(kStopping));
  }
  if (auto refusal = check_admission(*call, *limiter_)) {
    if (is_fresh || (refusal->status != 401 && refusal->status != 404)) {
      return call->reply(*std::move(refusal));
    }
    const bool taken = hub_.work([this, call] {
      const auto refreshed = result_of([&] { return hub_.vault().refresh(); });
      if (!refreshed) return call->reply(problem(refreshed.error()));
      admit(call, true);
    });
    return taken ? void() : call->reply(busy(kStopping));
  }
  if (forwarder_ && call->params.contains("campaign") && !call->route->page) {
    return forwarder_->route(call);
  }
  proceed(call);
}

void Service::proceed(const CallPtr& call) {
  if (auto response = replay(*call, responses_)) return call->reply(*std::move(response));
  try {
    if (const auto handled = call->route->handle(call); !handled) {
      call->reply(problem(handled.error()));
    }
  } catch (const std::exception& wrong) {
    call->reply(internal_error(wrong.what()));
  }
}

}  // namespace allot::serve
