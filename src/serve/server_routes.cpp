// What concerns the server as a whole: health, documents, tokens.
#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "serve/etag.hpp"
#include "serve/json.hpp"
#include "serve/paging.hpp"
#include "serve/problem.hpp"
#include "serve/route.hpp"
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

std::string token_json(const Token& token) {
  return JsonObject()
      .text("id", token.id)
      .text("role", name(token.role))
      .text_or_null("campaign", token.campaign)
      .text_or_null("worker", token.worker)
      .text("label", token.label)
      .time("created", token.created)
      .text_or_null("revoked", token.revoked ? time_text(*token.revoked) : "")
      .end();
}

void health(const CallPtr& call) { call->reply(json_response(R"({"status": "ok"})")); }

void ready(const CallPtr& call) {
  if (call->hub().stopped()) return call->reply(busy("the server is about to stop"));
  call->work([call]() -> Result<Response> {
    const std::string trouble = call->service.write_probe().trouble();
    if (trouble.empty()) return json_response(R"({"status": "ready"})");
    Response response =
        problem(503, "store_failure",
                fmt::format("the data folder cannot be written ({}); what is read is still "
                            "answered",
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

/// Whether the caller may see and revoke it.
bool is_theirs(const Call& call, const Token& token) {
  if (call.token.role == Role::admin || token.id == call.token.id) return true;
  const auto entry = call.hub().vault().campaign(token.campaign);
  return token.role == Role::worker && entry && call.token.owner_of(*entry);
}

void list_tokens(const CallPtr& call) {
  std::vector<Token> tokens = call->hub().vault().tokens();
  std::erase_if(tokens, [&](const Token& one) { return !is_theirs(*call, one); });
  reply_by_id(*call, "tokens", tokens, token_json);
}

Response issued(const Vault::Issued& one) {
  JsonObject answer;
  answer.json("token", token_json(one.token)).text("secret", one.text);
  if (one.token.role == Role::worker) {
    answer.text("link", fmt::format("/label/{}#{}", one.token.campaign, one.text));
  }
  return json_response(answer.end(), 201);
}

void make_token(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string role_name = body.text("role");
  Token draft{.label = body.text_if("label").value_or("")};
  const auto role = role_named(role_name);
  if (!role_name.empty() && !role) {
    body.refuse(fmt::format("role {} is unknown; expected admin, requester or worker",
                            in_quotes(role_name)));
  }
  draft.role = role.value_or(Role::worker);
  draft.campaign = body.text_if("campaign").value_or("");
  draft.worker = body.text_if("worker").value_or("");
  const bool is_worker = draft.role == Role::worker;
  if (is_worker == (draft.campaign.empty() || draft.worker.empty())) {
    body.refuse(is_worker ? "a worker's token needs campaign and worker"
                          : "campaign and worker are for tokens of workers; expected none");
  }
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  if (!is_worker && call->token.role != Role::admin) {
    return call->reply(problem(403, "wrong_role",
                               "a requester makes tokens of workers alone; expected the role "
                               "worker"));
  }
  const auto entry = call->hub().vault().campaign(draft.campaign);
  if (is_worker && (!entry || !(call->token.role == Role::admin || call->token.owner_of(*entry)))) {
    return call->refuse(
        {ErrorCode::not_found, fmt::format("there is no campaign {}", in_quotes(draft.campaign))});
  }
  call->work([call, draft] { return call->hub().vault().issue(draft, call->now()).map(issued); });
}

void make_link(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const Token draft{.role = Role::worker,
                    .campaign = call->campaign(),
                    .worker = body.text("worker"),
                    .label = body.text_if("label").value_or("")};
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->work([call, draft] { return call->hub().vault().issue(draft, call->now()).map(issued); });
}

void revoke_token(const CallPtr& call) {
  const std::string id = call->params.find("token")->second;
  const auto token = call->hub().vault().with_id(id);
  if (!token || !is_theirs(*call, *token)) {
    return call->refuse({ErrorCode::not_found, fmt::format("there is no token {}", in_quotes(id))});
  }
  call->work([call, id]() -> Result<Response> {
    return call->hub().vault().revoke(id, call->now()).map([] { return Response{.status = 204}; });
  });
}

void who_am_i(const CallPtr& call) {
  const Token& token = call->token;
  const auto answer = [token](const std::string& about) {
    return json_response(JsonObject()
                             .text("role", name(token.role))
                             .text("label", token.label)
                             .text_or_null("worker", token.worker)
                             .json("campaign", about)
                             .end());
  };
  if (!call->is_worker()) return call->reply(answer("null"));
  call->params.emplace("campaign", token.campaign);
  const auto entry = call->hub().vault().campaign(token.campaign);
  call->look([token, answer, entry = entry.value_or(Entry{})](Room& room) {
    return room.seen([&](const campaign::State& state) {
      JsonList classes;
      for (const std::string& one : state.options().classes) classes.text(one);
      const auto worker = state.find_worker(token.worker);
      return answer(JsonObject()
                        .text("id", token.campaign)
                        .text("name", entry.name)
                        .text("phase", campaign::name(state.phase()))
                        .json("classes", classes.end())
                        .json("page", page_json(entry.shown().for_workers()))
                        .whole("labels", worker ? state[*worker].labels : 0)
                        .money("earned", worker ? state[*worker].spent : Money())
                        .whole("at_hand", worker ? state[*worker].leases : 0)
                        .end());
    });
  });
}

}  // namespace

void add_server_routes(std::vector<Route>& routes) {
  using namespace schema;
  const std::string made =
      object({{"token", ref("Token")},
              {"secret", text("Shown once: it is not kept")},
              maybe("link", text("Where a worker works, with the secret behind the #"))});
  const std::vector<Parameter> page = page_parameters();
  routes.insert(
      routes.end(),
      {{Method::get, "/healthz", Access::anyone, "health", "Whether the server is there", health,
        "", object({{"status", text()}})},
       {Method::get, "/readyz", Access::anyone, "ready",
        "Whether it takes requests, and its data folder can be written", ready, "",
        object({{"status", text()}})},
       {.method = Method::get,
        .pattern = "/openapi.json",
        .access = Access::anyone,
        .name = "openapi",
        .summary = "This document",
        .handle = openapi,
        .response = anything(),
        .tagged = true},
       {.method = Method::get,
        .pattern = "/docs",
        .access = Access::anyone,
        .name = "docs",
        .summary = "Every route, for people",
        .handle = docs,
        .response = text(),
        .produces = "text/html; charset=utf-8"},
       {.method = Method::get,
        .pattern = "/docs.css",
        .access = Access::anyone,
        .name = "docs_style",
        .summary = "How that page looks",
        .handle = style,
        .response = text(),
        .produces = "text/css"},
       {.method = Method::get,
        .pattern = "/api/v1/me",
        .access = Access::token,
        .name = "who_am_i",
        .summary = "Whose token this is, and of a worker the campaign, its page and what a label "
                   "can be",
        .handle = who_am_i,
        .response = object({{"role", word({"admin", "requester", "worker"})},
                            {"label", text()},
                            {"worker", or_null(text())},
                            {"campaign", or_null(object({{"id", text()},
                                                         {"name", text()},
                                                         {"phase", text()},
                                                         {"classes", list(text())},
                                                         {"page", ref("Page")},
                                                         {"labels", whole()},
                                                         {"earned", money("For these labels")},
                                                         {"at_hand", whole()}}))}})},
       {.method = Method::get,
        .pattern = "/api/v1/tokens",
        .access = Access::requester,
        .name = "list_tokens",
        .summary = "Tokens, those of a requester and of their workers or all",
        .handle = list_tokens,
        .response = object({{"tokens", list(ref("Token"))}, {"next", or_null(text())}}),
        .query = page},
       {.method = Method::post,
        .pattern = "/api/v1/tokens",
        .access = Access::requester,
        .name = "make_token",
        .summary = "A new token",
        .handle = make_token,
        .request = object({{"role", word({"admin", "requester", "worker"})},
                           maybe("label", text("What you call it")),
                           maybe("campaign", text("Of a worker")),
                           maybe("worker", text("Of a worker: their name"))}),
        .response = made,
        .success = 201},
       {.method = Method::del,
        .pattern = "/api/v1/tokens/{token}",
        .access = Access::requester,
        .name = "revoke_token",
        .summary = "Revoke a token for good",
        .handle = revoke_token,
        .success = 204},
       {.method = Method::post,
        .pattern = "/api/v1/campaigns/{campaign}/links",
        .access = Access::owner,
        .name = "make_link",
        .summary = "A link by which one worker works in this campaign",
        .handle = make_link,
        .request = object({{"worker", text()}, maybe("label", text())}),
        .response = made,
        .success = 201}});
}

}  // namespace allot::serve
