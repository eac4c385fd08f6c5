// Work: asking for items, giving labels, handing items back.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "serve/json.hpp"
#include "serve/metrics.hpp"
#include "serve/problem.hpp"
#include "serve/route.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Answer;
using campaign::Assignment;
using campaign::Outcome;
using campaign::State;
using http::Method;
using http::Response;

constexpr std::uint64_t kMostAtOnce = 100;
/// Of a key, for what is asked for beside a label. Keys that clients send have no spaces, so none
/// of them is this.
constexpr std::string_view kNextPart = " next";
/// Of one label by its worker: each costs a fit of all labels.
constexpr std::uint32_t kMostRevisions = 20;

/// Of what the page hides a worker gets nothing.
std::string assignment_json(const Call& call, const Assignment& one) {
  std::string fields = one.fields;
  if (call.is_worker()) {
    const auto entry = call.hub().vault().campaign(call.campaign());
    if (entry && entry->page) fields = shown(*entry->page, std::move(fields));
  }
  return JsonObject()
      .text("item", one.item)
      .json("fields", fields.empty() ? "{}" : fields)
      .money("price", one.price)
      .time("expires", one.expires)
      .end();
}

std::string shortfall_json(const Call& call, std::string_view code, std::string_view detail) {
  if (call.is_worker()) {
    code = "nothing_now";
    detail = "there is nothing for you now";
  }
  return JsonObject().text("code", code).text("detail", detail).end();
}

/// What a worker gets. Having nothing is no refusal.
struct Handout {
  std::string assignments = "[]", shortfall = "null";

  std::string json() const {
    return JsonObject().json("assignments", assignments).json("shortfall", shortfall).end();
  }
};

Result<Handout> handed(const Call& call, Room& room, const std::string& worker, std::uint64_t count,
                       std::string_view key_part) {
  const auto begin = std::chrono::steady_clock::now();
  const auto got =
      room->next(worker, static_cast<std::uint32_t>(count), call.now(), call.key(key_part));
  call.service.metrics().decision(
      got ? got->assignments.size() : 0,
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  Handout handout;
  if (got) {
    JsonList list;
    for (const Assignment& one : got->assignments) list.json(assignment_json(call, one));
    handout.assignments = list.end();
    if (!got->shortfall.empty()) {
      handout.shortfall = shortfall_json(call, "not_found", got->shortfall);
    }
    return handout;
  }
  const ErrorCode code = got.error().code;
  if (code != ErrorCode::not_found && code != ErrorCode::forbidden &&
      code != ErrorCode::budget_exhausted) {
    return tl::unexpected(call.said(got.error()));
  }
  handout.shortfall = shortfall_json(call, code_of(code), got.error().message);
  return handout;
}

void ask(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string worker = call->worker(body);
  const std::uint64_t count = body.whole("count", 1, 1, kMostAtOnce);
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command([call, worker, count](Room& room) {
    return handed(*call, room, worker, count, "").map([](const Handout& handout) {
      return json_response(handout.json());
    });
  });
}

/// Why there is nobody whom one could ask: a code and a sentence.
std::pair<std::string_view, std::string> why_nobody(const State& state) {
  const std::string& reason = state.reason();
  switch (state.phase()) {
    case campaign::Phase::closed:
      return {"forbidden", fmt::format("the campaign is closed ({}), nobody is asked any more",
                                       for_display(reason, 100))};
    case campaign::Phase::paused:
      return {"forbidden",
              fmt::format("the campaign is paused{}, nobody is asked until it goes on",
                          reason.empty() ? "" : " by the stop rule " + in_quotes(reason))};
    case campaign::Phase::running:
      break;
  }
  if (state.item_count() == 0) return {"not_found", "there are no items yet"};
  if (state.worker_count() == 0) {
    return {"not_found", "no worker is known yet: they are once they ask for work or have a price"};
  }
  Money lowest = state.lowest_price();
  for (std::uint32_t j = 0; j < state.worker_count(); ++j) {
    lowest = std::min(lowest, state[WorkerId{j}].price.value_or(lowest));
  }
  if (lowest > state.left()) {
    return {"budget_exhausted",
            fmt::format("no label can be paid: of the budget of {} there are {} left (spent {}, "
                        "reserved {})",
                        money_text(state.budget()), money_text(state.left()),
                        money_text(state.spent()), money_text(state.reserved()))};
  }
  return {"not_found", "there is nobody to ask: nothing is left for those who are known"};
}

void ask_whom(const CallPtr& call) {
  call->command([call](Room& room) -> Result<Response> {
    // Asked before under this key, the answer is the same, whoever would be asked now.
    const auto before = TRY(room->handed_under(call->key()));
    const auto pair = TRY(before ? Result<std::optional<std::pair<std::string, std::string>>>(
                                       std::pair(*before, std::string()))
                                 : room->whom_next());
    const auto answer = [](std::string_view worker, const Handout& handout) {
      return json_response(JsonObject()
                               .text_or_null("worker", worker)
                               .json("assignments", handout.assignments)
                               .json("shortfall", handout.shortfall)
                               .end());
    };
    if (!pair) {
      return room.seen([&](const State& state) {
        const auto [code, why] = why_nobody(state);
        return answer("", {"[]", shortfall_json(*call, code, why)});
      });
    }
    const std::string worker = pair->first;
    return handed(*call, room, worker, 1, "").map([&](const Handout& handout) {
      return answer(worker, handout);
    });
  });
}

void list_at_hand(const CallPtr& call) {
  const std::string worker =
      call->is_worker() ? call->token.worker : call->query("worker").value_or("");
  if (worker.empty()) {
    return call->refuse({ErrorCode::invalid_argument, "worker is missing; expected whose items"});
  }
  call->look([call, worker](Room& room) -> Result<Response> {
    const auto known = room.seen([&](const State& state) { return state.find_worker(worker); });
    if (!known) return tl::unexpected(known.error());
    JsonList list;
    if (*known) {
      const auto leases = TRY(room->leases(worker));
      for (const Assignment& one : leases) list.json(assignment_json(*call, one));
    }
    return json_response(
        JsonObject().json("assignments", list.end()).json("shortfall", "null").end());
  });
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::recorded:
      return "recorded";
    case Outcome::already:
      return "already";
    case Outcome::revised:
      break;
  }
  return "revised";
}

Metrics::Kind kind_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::recorded:
      return Metrics::Kind::recorded;
    case Outcome::already:
      return Metrics::Kind::already;
    case Outcome::revised:
      break;
  }
  return Metrics::Kind::revised;
}

/// The first label that is no class of the campaign, said so that a worker may know it.
Result<void> check_labels(Room& room, const std::vector<Answer>& answers) {
  return room
      .seen([&](const State& state) -> Result<void> {
        const auto& classes = state.options().classes;
        for (const Answer& one : answers) {
          if (std::ranges::find(classes, one.label) != classes.end()) continue;
          const std::vector<std::string_view> known(classes.begin(), classes.end());
          return fail(
              ErrorCode::invalid_argument,
              fmt::format("label {} is no class; expected one of {}{}", in_quotes(one.label),
                          some_in_quotes(classes, 8), suggestion(one.label, known)));
        }
        return {};
      })
      .and_then([](Result<void> checked) { return checked; });
}

struct Given {
  std::vector<Answer> answers;
  bool one = false;
  bool revise = false;
  std::uint64_t next = 0;
};

/// One label ({item, label}) or many ({labels: [...]}).
Given read_labels(const Call& call, Body& body) {
  Given given;
  given.revise = body.flag("revise");
  given.next = body.whole("next", 0, 0, kMostAtOnce);
  given.one = body.has("item");
  if (given.revise && call.is_worker() && !given.one) {
    body.refuse("a worker's token revises one label; expected item and label",
                ErrorCode::forbidden);
  }
  if (given.one) {
    const std::string worker = call.worker(body);
    given.answers.push_back({body.text("item"), worker, body.text("label")});
    return given;
  }
  const std::optional<std::string> all =
      call.is_worker() || body.has("worker") ? std::optional(call.worker(body)) : std::nullopt;
  for (Body& label : body.objects("labels", call.service.options().largest_batch)) {
    Answer answer;
    answer.item = label.text("item");
    answer.label = label.text("label");
    answer.worker = all ? *all : label.text("worker");
    static_cast<void>(label.done());
    given.answers.push_back(std::move(answer));
  }
  if (given.answers.empty()) {
    body.refuse("labels is missing or empty; expected item and label, or a list of labels");
  }
  return given;
}

/// A worker takes back the last label alone, as long as its lease would have lasted. Whatever else
/// is wrong is said by the campaign.
Result<void> check_revision(const Call& call, Room& room, const Answer& answer) {
  enum class Change : std::uint8_t { none, allowed, late };
  const auto change = room.seen([&](const State& state) {
    const auto item = state.find_item(answer.item);
    const auto worker = state.find_worker(answer.worker);
    const auto label = item && worker ? state.label(*item, *worker) : std::nullopt;
    if (!label || state.options().classes[position(*label)] == answer.label) return Change::none;
    const auto& last = state[*worker].last;
    return state.phase() != campaign::Phase::closed && last && last->first == *item &&
                   call.now() < last->second
               ? Change::allowed
               : Change::late;
  });
  if (!change) return tl::unexpected(change.error());
  if (*change == Change::none) return {};
  if (*change == Change::late) {
    return fail(ErrorCode::forbidden,
                "only your last label can be changed, and only for as long as you had the item");
  }
  if (room.count_revision(answer.worker, answer.item) <= kMostRevisions) return {};
  return fail(ErrorCode::forbidden,
              fmt::format("you have changed this label {} times, which is the most; it stays as it "
                          "is",
                          kMostRevisions));
}

Result<Response> record(const Call& call, Room& room, const Given& given) {
  TRY(check_labels(room, given.answers));
  if (given.revise && call.is_worker()) {
    // What was done before under this key is only told again.
    const auto before = TRY(room->knows(call.key()));
    TRY(before ? Result<void>() : check_revision(call, room, given.answers.front()));
  }
  const auto outcomes = room->record(given.answers, call.now(), given.revise, call.key());
  JsonList list;
  for (std::size_t n = 0; n < outcomes.size(); ++n) {
    JsonObject row;
    row.text("item", given.answers[n].item);
    call.service.metrics().label(outcomes[n] ? kind_of(*outcomes[n]) : Metrics::Kind::refused);
    if (outcomes[n]) {
      row.text("outcome", name_of(*outcomes[n]));
    } else if (const ErrorCode code = outcomes[n].error().code;
               given.one || code == ErrorCode::store_failure || code == ErrorCode::key_reused) {
      return tl::unexpected(call.said(outcomes[n].error()));
    } else {
      const Error error = call.said(outcomes[n].error());
      row.text("outcome", "refused")
          .text("code", code_of(error.code))
          .text("detail", error.message);
    }
    list.json(row.end());
  }
  JsonObject answer;
  answer.json("labels", list.end());
  if (given.next == 0) return json_response(answer.json("next", "null").end());
  return handed(call, room, given.answers.front().worker, given.next, kNextPart)
      .map([&](const Handout& next) {
        return json_response(answer.json("next", next.json()).end());
      });
}

void give(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  Given given = read_labels(*call, body);
  const bool others = std::ranges::any_of(
      given.answers, [&](const Answer& one) { return one.worker != given.answers.front().worker; });
  if (given.next > 0 && others) {
    body.refuse("next is for the labels of one worker; expected all of the same");
  }
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command(
      [call, given = std::move(given)](Room& room) { return record(*call, room, given); });
}

/// Skip and release.
void hand_back(const CallPtr& call, bool skips) {
  Body body = Body::parse(call->request.body);
  const std::string worker = call->worker(body), item = body.text("item");
  const std::uint64_t next = body.whole("next", 0, 0, kMostAtOnce);
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command([call, worker, item, next, skips](Room& room) -> Result<Response> {
    const auto done = skips ? room->skip(item, worker, call->now(), call->key())
                            : room->release(item, worker, call->now(), call->key());
    if (!done) return tl::unexpected(call->said(done.error()));
    JsonObject answer;
    answer.text("item", item);
    if (next == 0) return json_response(answer.json("next", "null").end());
    return handed(*call, room, worker, next, kNextPart).map([&](const Handout& handout) {
      return json_response(answer.json("next", handout.json()).end());
    });
  });
}

void skip(const CallPtr& call) { hand_back(call, true); }
void release(const CallPtr& call) { hand_back(call, false); }

}  // namespace

void add_work_routes(std::vector<Route>& routes) {
  using namespace schema;
  const std::string one = "/api/v1/campaigns/{campaign}";
  const Member worker = maybe("worker", text("Not needed with a worker's token"));
  const Member next = maybe(
      "next",
      whole_from(0, kMostAtOnce, "Ask for so many items in the same call, and the same commit"));
  const std::string back_request = object({{"item", text()}, worker, next});
  const std::string back = object({{"item", text()}, {"next", or_null(ref("Assignments"))}});
  routes.insert(
      routes.end(),
      {{.method = Method::post,
        .pattern = one + "/assignments",
        .access = Access::worker,
        .name = "ask",
        .summary = "Items for a worker, each theirs until it expires",
        .handle = ask,
        .request = object({worker, maybe("count", whole_from(1, kMostAtOnce, "1 if not given"))}),
        .response = ref("Assignments"),
        .keyed = true},
       {.method = Method::get,
        .pattern = one + "/assignments",
        .access = Access::worker,
        .name = "list_at_hand",
        .summary = "What a worker has at hand",
        .handle = list_at_hand,
        .response = ref("Assignments"),
        .query = {{"worker", text(), "Not needed with a worker's token"}}},
       {.method = Method::post,
        .pattern = one + "/whom-next",
        .access = Access::owner,
        .name = "ask_whom",
        .summary = "Whom to ask next, of the workers so far, and an item for them",
        .handle = ask_whom,
        .response = object({{"worker", or_null(text())},
                            {"assignments", list(ref("Assignment"))},
                            {"shortfall", or_null(ref("Shortfall"))}}),
        .keyed = true},
       {.method = Method::post,
        .pattern = one + "/labels",
        .access = Access::worker,
        .name = "give_labels",
        .summary = "One label (item, label) or many (labels), each for itself",
        .handle = give,
        .request = object(
            {maybe("item", text()), maybe("label", text()), worker,
             maybe("labels",
                   list(object({{"item", text()}, {"label", text()}, maybe("worker", text())}))),
             maybe("revise",
                   flag("Take another label than before; a worker's own last one, until its item "
                        "would have expired")),
             next}),
        .response =
            object({{"labels", list(ref("Outcome"))}, {"next", or_null(ref("Assignments"))}}),
        .keyed = true},
       {.method = Method::post,
        .pattern = one + "/skip",
        .access = Access::worker,
        .name = "skip",
        .summary = "The worker does not want the item, and will not get it again",
        .handle = skip,
        .request = back_request,
        .response = back,
        .keyed = true},
       {.method = Method::post,
        .pattern = one + "/release",
        .access = Access::worker,
        .name = "release",
        .summary = "The item goes back, and the worker may get it again",
        .handle = release,
        .request = back_request,
        .response = back,
        .keyed = true}});
}

}  // namespace allot::serve
