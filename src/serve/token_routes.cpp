// Tokens and workers' links.
#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "serve/call.hpp"
#include "serve/json.hpp"
#include "serve/paging.hpp"
#include "serve/problem.hpp"
#include "serve/routes.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using http::Method;
using http::Response;

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

/// True if the caller may see and revoke the token.
bool is_visible(const Call& call, const Token& token) {
  if (call.token.role == Role::admin || token.id == call.token.id) return true;
  const auto entry = call.hub().vault().campaign(token.campaign);
  return token.role == Role::worker && entry && call.token.owner_of(*entry);
}

void list_tokens(const CallPtr& call) {
  std::vector<Token> tokens = call->hub().vault().tokens();
  std::erase_if(tokens, [&](const Token& token) { return !is_visible(*call, token); });
  reply_by_id(*call, "tokens", tokens, token_json);
}

Response token_response(const Vault::NewToken& created) {
  JsonObject answer;
  answer.json("token", token_json(created.token)).text("secret", created.text);
  if (created.token.role == Role::worker) {
    answer.text("link", fmt::format("/label/{}#{}", created.token.campaign, created.text));
  }
  return json_response(answer.end(), 201);
}

void make_token(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string role_name = body.text("role");
  Token draft{.label = body.text_if("label").value_or("")};
  const auto role = role_named(role_name);
  if (!role_name.empty() && !role) {
    body.refuse(
        fmt::format("unknown role {}; expected admin, requester or worker", in_quotes(role_name)));
  }
  draft.role = role.value_or(Role::worker);
  draft.campaign = body.text_if("campaign").value_or("");
  draft.worker = body.text_if("worker").value_or("");
  const bool is_worker = draft.role == Role::worker;
  if (is_worker == (draft.campaign.empty() || draft.worker.empty())) {
    body.refuse(is_worker ? "campaign or worker is missing; expected both for a worker's token"
                          : "campaign and worker are for workers' tokens; expected none");
  }
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  if (!is_worker && call->token.role != Role::admin) {
    return call->reply(problem(403, "wrong_role",
                               "a requester can create tokens for workers only; expected the "
                               "role worker"));
  }
  const auto entry = call->hub().vault().campaign(draft.campaign);
  if (is_worker && (!entry || !(call->token.role == Role::admin || call->token.owner_of(*entry)))) {
    return call->refuse(
        {ErrorCode::not_found, fmt::format("there is no campaign {}", in_quotes(draft.campaign))});
  }
  call->work(
      [call, draft] { return call->hub().vault().issue(draft, call->now()).map(token_response); });
}

void make_link(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const Token draft{.role = Role::worker,
                    .campaign = call->campaign(),
                    .worker = body.text("worker"),
                    .label = body.text_if("label").value_or("")};
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->work(
      [call, draft] { return call->hub().vault().issue(draft, call->now()).map(token_response); });
}

void revoke_token(const CallPtr& call) {
  const std::string id = call->params.find("token")->second;
  const auto token = call->hub().vault().with_id(id);
  if (!token || !is_visible(*call, *token)) {
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
  call->look([token, answer, entry = entry.value_or(CampaignEntry{})](OpenCampaign& room) {
    return room.read([&](const campaign::State& state) {
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

void add_token_routes(std::vector<Route>& routes) {
  using namespace schema;
  const std::string created =
      object({{"token", ref("Token")},
              {"secret", text("Shown once; the server does not keep it")},
              maybe("link", text("Address of the worker's page, with the secret after the #"))});
  const std::vector<Parameter> page = page_parameters();
  routes.insert(
      routes.end(),
      {{.method = Method::get,
        .pattern = "/api/v1/me",
        .access = Access::token,
        .name = "who_am_i",
        .summary = "Read the token's role and, for a worker, the campaign, its page and classes",
        .handle = who_am_i,
        .response = object(
            {{"role", word({"admin", "requester", "worker"})},
             {"label", text()},
             {"worker", or_null(text())},
             {"campaign", or_null(object({{"id", text()},
                                          {"name", text()},
                                          {"phase", text()},
                                          {"classes", list(text())},
                                          {"page", ref("Page")},
                                          {"labels", whole()},
                                          {"earned", money("Pay for the worker's labels")},
                                          {"at_hand", whole("Items leased to the worker")}}))}})},
       {.method = Method::get,
        .pattern = "/api/v1/tokens",
        .access = Access::requester,
        .name = "list_tokens",
        .summary = "List tokens: a requester's own and those of their workers; all for an admin",
        .handle = list_tokens,
        .response = object({{"tokens", list(ref("Token"))}, {"next", or_null(text())}}),
        .query = page},
       {.method = Method::post,
        .pattern = "/api/v1/tokens",
        .access = Access::requester,
        .name = "make_token",
        .summary = "Create a token",
        .handle = make_token,
        .request = object({{"role", word({"admin", "requester", "worker"})},
                           maybe("label", text("A note for yourself")),
                           maybe("campaign", text("For a worker's token")),
                           maybe("worker", text("For a worker's token: the worker's name"))}),
        .response = created,
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
        .summary = "Create a link with which one worker can work in this campaign",
        .handle = make_link,
        .request = object({{"worker", text()}, maybe("label", text())}),
        .response = created,
        .success = 201}});
}

}  // namespace allot::serve
