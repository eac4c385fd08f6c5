#include "serve/openapi.hpp"

#include <fmt/format.h>

#include <map>

#include "http/ascii.hpp"
#include "serve/json.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

/// The names in braces.
std::vector<std::string> places(const std::string& pattern) {
  std::vector<std::string> names;
  for (std::size_t at = pattern.find('{'); at != std::string::npos;
       at = pattern.find('{', at + 1)) {
    names.push_back(pattern.substr(at + 1, pattern.find('}', at) - at - 1));
  }
  return names;
}

std::string parameters(const Route& route) {
  JsonList list;
  const auto add = [&](std::string_view name, std::string_view where, const std::string& schema,
                       std::string_view about, bool required = false) {
    JsonObject parameter;
    parameter.text("name", name)
        .text("in", where)
        .flag("required", required)
        .json("schema", schema);
    if (!about.empty()) parameter.text("description", about);
    list.json(parameter);
  };
  for (const std::string& name : places(route.pattern)) add(name, "path", schema::text(), "", true);
  for (const auto& [name, schema, about] : route.query) add(name, "query", schema, about);
  if (route.keyed) {
    add("Idempotency-Key", "header", schema::text(),
        "Names the request; a repeat gets the same response and changes nothing");
  }
  if (route.tagged) {
    add("If-None-Match", "header", schema::text(), "ETag of the response that the client has");
  }
  return list;
}

/// Adds `content`: each of the types with the schema.
JsonObject& add_content(JsonObject& to, const std::vector<std::string>& types,
                        const std::string& schema) {
  JsonObject content;
  for (const std::string& type : types) content.json(type, JsonObject().json("schema", schema));
  return to.json("content", content);
}

std::string responses(const Route& route) {
  JsonObject good;
  good.text("description", "Success");
  if (!route.response.empty()) {
    std::vector<std::string> types = route.also_produces;
    types.insert(types.begin(), route.produces);
    add_content(good, types, route.response);
  }
  JsonObject all;
  all.json(fmt::format("{}", route.success), good);
  if (route.tagged) all.json("304", R"({"description": "Not modified"})");
  return all.json("default", R"({"$ref": "#/components/responses/Problem"})");
}

std::string operation(const Route& route) {
  JsonObject operation;
  operation.text("operationId", route.name)
      .text("summary", route.summary)
      .text("description", fmt::format("For {}.", about(route.access)))
      .json("parameters", parameters(route));
  JsonObject body;
  body.flag("required", true);
  if (!route.uploads.empty()) {
    operation.json("requestBody", add_content(body, route.uploads, schema::text()));
  } else if (!route.request.empty()) {
    operation.json("requestBody", add_content(body, {"application/json"}, route.request));
  }
  return operation.json("security", route.access == Access::anyone ? "[]" : R"([{"token": []}])")
      .json("responses", responses(route));
}

std::string html_escaped(std::string_view text) {
  static const std::map<char, std::string_view> kNames{
      {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}};
  std::string safe;
  for (const char& c : text) {
    const auto named = kNames.find(c);
    safe += named == kNames.end() ? std::string_view(&c, 1) : named->second;
  }
  return safe;
}

}  // namespace

std::string make_openapi(const std::vector<Route>& routes, const std::string& version) {
  std::vector<std::string> order;
  std::map<std::string, JsonObject> paths;
  for (const Route& route : routes) {
    if (route.page) continue;
    if (!paths.contains(route.pattern)) order.push_back(route.pattern);
    paths[route.pattern].json(http::lower(std::string(name(route.method))), operation(route));
  }
  JsonObject all, schemas, problem;
  for (const std::string& pattern : order) all.json(pattern, paths[pattern]);
  for (const auto& [name, schema] : components()) schemas.json(name, schema);
  for (const auto& [name, schema] : recruiting_components()) schemas.json(name, schema);
  add_content(problem.text("description", "A refusal"), {"application/problem+json"},
              schema::ref("Problem"));
  return JsonObject()
      .text("openapi", "3.1.0")
      .json("info", JsonObject()
                        .text("title", "allot")
                        .text("version", version)
                        .text("description",
                              "Decides which label to buy next. Campaigns have items; workers ask "
                              "for items and label them; answers follow from the labels. Null "
                              "members of a request are treated as absent."))
      .json("servers", R"([{"url": "/"}])")
      .json("paths", all)
      .json("components",
            JsonObject()
                .json("schemas", schemas)
                .json("responses", JsonObject().json("Problem", problem))
                .json("securitySchemes", R"({"token": {"type": "http", "scheme": "bearer"}})"));
}

std::string make_docs(const std::vector<Route>& routes) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>allot: the API</title>\n"
      "<link rel=\"stylesheet\" href=\"/docs.css\">\n</head>\n<body>\n<main>\n<h1>allot: the "
      "API</h1>\n"
      "<p>Every route of this server. Programs read <a href=\"/openapi.json\">/openapi.json</a>, "
      "which says the same with schemas. Requests carry a token, as in <code>Authorization: "
      "Bearer allot_...</code>; refusals are <code>application/problem+json</code> with a "
      "<code>code</code> that stays the same.</p>\n<nav aria-label=\"Routes\">\n<ul>\n";
  for (const Route& route : routes) {
    if (route.page) continue;
    page += fmt::format("<li><a href=\"#{}\"><code>{} {}</code></a> {}</li>\n",
                        html_escaped(route.name), name(route.method), html_escaped(route.pattern),
                        html_escaped(route.summary));
  }
  page += "</ul>\n</nav>\n";
  for (const Route& route : routes) {
    if (route.page) continue;
    page += fmt::format("<section id=\"{}\">\n<h2><code>{} {}</code></h2>\n<p>{}. For {}.</p>\n",
                        html_escaped(route.name), name(route.method), html_escaped(route.pattern),
                        html_escaped(route.summary), html_escaped(about(route.access)));
    if (!route.query.empty()) {
      page += "<dl>\n";
      for (const auto& [name, schema, about] : route.query) {
        page += fmt::format("<dt><code>{}</code></dt><dd>{}</dd>\n", html_escaped(name),
                            html_escaped(about));
      }
      page += "</dl>\n";
    }
    if (!route.uploads.empty()) {
      page += fmt::format("<p>Takes {}, in pieces.</p>\n",
                          html_escaped(fmt::format("{}", fmt::join(route.uploads, " or "))));
    }
    if (route.keyed) page += "<p>Takes an <code>Idempotency-Key</code>.</p>\n";
    for (const auto& [what, schema] :
         {std::pair("Request", route.request), std::pair("Answer", route.response)}) {
      if (schema.empty() || schema == schema::text()) continue;
      page += fmt::format("<details><summary>{}</summary><pre>{}</pre></details>\n", what,
                          html_escaped(schema));
    }
    page += "</section>\n";
  }
  return page + "</main>\n</body>\n</html>\n";
}

}  // namespace allot::serve
