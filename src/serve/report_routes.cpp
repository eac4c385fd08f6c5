// Reports: answers, workers, status, explanations, events.
#include <array>

#include "allot/base/time_text.hpp"
#include "base/try.hpp"
#include "serve/call.hpp"
#include "serve/events.hpp"
#include "serve/json.hpp"
#include "serve/paging.hpp"
#include "serve/problem.hpp"
#include "serve/report.hpp"
#include "serve/routes.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Options;
using campaign::State;
using http::Method;
using http::Response;

void list_answers(const CallPtr& call) {
  const auto page = Paging::of(*call);
  if (!page) return call->refuse(page.error());
  call->look([call, page = *page](OpenCampaign& room) {
    return tagged(*call, room, [&]() -> Result<Response> {
      const auto options = room.read([](const State& state) { return state.options(); });
      if (!options) return tl::unexpected(options.error());
      return room.answers().map([&](const OpenCampaign::Answers& answers) {
        return page.response("answers", answers->size(), [&](std::uint64_t n) {
          const campaign::AnswerRow& one = (*answers)[n];
          const std::uint32_t answer = position(one.answer);
          return JsonObject()
              .text("item", one.item)
              .text("answer", options->classes[answer])
              .number("probability", one.probabilities[answer])
              .whole("labels", one.labels)
              .number("entropy", one.entropy)
              .number("disagreement", one.disagreement)
              .text_or_null("settled", one.finish_reason)
              .json("probabilities", by_class(*options, one.probabilities))
              .end();
        });
      });
    });
  });
}

void list_workers(const CallPtr& call) {
  const auto page = Paging::of(*call);
  if (!page) return call->refuse(page.error());
  call->look([call, page = *page](OpenCampaign& room) {
    return tagged(*call, room, [&] {
      return room.workers().map([&](const OpenCampaign::Workers& workers) {
        return page.response("workers", workers->size(), [&](std::uint64_t n) {
          const campaign::WorkerRow& one = (*workers)[n];
          JsonObject row;
          row.text("worker", one.worker)
              .whole("labels", one.facts.labels)
              .whole("at_hand", one.facts.leases)
              .whole("skips", one.facts.skips)
              .number("reliability", one.reliability)
              .number("low", one.low)
              .number("high", one.high);
          if (one.agreement) {
            row.number("agreement", *one.agreement);
          } else {
            row.json("agreement", "null");
          }
          return row.whole("gold", one.facts.gold)
              .whole("gold_right", one.facts.gold_right)
              .money("price", one.price)
              .money("spent", one.facts.spent)
              .end();
        });
      });
    });
  });
}

void status(const CallPtr& call) {
  call->look([call](OpenCampaign& room) {
    return tagged(*call, room, [&] {
      return room->view().status().map([](const campaign::Status& now) {
        JsonObject days, settled, all;
        for (const auto& [day, count] : now.labels_by_day) days.whole(day_text(day), count);
        for (const auto& [reason, count] : now.finished) settled.whole(reason, count);
        all.text("phase", campaign::name(now.phase))
            .text_or_null("reason", now.reason)
            .time("started", now.started)
            .time("last_event", now.last_event)
            .money("budget", now.budget)
            .money("spent", now.spent)
            .money("reserved", now.reserved)
            .money("left", now.left)
            .whole("items", now.items)
            .whole("gold", now.gold)
            .whole("workers", now.workers)
            .whole("leases", now.leases)
            .whole("labels", now.labels)
            .whole("gold_labels", now.gold_labels)
            .whole("imported", now.imported)
            .json("labels_a_day", days.end())
            .json("settled", settled.end())
            .number("expected_accuracy", now.expected_accuracy);
        all.json("bound", number_or_null(now.bound))
            .whole("truths", now.truths)
            .json("accuracy", number_or_null(now.accuracy));
        return json_response(all.whole("events", now.events).end());
      });
    });
  });
}

std::string_view name_of(campaign::PairStatus bond) {
  static constexpr std::array<std::string_view, 5> kNames{"none", "leased", "lapsed", "skipped",
                                                          "labelled"};
  return kNames[static_cast<std::size_t>(bond)];
}

void explain(const CallPtr& call) {
  const auto item = call->query("item");
  if (!item) {
    return call->refuse(
        {ErrorCode::invalid_argument, "item is missing; expected the id of an item"});
  }
  const std::string worker = call->query("worker").value_or("");
  call->look([item = *item, worker](OpenCampaign& room) -> Result<Response> {
    const auto why = TRY(room->view().explain(item, worker));
    const auto number = room.read([&](const State& state) { return state.find_item(item); });
    if (!number) return tl::unexpected(number.error());
    const auto fields = TRY(room.view().content(number->value()));
    return room.read([&](const State& state) {
      const Options& options = state.options();
      JsonList shares;
      for (const campaign::Share& one : why.shares) {
        const bool labelled = one.status == campaign::PairStatus::labelled;
        shares.json(JsonObject()
                        .text("worker", state.name(one.worker))
                        .text("bond", name_of(one.status))
                        .text_or_null("label", labelled ? options.classes[position(one.label)] : "")
                        .end());
      }
      JsonObject all;
      all.text("item", item)
          .json("fields", fields.empty() ? "{}" : fields)
          .json("probabilities", by_class(options, why.probabilities))
          .json("workers", shares.end())
          .whole("at_hand", why.pending)
          .text_or_null("settled", why.finish_reason)
          .text_or_null("gold", why.gold ? options.classes[position(*why.gold)] : "");
      if (why.value) {
        all.number("value", *why.value);
      } else {
        all.json("value", "null");
      }
      return json_response(all.json("outlook", outlook_json(options, why.outlook)).end());
    });
  });
}

void list_events(const CallPtr& call) {
  const auto limit = call->limit();
  if (!limit) return call->refuse(limit.error());
  const auto after = call->whole("after", 0, 0, INT64_MAX);
  if (!after) return call->refuse(after.error());
  call->look([limit = *limit, after = *after](OpenCampaign& room) {
    return events_json(room, after, limit).map([&](const EventTexts& events) {
      JsonList list;
      for (const EventText& one : events) list.json(one.json);
      return json_response(JsonObject()
                               .json("events", list.end())
                               .whole("next", events.empty() ? after : events.back().sequence)
                               .end());
    });
  });
}

}  // namespace

void add_report_routes(std::vector<Route>& routes) {
  using namespace schema;
  const std::string one = "/api/v1/campaigns/{campaign}";
  const std::vector<Parameter> page = page_parameters();
  const auto paged = [](std::string_view name, std::string_view of) {
    return object({{name, list(ref(of))}, {"next", or_null(text())}});
  };
  const std::string probabilities = table(share());
  routes.insert(
      routes.end(),
      {{.method = Method::get,
        .pattern = one + "/answers",
        .access = Access::owner,
        .name = "list_answers",
        .summary = "List the answer to each item, from all labels so far",
        .handle = list_answers,
        .response = paged("answers", "Answer"),
        .query = page,
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/workers",
        .access = Access::owner,
        .name = "list_workers",
        .summary = "List workers with their estimated reliability",
        .handle = list_workers,
        .response = paged("workers", "Worker"),
        .query = page,
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/status",
        .access = Access::owner,
        .name = "status",
        .summary = "Read the progress of a campaign: counts, budget, expected accuracy",
        .handle = status,
        .response = ref("Status"),
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/explain",
        .access = Access::owner,
        .name = "explain",
        .summary =
            "Explain an item: its posterior, its workers, and what one more label would change",
        .handle = explain,
        .response = object(
            {{"item", text()},
             {"fields", anything()},
             {"probabilities", probabilities},
             {"workers",
              list(object({{"worker", text()}, {"bond", text()}, {"label", or_null(text())}}))},
             {"at_hand", whole("Workers who have the item now")},
             {"settled", or_null(text())},
             {"gold", or_null(text())},
             {"value", or_null(number("The policy's index for this item and worker"))},
             {"outlook",
              table(object({{"chance", share()}, {"then", probabilities}}),
                    "Per class: the chance of that label, and the probabilities after it")}}),
        .query = {{"item", text(), "Id of the item"},
                  {"worker", text(), "The worker who would give the label"}}},
       {.method = Method::get,
        .pattern = one + "/events",
        .access = Access::owner,
        .name = "list_events",
        .summary = "List events after a sequence number, in order",
        .handle = list_events,
        .response = object(
            {{"events", list(ref("Event"))}, {"next", whole("The `after` of the next request")}}),
        .query = {{"limit", whole_from(1, Call::kMostRows), "Events per page; default: 100"},
                  {"after", whole_from(0, INT64_MAX),
                   "Sequence number of the last event the client has"}}}});
}

}  // namespace allot::serve
