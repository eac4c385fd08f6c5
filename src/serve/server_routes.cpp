// The server as a whole: health, documents and metrics.
#include <fmt/format.h>

#include "serve/call.hpp"
#include "serve/problem.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using http::Response;

constexpr const char* kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 "
    "1rem;overflow-wrap:anywhere;"
    "color:#222;background:#fff}h2{font-size:1.1rem;margin:2rem 0 .3rem}pre{white-space:pre-wrap;"
    "background:#f4f4f4;padding:.6rem}dt{font-weight:600}summary{cursor:pointer}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#242424}"
    "a{color:#8bf}}\n";

Result<void> health(const CallPtr& call) {
  return call->send(json_response(R"({"status": "ok"})"));
}

std::string ready_json(Hub& hub) {
  JsonObject object;
  object.text("status", "ready");
  if (!hub.cluster()) return object;
  const Cluster::Figures figures = hub.cluster()->figures();
  return object.text("node", figures.node)
      .whole("servers", figures.nodes.size())
      .whole("campaigns", figures.epochs.size())
      .number("renewal_age_seconds", figures.renewal_age)
      .whole("standby_lag_bytes", figures.lag)
      .whole("standby_waits", figures.waits)
      .whole("shortened_campaigns", figures.shortened);
}

Result<void> ready(const CallPtr& call) {
  if (call->hub().stopped()) return call->send(busy(kStopping));
  return call->work([call]() -> Result<Response> {
    const std::string trouble = call->service.write_probe().trouble();
    if (trouble.empty()) return json_response(ready_json(call->hub()));
    Response response =
        problem(503, "store_failure",
                fmt::format("changes cannot be written ({}); requests that only read are still "
                            "answered",
                            trouble));
    response.cause = trouble;
    response.fields.add("Retry-After", "5");
    return response;
  });
}

Result<void> openapi(const CallPtr& call) {
  const std::string& tag = call->service.openapi_tag();
  Response response = is_known(call->request, tag) ? Response{.status = 304}
                                                   : json_response(call->service.openapi());
  response.fields.add("ETag", tag);
  response.fields.add("Cache-Control", "no-cache");
  return call->send(std::move(response));
}

/// Sends a text in the content type of the route.
Result<void> send_text(const CallPtr& call, std::string text) {
  Response response{.body = std::move(text)};
  response.fields.add("Content-Type", call->route->produces);
  return call->send(std::move(response));
}

Result<void> docs(const CallPtr& call) { return send_text(call, call->service.docs()); }
Result<void> style(const CallPtr& call) { return send_text(call, kStyle); }
Result<void> metrics(const CallPtr& call) {
  return call->work([call]() -> Result<Response> {
    const bool is_ready = call->service.write_probe().trouble().empty();
    Response response{
        .body = call->service.metrics().text(call->service.options().version, is_ready,
                                             call->hub().vault().campaigns().size(),
                                             call->hub().figures())};
    response.fields.add("Content-Type", call->route->produces);
    return response;
  });
}

}  // namespace

void add_server_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup anyone(routes, "", Access::anyone);
  const std::string status = object({{"status", text()}});
  anyone.add(get, "/healthz", "health", health, "Liveness check: the server is running", status);
  anyone.add(get, "/readyz", "ready", ready,
             "Readiness check: the server takes requests and can write its data",
             object({{"status", text()},
                     maybe("node", text("Id of this server among several on one database")),
                     maybe("servers", whole("Servers that renew their leases")),
                     maybe("campaigns", whole("Campaigns that this server owns")),
                     maybe("renewal_age_seconds", number("Since leases were last renewed")),
                     maybe("standby_lag_bytes", or_null(whole("Not yet flushed by a standby"))),
                     maybe("standby_waits", or_null(whole("Commits that wait for a standby"))),
                     maybe("shortened_campaigns",
                           whole("Campaigns whose ledgers lack acknowledged records"))}));
  anyone.add(get, "/openapi.json", "openapi", openapi, "This OpenAPI document", anything(),
             {.tagged = true});
  anyone.add(get, "/docs", "docs", docs, "This API as a page for people", text(),
             {.produces = "text/html; charset=utf-8"});
  anyone.add(get, "/docs.css", "docs_style", style, "Style sheet of that page", text(),
             {.produces = "text/css"});
  RouteGroup(routes, "", Access::monitor)
      .add(get, "/metrics", "metrics", metrics, "Prometheus metrics", text(),
           {.produces = "text/plain; version=0.0.4"});
}

}  // namespace allot::serve
