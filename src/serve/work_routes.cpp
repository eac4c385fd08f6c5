// What workers do: ask for items, label them, hand them back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "allot/base/text.hpp"
#include "allot/campaign/state.hpp"
#include "base/json_text.hpp"
#include "base/try.hpp"
#include "io/json_object.hpp"
#include "serve/call.hpp"
#include "serve/label_request.hpp"
#include "serve/problem.hpp"
#include "serve/schema.hpp"
#include "serve/session_reply.hpp"

namespace allot::serve {
namespace {

using campaign::Answer;
using campaign::Assignment;
using campaign::State;
using http::Response;

/// Part of the key for items that are asked for along with a label. Keys of clients have no spaces,
/// so no client can send this one.
constexpr std::string_view kNextPart = " next";
/// Revisions of one label by its worker: each one refits all labels.
constexpr std::uint32_t kMostRevisions = 20;

/// Whether the worker who asks sees the classes of each item in an order of its own.
bool is_shuffled(const Call& call) {
  const auto entry = call.is_worker() ? call.hub().vault().campaign(call.campaign()) : std::nullopt;
  return entry && entry->shown().shuffle;
}

/// Classes and the seed from which their order is drawn; empty if the order is that of the page.
struct ShuffledClasses {
  std::vector<std::string> classes = {};
  std::uint64_t seed = 0;

  template <typename Open>
  static Result<ShuffledClasses> of(const Call& call, const Open& open) {
    if (!is_shuffled(call)) return ShuffledClasses{};
    return open.read([](const State& state) {
      return ShuffledClasses{state.options().classes, state.options().seed};
    });
  }
};

/// Leaves out fields that the page hides, if a worker asks.
std::string assignment_json(const Call& call, const Assignment& assignment,
                            const ShuffledClasses& order) {
  std::string fields = assignment.fields;
  if (call.is_worker()) {
    const auto entry = call.hub().vault().campaign(call.campaign());
    if (entry && entry->page) fields = shown(*entry->page, std::move(fields));
  }
  JsonObject json;
  json.text("item", assignment.item)
      .json("fields", fields.empty() ? "{}" : fields)
      .money("price", assignment.price)
      .time("expires", assignment.expires);
  if (order.classes.empty()) return json;
  const auto classes = shuffled(order.classes, order.seed, call.token.person, assignment.item);
  return json.list("classes", classes, json_string);
}

/// A worker is not told why there is nothing.
std::string shortfall_json(const Call& call, std::string_view code, std::string_view detail) {
  if (call.is_worker()) {
    code = "nothing_now";
    detail = "there is nothing for you right now";
  }
  return JsonObject().text("code", code).text("detail", detail);
}

/// Adds `assignments`, and `shortfall`, which says why there are none: that is not an error.
JsonObject& add_assignments(JsonObject& to, const Call& call,
                            const std::vector<Assignment>& assignments,
                            const std::string& shortfall = "null",
                            const ShuffledClasses& order = {}) {
  return to
      .list("assignments", assignments,
            [&](const Assignment& assignment) { return assignment_json(call, assignment, order); })
      .json("shortfall", shortfall);
}

/// Adds `session` for a participant.
Result<void> add_session(JsonObject& to, const Call& call, OpenBatch& batch) {
  if (!call.is_participant()) return {};
  to.json(
      "session",
      TRY(batch.read([&](const State& state) { return session_json(state, call.token.person); })));
  return {};
}

/// Leases up to `count` items to the worker, and adds them.
Result<JsonObject> hand_out(JsonObject to, const Call& call, OpenBatch& batch,
                            const std::string& worker, std::uint64_t count,
                            std::string_view key_part = {}) {
  const auto begin = std::chrono::steady_clock::now();
  const auto handed =
      batch->next(worker, static_cast<std::uint32_t>(count), call.now(), call.key(key_part));
  call.service.metrics().decision(
      handed ? handed->assignments.size() : 0,
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (handed) {
    return add_assignments(
        to, call, handed->assignments,
        handed->shortfall.empty() ? "null" : shortfall_json(call, "not_found", handed->shortfall),
        TRY(ShuffledClasses::of(call, batch)));
  }
  const Error& error = handed.error();
  if (error.code != ErrorCode::not_found && error.code != ErrorCode::forbidden &&
      error.code != ErrorCode::budget_exhausted) {
    return tl::unexpected(call.for_caller(error));
  }
  // Another page of the same participant can hold all items that are left: both show them.
  std::vector<Assignment> own;
  if (call.is_participant()) own = TRY(batch->view().leases(worker));
  return add_assignments(to, call, own, shortfall_json(call, code_of(error.code), error.message),
                         TRY(ShuffledClasses::of(call, batch)));
}

/// Adds `next`: up to `count` items that are asked for in the same commit.
Result<Response> with_next(JsonObject& answer, const Call& call, OpenBatch& batch,
                           const std::string& worker, std::uint64_t count) {
  answer.json("next", count == 0 ? std::string("null")
                                 : TRY(hand_out({}, call, batch, worker, count, kNextPart)));
  TRY(add_session(answer, call, batch));
  return json_response(answer);
}

Result<void> ask(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string worker = call->worker(body);
  const std::uint64_t count = body.whole("count", 1, 1, kMostAssignments);
  TRY(body.done());
  return call->command([call, worker, count](OpenBatch& batch) -> Result<Response> {
    JsonObject answer = TRY(hand_out({}, *call, batch, worker, count));
    TRY(add_session(answer, *call, batch));
    return json_response(answer);
  });
}

/// Why no worker can be asked: a code and a sentence.
std::pair<std::string_view, std::string> shortfall_of(const State& state) {
  const std::string& reason = state.reason();
  if (state.phase() == campaign::Phase::closed) {
    return {"forbidden", fmt::format("the campaign is closed ({}); no more labels are bought",
                                     for_display(reason, 100))};
  }
  if (state.archived()) {
    return {"forbidden", "the campaign is archived; unarchive it to buy more labels"};
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
  return {"not_found", "there is no item left for the known workers"};
}

Result<void> ask_whom(const CallPtr& call) {
  return call->command([call](OpenBatch& batch) -> Result<Response> {
    // A repeat under the same key names the same worker, not the one that would be chosen now.
    std::optional<std::string> worker = TRY(batch->view().handed_under(call->key()));
    if (!worker) {
      if (const auto pair = TRY(batch->view().whom_next())) worker = pair->first;
    }
    JsonObject answer;
    answer.text_or_null("worker", worker.value_or(""));
    if (worker) return json_response(TRY(hand_out(answer, *call, batch, *worker, 1)));
    const auto [code, detail] = TRY(batch.read(shortfall_of));
    return json_response(add_assignments(answer, *call, {}, shortfall_json(*call, code, detail)));
  });
}

Result<void> list_leased(const CallPtr& call) {
  const std::string worker =
      call->is_worker() ? call->token.person : call->query("worker").value_or("");
  if (worker.empty()) {
    return fail(ErrorCode::invalid_argument, "worker is missing; expected the name of a worker");
  }
  return call->look([call, worker](OpenCampaign& open) -> Result<Response> {
    const bool known =
        TRY(open.read([&](const State& state) { return state.find_worker(worker).has_value(); }));
    std::vector<Assignment> leases;
    if (known) leases = TRY(open->view().leases(worker));
    JsonObject answer;
    return json_response(
        add_assignments(answer, *call, leases, "null", TRY(ShuffledClasses::of(*call, open))));
  });
}

/// Skip and release.
template <bool skips>
Result<void> hand_back(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string worker = call->worker(body), item = body.text("item");
  const std::uint64_t next = body.whole("next", 0, 0, kMostAssignments);
  campaign::Remark remark;
  bool paid = false;
  if constexpr (skips) {
    remark = read_remark(body, true);
    paid = body.flag("paid");
    if (paid && call->is_worker())
      body.refuse("a worker's token pays nothing; expected a skip without paid",
                  ErrorCode::forbidden);
  }
  TRY(body.done());
  return call->command([=](OpenBatch& batch) -> Result<Response> {
    TRY((skips ? batch->skip(item, worker, call->now(), call->key(), remark, paid)
               : batch->release(item, worker, call->now(), call->key()))
            .map_error([&](const Error& error) { return call->for_caller(error); }));
    return with_next(JsonObject().text("item", item), *call, batch, worker, next);
  });
}

/// A worker may change the last label only, and only as long as its lease would have lasted. Other
/// mistakes are left to the campaign.
Result<void> check_revision(const Call& call, OpenBatch& batch, const Answer& answer) {
  enum class Change : std::uint8_t { none, allowed, late };
  const Change change = TRY(batch.read([&](const State& state) {
    const auto item = state.find_item(answer.item);
    const auto worker = state.find_worker(answer.worker);
    const auto label = item && worker ? state.pairs().label(*item, *worker) : std::nullopt;
    if (!label || state.options().classes[position(*label)] == answer.label) return Change::none;
    const auto& last = state[*worker].last;
    const bool in_time = last && last->first == *item && call.now() < last->second;
    return state.phase() != campaign::Phase::closed && in_time ? Change::allowed : Change::late;
  }));
  if (change == Change::none) return {};
  if (change == Change::late) {
    return fail(ErrorCode::forbidden,
                "only your last label can be changed, and only before its item expires");
  }
  if (batch.count_revision(answer.worker, answer.item) <= kMostRevisions) return {};
  return fail(ErrorCode::forbidden,
              fmt::format("you have changed this label {} times; no more changes are possible",
                          kMostRevisions));
}

/// The classes of the items, by request, whose right answer the participant now learns.
Result<std::vector<std::optional<std::string>>> answers_to_tell(const Call& call, OpenBatch& batch,
                                                                const LabelRequest& request) {
  return batch.read([&](const State& state) {
    std::vector<std::optional<std::string>> told(request.answers.size());
    const auto worker = state.find_worker(call.token.person);
    if (!call.is_participant() || !worker || !state.sessions().tells_answers(*worker)) return told;
    for (std::size_t n = 0; n < told.size(); ++n) {
      const auto item = state.find_item(request.answers[n].item);
      const auto gold = item ? state.items().gold(*item) : std::nullopt;
      if (gold && state.leases().find(*item, *worker)) {
        told[n] = campaign::class_name(state.options(), *gold);
      }
    }
    return told;
  });
}

/// The outcome of each label as a row. An error that concerns the whole request is returned.
Result<std::string> outcomes_json(const Call& call, OpenBatch& batch, const LabelRequest& request) {
  using Kind = Metrics::Kind;
  static constexpr std::array<std::pair<std::string_view, Kind>, 3> kOutcomes{
      {{"recorded", Kind::recorded}, {"already", Kind::already}, {"revised", Kind::revised}}};
  const auto told = TRY(answers_to_tell(call, batch, request));
  // Items that it handed out show that a request was handled, even if it took no label.
  const bool is_repeat = request.next > 0 && TRY(batch->view().knows(call.key(kNextPart)));
  const auto outcomes =
      batch->record(request.answers, call.now(), request.revise, call.key(), is_repeat);
  JsonList list;
  for (std::size_t n = 0; n < outcomes.size(); ++n) {
    JsonObject row;
    row.text("item", request.answers[n].item);
    if (outcomes[n]) {
      const auto& [name, kind] = kOutcomes[static_cast<std::size_t>(*outcomes[n])];
      call.service.metrics().label(kind);
      row.text("outcome", name);
      if (told[n]) {
        row.flag("right", request.answers[n].label == *told[n]).text("answer", *told[n]);
      }
      list.json(row);
      continue;
    }
    call.service.metrics().label(Kind::refused);
    const Error error = call.for_caller(outcomes[n].error());
    const bool of_request =
        request.single || error.code == ErrorCode::key_reused || status_of(error.code) >= 500;
    if (of_request) return tl::unexpected(error);
    list.json(row.text("outcome", "refused")
                  .text("code", code_of(error.code))
                  .text("detail", error.message));
  }
  return list;
}

Result<Response> record(const Call& call, OpenBatch& batch, LabelRequest request) {
  TRY(name_labels(batch, request));
  if (request.revise && call.is_worker()) {
    // A request that was handled before under this key is only answered again.
    const bool is_repeat = TRY(batch->view().knows(call.key()));
    if (!is_repeat) TRY(check_revision(call, batch, request.answers.front()));
  }
  JsonObject answer;
  answer.json("labels", TRY(outcomes_json(call, batch, request)));
  return with_next(answer, call, batch, request.answers.front().worker, request.next);
}

Result<void> give(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  LabelRequest request = read_labels(*call, body);
  const bool several_workers = std::ranges::any_of(request.answers, [&](const Answer& answer) {
    return answer.worker != request.answers.front().worker;
  });
  if (request.next > 0 && several_workers) {
    body.refuse("next is for the labels of one worker; expected the same worker in all labels");
  }
  TRY(body.done());
  const std::string_view next_part = request.next > 0 ? kNextPart : std::string_view();
  return call->command([call, request = std::move(request)](
                           OpenBatch& batch) { return record(*call, batch, request); },
                       next_part);
}

}  // namespace

void add_work_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup workers(routes, kCampaignPath, Access::worker);
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  const Member worker = maybe("worker", text("Not needed with a worker's token"));
  const Member next = maybe(
      "next", whole_from(0, kMostAssignments, "Number of items to ask for in the same commit"));
  const RouteTraits back{.request = object({{"item", text()}, worker, next}), .keyed = true};
  const Member seconds = maybe("seconds", number("Time for which the item was in view"));
  const Member note = maybe("note", text("Words of the worker, at most 500 characters"));
  const Member reason =
      maybe("reason", word({"", "unclear", "broken", "several", "none", "other", "unsure"}));
  const Member paid = maybe(
      "paid", flag("Pay an abstention (reason unsure) like a label; not with a worker's token"));
  const RouteTraits skipped{
      .request = object({{"item", text()}, worker, next, reason, note, seconds, paid}),
      .keyed = true};
  const std::string handed_back = object({{"item", text()},
                                          {"next", or_null(ref("Assignments"))},
                                          maybe("session", session_schema())});
  workers.add(
      post, "/assignments", "ask", ask, "Lease items to a worker; each lease ends when it expires",
      ref("Assignments"),
      {.request = object({worker, maybe("count", whole_from(1, kMostAssignments, "Default: 1"))}),
       .keyed = true});
  workers.add(get, "/assignments", "list_at_hand", list_leased, "List a worker's open assignments",
              ref("Assignments"),
              {.query = {{"worker", text(), "Not needed with a worker's token"}}});
  owner.add(post, "/whom-next", "ask_whom", ask_whom,
            "Choose the next worker to ask, and lease an item to that worker",
            object({{"worker", or_null(text())},
                    {"assignments", list(ref("Assignment"))},
                    {"shortfall", or_null(ref("Shortfall"))}}),
            {.keyed = true});
  workers.add(post, "/skip", "skip", hand_back<true>,
              "Hand an item back for good: the worker does not get it again", handed_back, skipped);
  workers.add(post, "/release", "release", hand_back<false>,
              "Hand an item back for now: the worker may get it again", handed_back, back);
  const Member confidence = maybe("confidence", share("How sure the worker is of the label"));
  const Member probabilities =
      maybe("probabilities", table(share(), "Probability per class, instead of a label"));
  const std::string label = object({{"item", text()},
                                    maybe("label", text()),
                                    maybe("worker", text()),
                                    confidence,
                                    probabilities,
                                    note,
                                    seconds});
  workers.add(
      post, "/labels", "give_labels", give,
      "Record one label (item, label) or many (labels); each has its own outcome",
      object({{"labels", list(ref("Outcome"))},
              {"next", or_null(ref("Assignments"))},
              maybe("session", session_schema())}),
      {.request =
           object({maybe("item", text()), maybe("label", text()), worker, confidence, probabilities,
                   note, seconds, maybe("labels", list(label)),
                   maybe("revise", flag("Replace an earlier label. With a worker's token: the last "
                                        "one, until its item would have expired")),
                   next}),
       .keyed = true});
}

}  // namespace allot::serve
