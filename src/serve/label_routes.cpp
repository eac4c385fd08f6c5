// Recording labels, and asking for the next items in the same commit.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "allot/campaign/names.hpp"
#include "base/try.hpp"
#include "serve/handout.hpp"
#include "serve/json.hpp"
#include "serve/metrics.hpp"
#include "serve/problem.hpp"
#include "serve/routes.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Answer;
using campaign::State;
using http::Method;
using http::Response;

/// Revisions of one label by its worker: each one refits all labels.
constexpr std::uint32_t kMostRevisions = 20;

std::string_view name_of(campaign::Outcome outcome) {
  static constexpr std::array<std::string_view, 3> kNames{"recorded", "already", "revised"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Metrics::Kind kind_of(campaign::Outcome outcome) {
  static constexpr std::array kKinds{Metrics::Kind::recorded, Metrics::Kind::already,
                                     Metrics::Kind::revised};
  return kKinds[static_cast<std::size_t>(outcome)];
}

struct LabelRequest {
  std::vector<Answer> answers;
  /// The request has the form {item, label} of a single label.
  bool single = false;
  bool revise = false;
  /// Items to lease afterwards.
  std::uint64_t next = 0;
};

/// Reads one label ({item, label}) or many ({labels: [...]}).
LabelRequest read_labels(const Call& call, Body& body) {
  LabelRequest request;
  request.revise = body.flag("revise");
  request.next = body.whole("next", 0, 0, kMostAssignments);
  request.single = body.has("item");
  if (request.revise && call.is_worker() && !request.single) {
    body.refuse("a worker's token revises one label; expected item and label",
                ErrorCode::forbidden);
  }
  if (request.single) {
    const std::string worker = call.worker(body);
    request.answers.push_back({body.text("item"), worker, body.text("label")});
    return request;
  }
  const std::optional<std::string> worker_of_all =
      call.is_worker() || body.has("worker") ? std::optional(call.worker(body)) : std::nullopt;
  for (Body& label : body.objects("labels", call.service.options().largest_batch)) {
    Answer answer;
    answer.item = label.text("item");
    answer.label = label.text("label");
    answer.worker = worker_of_all ? *worker_of_all : label.text("worker");
    static_cast<void>(label.done());
    request.answers.push_back(std::move(answer));
  }
  if (request.answers.empty()) {
    body.refuse("labels is missing or empty; expected item and label, or a list of labels");
  }
  return request;
}

/// Refuses the whole request if one of its labels is not a class of the campaign.
Result<void> check_labels(OpenBatch& room, const std::vector<Answer>& answers) {
  return TRY(room.read([&](const State& state) -> Result<void> {
    for (const Answer& answer : answers) {
      TRY(campaign::class_named(state.options(), answer.label));
    }
    return {};
  }));
}

/// A worker may change the last label only, and only as long as its lease would have lasted. Other
/// mistakes are left to the campaign.
Result<void> check_revision(const Call& call, OpenBatch& room, const Answer& answer) {
  enum class Change : std::uint8_t { none, allowed, late };
  const Change change = TRY(room.read([&](const State& state) {
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
  if (room.count_revision(answer.worker, answer.item) <= kMostRevisions) return {};
  return fail(ErrorCode::forbidden,
              fmt::format("you have changed this label {} times; no more changes are possible",
                          kMostRevisions));
}

/// The outcome of each label as a row. An error that concerns the whole request is returned.
Result<std::string> outcomes_json(const Call& call, OpenBatch& room, const LabelRequest& request) {
  const auto outcomes = room->record(request.answers, call.now(), request.revise, call.key());
  JsonList list;
  for (std::size_t n = 0; n < outcomes.size(); ++n) {
    JsonObject row;
    row.text("item", request.answers[n].item);
    const auto& outcome = outcomes[n];
    call.service.metrics().label(outcome ? kind_of(*outcome) : Metrics::Kind::refused);
    if (outcome) {
      list.json(row.text("outcome", name_of(*outcome)).end());
      continue;
    }
    const Error error = call.for_caller(outcome.error());
    const bool of_request =
        request.single || error.code == ErrorCode::key_reused || status_of(error.code) >= 500;
    if (of_request) return tl::unexpected(error);
    list.json(row.text("outcome", "refused")
                  .text("code", code_of(error.code))
                  .text("detail", error.message)
                  .end());
  }
  return list.end();
}

Result<Response> record(const Call& call, OpenBatch& room, const LabelRequest& request) {
  TRY(check_labels(room, request.answers));
  if (request.revise && call.is_worker()) {
    // A request that was handled before under this key is only answered again.
    const bool is_repeat = TRY(room->view().knows(call.key()));
    if (!is_repeat) TRY(check_revision(call, room, request.answers.front()));
  }
  JsonObject answer;
  answer.json("labels", TRY(outcomes_json(call, room, request)));
  if (request.next == 0) return json_response(answer.json("next", "null").end());
  const std::string& worker = request.answers.front().worker;
  const Handout next = TRY(hand_out(call, room, worker, request.next, kNextPart));
  return json_response(answer.json("next", next.json()).end());
}

void give(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  LabelRequest request = read_labels(*call, body);
  const bool several_workers = std::ranges::any_of(request.answers, [&](const Answer& answer) {
    return answer.worker != request.answers.front().worker;
  });
  if (request.next > 0 && several_workers) {
    body.refuse("next is for the labels of one worker; expected the same worker in all labels");
  }
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command([call, request = std::move(request)](OpenBatch& room) {
    return record(*call, room, request);
  });
}

}  // namespace

void add_label_routes(std::vector<Route>& routes) {
  using namespace schema;
  routes.push_back(
      {.method = Method::post,
       .pattern = "/api/v1/campaigns/{campaign}/labels",
       .access = Access::worker,
       .name = "give_labels",
       .summary = "Record one label (item, label) or many (labels); each has its own outcome",
       .handle = give,
       .request = object(
           {maybe("item", text()), maybe("label", text()),
            maybe("worker", text("Not needed with a worker's token")),
            maybe("labels",
                  list(object({{"item", text()}, {"label", text()}, maybe("worker", text())}))),
            maybe("revise", flag("Replace an earlier label. With a worker's token: the last one, "
                                 "until its item would have expired")),
            maybe("next", whole_from(0, kMostAssignments,
                                     "Number of items to ask for in the same commit"))}),
       .response =
           object({{"labels", list(ref("Outcome"))}, {"next", or_null(ref("Assignments"))}}),
       .keyed = true});
}

}  // namespace allot::serve
