// People with accounts: the seats that a campaign gives them, and the campaigns in which a person
// has one.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "base/try.hpp"
#include "serve/call.hpp"
#include "serve/replies.hpp"
#include "serve/schema.hpp"
#include "serve/seat.hpp"

namespace allot::serve {
namespace {

using http::Response;

std::string person_json(const Token& seat) {
  return JsonObject()
      .text("address", seat.person)
      .text("role", name(seat.role))
      .text("token", seat.id)
      .text("page", page_of(seat))
      .time("created", seat.created);
}

Result<void> list_people(const CallPtr& call) {
  const auto seats = call->hub().vault().tokens_where([&](const Token& token) {
    return token.campaign == call->campaign() && !token.revoked && is_seat(token);
  });
  return send_page(*call, "people", seats, person_json);
}

Result<void> add_person(const CallPtr& call) {
  const std::string address = TRY(read_address(call->param("address")));
  Body body = Body::parse(call->request.body);
  const std::string word = body.text("role");
  const auto role = role_named(word);
  if (!word.empty() && role != Role::worker && role != Role::reviewer) {
    body.refuse(fmt::format("unknown role {}; expected worker or reviewer", in_quotes(word)));
  }
  TRY(body.done());
  if (!call->service.options().sign_in.has_accounts()) {
    return fail(ErrorCode::conflict, "nobody can sign in to this server; expected a link instead");
  }
  if (role == Role::worker) TRY(call->service.models().check_name(address));
  return call->work([call, seat = seat_for(call->campaign(), address, *role)] {
    return call->hub().vault().appoint(seat, call->now()).map([](const Token& given) {
      return json_response(person_json(given));
    });
  });
}

Result<void> remove_person(const CallPtr& call) {
  const std::string address = TRY(read_address(call->param("address")));
  return call->work([call, address]() -> Result<Response> {
    Vault& vault = call->hub().vault();
    const auto seat = seat_of(vault, {.person = address}, call->campaign());
    if (!seat) {
      return fail(ErrorCode::not_found, "there is no person {} in this campaign",
                  in_quotes(address));
    }
    TRY(vault.revoke(seat->id, call->now()));
    return Response{.status = 204};
  });
}

/// A campaign that a person may label or review.
struct Task {
  std::string id;
  CampaignEntry campaign;
  Token seat;
};

std::string task_json(const Task& task) {
  return JsonObject()
      .text("id", task.id)
      .text("name", task.campaign.name)
      .text("role", name(task.seat.role))
      .text("question", task.campaign.shown().question)
      .text("page", page_of(task.seat));
}

Result<void> list_tasks(const CallPtr& call) {
  const Vault& vault = call->hub().vault();
  const Token& account = call->token;
  std::vector<Task> tasks;
  const auto seats = vault.tokens_where([&](const Token& token) {
    return account.is_account() && token.person == account.person && !token.revoked &&
           is_seat(token);
  });
  for (const Token& seat : seats) {
    const auto entry = vault.campaign(seat.campaign);
    if (!entry || entry->archived || !may_take(account.role, seat.role)) continue;
    tasks.push_back({entry->id, *entry, seat});
  }
  std::ranges::sort(tasks, {}, &Task::id);
  return send_page(*call, "campaigns", tasks, task_json);
}

}  // namespace

void add_people_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  const std::string role = word({"worker", "reviewer"});
  owner.add(get, "/people", "list_people", list_people,
            "List people who label or review this campaign with their accounts",
            page_schema("people", "Person"), {.query = page_parameters()});
  owner.add(put, "/people/{address}", "add_person", add_person,
            "Let a person label or review this campaign with their account, or change the role",
            ref("Person"), {.request = object({{"role", role}})});
  owner.add(del, "/people/{address}", "remove_person", remove_person,
            "End the access of a person with an account; labels and verdicts stay", "",
            {.success = 204});
  RouteGroup(routes, "/api/v1/me", Access::token)
      .add(get, "/campaigns", "list_tasks", list_tasks,
           "List the campaigns that the person who signed in may label or review",
           page_schema("campaigns", "Task"), {.query = page_parameters()});
}

}  // namespace allot::serve
