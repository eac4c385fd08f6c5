// Tokens and workers' links.
#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/json_text.hpp"
#include "base/try.hpp"
#include "io/json_object.hpp"
#include "serve/problem.hpp"
#include "serve/replies.hpp"
#include "serve/schema.hpp"
#include "serve/seat.hpp"
#include "serve/session_reply.hpp"

namespace allot::serve {
namespace {

using campaign::WorkerFacts;
using http::Response;

std::string token_json(const Token& token) {
  return JsonObject()
      .text("id", token.id)
      .text("role", name(token.role))
      .text_or_null("campaign", token.campaign)
      .text_or_null("worker", token.is_worker() ? token.person : "")
      .text_or_null("reviewer", token.role == Role::reviewer ? token.person : "")
      .text("label", token.label)
      .flag("account", token.is_account() || is_seat(token))
      .time("created", token.created)
      .time("revoked", token.revoked);
}

/// True if the caller may see and revoke the token.
bool is_visible(const Call& call, const Token& token) {
  if (call.token.role == Role::admin || token.id == call.token.id) return true;
  const auto entry = call.hub().vault().campaign(token.campaign);
  return token.is_personal() && entry && entry->is_owned_by(call.token);
}

Result<void> list_tokens(const CallPtr& call) {
  std::vector<Token> tokens = call->hub().vault().tokens();
  std::erase_if(tokens, [&](const Token& token) { return !is_visible(*call, token); });
  return send_page(*call, "tokens", tokens, token_json);
}

Response token_response(const Vault::NewToken& created) {
  JsonObject answer;
  answer.json("token", token_json(created.token)).text("secret", created.text);
  if (created.token.is_personal()) {
    answer.text("link", fmt::format("{}#{}", page_of(created.token), created.text));
  }
  return json_response(answer, 201);
}

Result<void> issue(const CallPtr& call, const Token& draft) {
  if (draft.is_worker()) TRY(call->service.models().check_name(draft.person));
  return call->work(
      [call, draft] { return call->hub().vault().issue(draft, call->now()).map(token_response); });
}

Result<void> make_token(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string role_name = body.text("role");
  Token draft{.label = body.text_if("label").value_or("")};
  const auto role = role_named(role_name);
  // Participants get their tokens when they join.
  if (!role_name.empty() && (!role || role == Role::participant)) {
    body.refuse(
        fmt::format("unknown role {}; expected admin, requester, worker, reviewer or monitor",
                    in_quotes(role_name)));
  }
  draft.role = role.value_or(Role::worker);
  const char* const person = draft.role == Role::reviewer ? "reviewer" : "worker";
  draft.campaign = body.text_if("campaign").value_or("");
  draft.person = body.text_if(person).value_or("");
  if (draft.is_personal() == (draft.campaign.empty() || draft.person.empty())) {
    body.refuse(
        draft.is_personal()
            ? fmt::format("campaign or {0} is missing; expected both for a {0}'s token", person)
            : "campaign and worker are for workers' tokens; expected none");
  }
  TRY(body.done());
  if (!draft.is_personal() && call->token.role != Role::admin) {
    return call->send(problem(403, "wrong_role",
                              "a requester can create tokens for workers and reviewers only; "
                              "expected the role worker or reviewer"));
  }
  const auto entry = call->hub().vault().campaign(draft.campaign);
  if (draft.is_personal() &&
      (!entry || !(call->token.role == Role::admin || entry->is_owned_by(call->token)))) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no campaign {}", in_quotes(draft.campaign)));
  }
  return issue(call, draft);
}

Result<void> make_link(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const bool reviews = body.has("reviewer");
  if (reviews && body.has("worker")) {
    body.refuse("a link is for a worker or for a reviewer; expected one of them");
  }
  const Token draft{.role = reviews ? Role::reviewer : Role::worker,
                    .campaign = call->campaign(),
                    .person = body.text(reviews ? "reviewer" : "worker"),
                    .label = body.text_if("label").value_or("")};
  TRY(body.done());
  return issue(call, draft);
}

Result<void> revoke_token(const CallPtr& call) {
  const std::string& id = call->param("token");
  const auto token = call->hub().vault().with_id(id);
  if (!token || !is_visible(*call, *token)) {
    return fail(ErrorCode::not_found, fmt::format("there is no token {}", in_quotes(id)));
  }
  return call->work([call]() -> Result<Response> {
    TRY(call->hub().vault().revoke(call->param("token"), call->now()));
    return Response{.status = 204};
  });
}

/// Facts about the worker of the token; none for others, and before the worker joins.
WorkerFacts worker_facts(const campaign::State& state, const Token& token) {
  if (!token.is_worker()) return {};
  const auto worker = state.find_worker(token.person);
  return worker ? state[*worker] : WorkerFacts{};
}

/// An archived campaign may come back, so to a worker it is paused.
std::string_view phase_for_worker(const campaign::State& state) {
  const bool waits = state.archived() && state.phase() != campaign::Phase::closed;
  return campaign::name(waits ? campaign::Phase::paused : state.phase());
}

/// Whether the person may be the one who starts the server.
bool is_operator(const Token& token) {
  return token.role == Role::admin || token.role == Role::requester;
}

Result<void> who_am_i(const CallPtr& call) {
  const auto answer = [token = call->token, url = call->service.options().sign_in.public_url,
                       folder = is_operator(call->token) ? call->hub().folder() : std::string()](
                          const std::string& about) {
    return json_response(
        JsonObject()
            .text("role", name(token.role))
            .text("label", token.label)
            .text_or_null("worker", token.is_worker() ? token.person : "")
            .text_or_null("reviewer", token.role == Role::reviewer ? token.person : "")
            .text_or_null("public_url", url)
            .text_or_null("data_folder", folder)
            .json("campaign", about));
  };
  if (call->token.campaign.empty()) return call->send(answer("null"));
  call->params.emplace("campaign", call->token.campaign);
  return call->look([call, answer](OpenCampaign& open) {
    const auto entry = call->hub().vault().campaign(call->campaign()).value_or(CampaignEntry{});
    return open.read([&](const campaign::State& state) {
      const WorkerFacts facts = worker_facts(state, call->token);
      return answer(JsonObject()
                        .text("id", call->campaign())
                        .text("name", entry.name)
                        .text("phase", phase_for_worker(state))
                        .list("classes", state.options().classes, json_string)
                        .json("page", page_json(entry.shown().for_workers()))
                        .whole("labels", facts.labels)
                        .money("earned", facts.spent)
                        .whole("at_hand", facts.leases)
                        .json("session", call->is_participant()
                                             ? session_json(state, call->token.person)
                                             : "null"));
    });
  });
}

}  // namespace

void add_token_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup requesters(routes, "/api/v1/tokens", Access::requester);
  const std::string role = word({"admin", "requester", "worker", "reviewer", "monitor"});
  const std::string any_role =
      word({"admin", "requester", "worker", "reviewer", "participant", "monitor"});
  const std::string created =
      object({{"token", ref("Token")},
              {"secret", text("Shown once; the server does not keep it")},
              maybe("link", text("Address of the person's page, with the secret after the #"))});
  const std::string campaign = object({{"id", text()},
                                       {"name", text()},
                                       {"phase", text()},
                                       {"classes", list(text())},
                                       {"page", ref("Page")},
                                       {"labels", whole()},
                                       {"earned", money("Pay for the worker's labels")},
                                       {"at_hand", whole("Items leased to the worker")},
                                       {"session", session_schema()}});
  const std::string me =
      object({{"role", any_role},
              {"label", text()},
              {"worker", or_null(text())},
              {"reviewer", or_null(text())},
              {"public_url",
               or_null(text("Address of this server for browsers, if the operator named one"))},
              {"data_folder",
               or_null(text("Folder of a server without a database, for admins and requesters"))},
              {"campaign", or_null(campaign)}});
  RouteGroup any_token(routes, "/api/v1", Access::token);
  any_token.add(
      get, "/me", "who_am_i", who_am_i,
      "Read the token's role and, for a worker or reviewer, the campaign, its page and classes",
      me);
  any_token.add(get, "/campaigns/{campaign}/me", "who_am_i_here", who_am_i,
                "Read the same for this campaign, in which an account can be a worker or reviewer",
                me);
  requesters.add(
      get, "", "list_tokens", list_tokens,
      "List tokens: a requester's own and those of their workers and reviewers; all for an admin",
      page_schema("tokens", "Token"), {.query = page_parameters()});
  requesters.add(
      post, "", "make_token", make_token, "Create a token", created,
      {.request = object({{"role", role},
                          maybe("label", text("A note for yourself")),
                          maybe("campaign", text("For the token of a worker or reviewer")),
                          maybe("reviewer", text("Name, for a reviewer's token")),
                          maybe("worker", text("For a worker's token: the worker's name"))}),
       .success = 201});
  requesters.add(del, "/{token}", "revoke_token", revoke_token, "Revoke a token for good", "",
                 {.success = 204});
  RouteGroup(routes, kCampaignPath, Access::owner)
      .add(post, "/links", "make_link", make_link,
           "Create a link with which one person can work in this campaign or review it", created,
           {.request = object({maybe("worker", text("Name of a worker")),
                               maybe("reviewer", text("Name of a reviewer, instead of a worker")),
                               maybe("label", text())}),
            .success = 201});
}

}  // namespace allot::serve
