// The server as a whole: health and documents.
#include <fmt/format.h>

#include "serve/call.hpp"
#include "serve/etag.hpp"
#include "serve/problem.hpp"
#include "serve/routes.hpp"
#include "serve/schema.hpp"
#include "serve/write_probe.hpp"

namespace allot::serve {
namespace {

using http::Method;
using http::Response;

constexpr const char* kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#222;background:#fff}h2{font-size:1.1rem;margin:2rem 0 .3rem}pre{white-space:pre-wrap;"
    "background:#f4f4f4;padding:.6rem}dt{font-weight:600}summary{cursor:pointer}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#242424}"
    "a{color:#8bf}}\n";

void health(const CallPtr& call) { call->reply(json_response(R"({"status": "ok"})")); }

void ready(const CallPtr& call) {
  if (call->hub().stopped()) return call->reply(busy(kStopping));
  call->work([call]() -> Result<Response> {
    const std::string trouble = call->service.write_probe().trouble();
    if (trouble.empty()) return json_response(R"({"status": "ready"})");
    Response response =
        problem(503, "store_failure",
                fmt::format("the data folder cannot be written ({}); requests that only read are "
                            "still answered",
                            trouble));
    response.fields.add("Retry-After", "5");
    return response;
  });
}

void openapi(const CallPtr& call) {
  const std::string& tag = call->service.openapi_tag();
  Response response = is_known(call->request, tag) ? Response{.status = 304}
                                                   : json_response(call->service.openapi());
  response.fields.add("ETag", tag);
  response.fields.add("Cache-Control", "no-cache");
  call->reply(std::move(response));
}

void docs(const CallPtr& call) {
  Response response;
  response.fields.add("Content-Type", "text/html; charset=utf-8");
  response.body = call->service.docs();
  call->reply(std::move(response));
}

void style(const CallPtr& call) {
  Response response;
  response.fields.add("Content-Type", "text/css");
  response.body = kStyle;
  call->reply(std::move(response));
}

}  // namespace

void add_server_routes(std::vector<Route>& routes) {
  using namespace schema;
  routes.insert(
      routes.end(),
      {{Method::get, "/healthz", Access::anyone, "health", "Liveness check: the server is running",
        health, "", object({{"status", text()}})},
       {Method::get, "/readyz", Access::anyone, "ready",
        "Readiness check: the server takes requests and can write its data folder", ready, "",
        object({{"status", text()}})},
       {.method = Method::get,
        .pattern = "/openapi.json",
        .access = Access::anyone,
        .name = "openapi",
        .summary = "This OpenAPI document",
        .handle = openapi,
        .response = anything(),
        .tagged = true},
       {.method = Method::get,
        .pattern = "/docs",
        .access = Access::anyone,
        .name = "docs",
        .summary = "This API as a page for people",
        .handle = docs,
        .response = text(),
        .produces = "text/html; charset=utf-8"},
       {.method = Method::get,
        .pattern = "/docs.css",
        .access = Access::anyone,
        .name = "docs_style",
        .summary = "Style sheet of that page",
        .handle = style,
        .response = text(),
        .produces = "text/css"}});
}

}  // namespace allot::serve
