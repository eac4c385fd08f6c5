// Asking for items, and handing them back without a label.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "serve/handout.hpp"
#include "serve/json.hpp"
#include "serve/routes.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Assignment;
using campaign::State;
using http::Method;
using http::Response;

void ask(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string worker = call->worker(body);
  const std::uint64_t count = body.whole("count", 1, 1, kMostAssignments);
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command([call, worker, count](OpenBatch& room) {
    return hand_out(*call, room, worker, count).map([](const Handout& handout) {
      return json_response(handout.json());
    });
  });
}

/// Why no worker can be asked: a code and a sentence.
std::pair<std::string_view, std::string> shortfall_of(const State& state) {
  const std::string& reason = state.reason();
  if (state.phase() == campaign::Phase::closed) {
    return {"forbidden", fmt::format("the campaign is closed ({}); no more labels are bought",
                                     for_display(reason, 100))};
  }
  if (state.phase() == campaign::Phase::paused) {
    return {"forbidden",
            fmt::format("the campaign is paused{}; resume it to buy more labels",
                        reason.empty() ? "" : " by the stop rule " + in_quotes(reason))};
  }
  if (state.item_count() == 0) return {"not_found", "the campaign has no items yet"};
  if (state.worker_count() == 0) {
    return {"not_found",
            "the campaign knows no worker yet; expected one that asked for work or has a price"};
  }
  Money lowest = state.lowest_price();
  for (std::uint32_t j = 0; j < state.worker_count(); ++j) {
    lowest = std::min(lowest, state[WorkerId{j}].price.value_or(lowest));
  }
  if (lowest > state.account().left()) {
    return {"budget_exhausted",
            fmt::format("the budget of {} cannot pay for another label: {} left (spent {}, "
                        "reserved {})",
                        money_text(state.account().budget), money_text(state.account().left()),
                        money_text(state.account().spent), money_text(state.account().reserved))};
  }
  return {"not_found", "there is nothing left to ask the known workers"};
}

void ask_whom(const CallPtr& call) {
  call->command([call](OpenBatch& room) -> Result<Response> {
    // A repeat under the same key names the same worker, not the one that would be chosen now.
    std::optional<std::string> worker = TRY(room->view().handed_under(call->key()));
    if (!worker) {
      if (const auto pair = TRY(room->view().whom_next())) worker = pair->first;
    }
    Handout handout;
    if (worker) {
      handout = TRY(hand_out(*call, room, *worker, 1));
    } else {
      const auto [code, detail] = TRY(room.read(shortfall_of));
      handout.shortfall = shortfall_json(*call, code, detail);
    }
    return json_response(JsonObject()
                             .text_or_null("worker", worker.value_or(""))
                             .json("assignments", handout.assignments)
                             .json("shortfall", handout.shortfall)
                             .end());
  });
}

void list_leased(const CallPtr& call) {
  const std::string worker =
      call->is_worker() ? call->token.worker : call->query("worker").value_or("");
  if (worker.empty()) {
    return call->refuse(
        {ErrorCode::invalid_argument, "worker is missing; expected the name of a worker"});
  }
  call->look([call, worker](OpenCampaign& room) -> Result<Response> {
    const bool known =
        TRY(room.read([&](const State& state) { return state.find_worker(worker).has_value(); }));
    JsonList list;
    if (known) {
      for (const Assignment& lease : TRY(room->view().leases(worker))) {
        list.json(assignment_json(*call, lease));
      }
    }
    return json_response(Handout{.assignments = list.end()}.json());
  });
}

/// Skip and release.
void hand_back(const CallPtr& call, bool skips) {
  Body body = Body::parse(call->request.body);
  const std::string worker = call->worker(body), item = body.text("item");
  const std::uint64_t next = body.whole("next", 0, 0, kMostAssignments);
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command([call, worker, item, next, skips](OpenBatch& room) -> Result<Response> {
    TRY((skips ? room->skip(item, worker, call->now(), call->key())
               : room->release(item, worker, call->now(), call->key()))
            .map_error([&](const Error& error) { return call->for_caller(error); }));
    JsonObject answer;
    answer.text("item", item);
    if (next == 0) return json_response(answer.json("next", "null").end());
    const Handout handout = TRY(hand_out(*call, room, worker, next, kNextPart));
    return json_response(answer.json("next", handout.json()).end());
  });
}

void skip(const CallPtr& call) { hand_back(call, true); }
void release(const CallPtr& call) { hand_back(call, false); }

}  // namespace

void add_assignment_routes(std::vector<Route>& routes) {
  using namespace schema;
  const std::string one = "/api/v1/campaigns/{campaign}";
  const Member worker = maybe("worker", text("Not needed with a worker's token"));
  const Member next = maybe(
      "next", whole_from(0, kMostAssignments, "Number of items to ask for in the same commit"));
  const std::string back_request = object({{"item", text()}, worker, next});
  const std::string back = object({{"item", text()}, {"next", or_null(ref("Assignments"))}});
  routes.insert(
      routes.end(),
      {{.method = Method::post,
        .pattern = one + "/assignments",
        .access = Access::worker,
        .name = "ask",
        .summary = "Lease items to a worker; each lease ends when it expires",
        .handle = ask,
        .request = object({worker, maybe("count", whole_from(1, kMostAssignments, "Default: 1"))}),
        .response = ref("Assignments"),
        .keyed = true},
       {.method = Method::get,
        .pattern = one + "/assignments",
        .access = Access::worker,
        .name = "list_at_hand",
        .summary = "List a worker's open assignments",
        .handle = list_leased,
        .response = ref("Assignments"),
        .query = {{"worker", text(), "Not needed with a worker's token"}}},
       {.method = Method::post,
        .pattern = one + "/whom-next",
        .access = Access::owner,
        .name = "ask_whom",
        .summary = "Choose the next worker to ask, and lease an item to that worker",
        .handle = ask_whom,
        .response = object({{"worker", or_null(text())},
                            {"assignments", list(ref("Assignment"))},
                            {"shortfall", or_null(ref("Shortfall"))}}),
        .keyed = true},
       {.method = Method::post,
        .pattern = one + "/skip",
        .access = Access::worker,
        .name = "skip",
        .summary = "Hand an item back for good: the worker does not get it again",
        .handle = skip,
        .request = back_request,
        .response = back,
        .keyed = true},
       {.method = Method::post,
        .pattern = one + "/release",
        .access = Access::worker,
        .name = "release",
        .summary = "Hand an item back for now: the worker may get it again",
        .handle = release,
        .request = back_request,
        .response = back,
        .keyed = true}});
}

}  // namespace allot::serve
