// What is known: answers, workers, status, why an item is asked, events, exports.
#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "allot/campaign/export.hpp"
#include "base/try.hpp"
#include "serve/events.hpp"
#include "serve/json.hpp"
#include "serve/paging.hpp"
#include "serve/problem.hpp"
#include "serve/report.hpp"
#include "serve/route.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Exported;
using campaign::ExportFormat;
using campaign::Options;
using campaign::State;
using http::Method;
using http::Response;

void list_answers(const CallPtr& call) {
  const auto page = Paging::of(*call);
  if (!page) return call->refuse(page.error());
  call->look([call, page = *page](Room& room) {
    return tagged(*call, room, [&]() -> Result<Response> {
      const auto options = room.seen([](const State& state) { return state.options(); });
      if (!options) return tl::unexpected(options.error());
      return room.answers().map([&](const Room::Answers& answers) {
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
              .text_or_null("settled", one.settled)
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
  call->look([call, page = *page](Room& room) {
    return tagged(*call, room, [&] {
      return room.workers().map([&](const Room::Workers& workers) {
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
  call->look([call](Room& room) {
    return tagged(*call, room, [&] {
      return room->status().map([](const campaign::Status& now) {
        JsonObject days, settled, all;
        for (const auto& [day, count] : now.labels_by_day) days.whole(day_text(day), count);
        for (const auto& [reason, count] : now.settled) settled.whole(reason, count);
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
            .whole("truths", now.references)
            .json("accuracy", number_or_null(now.accuracy));
        return json_response(all.whole("events", now.events).end());
      });
    });
  });
}

std::string_view name_of(campaign::Bond bond) {
  switch (bond) {
    case campaign::Bond::none:
      return "none";
    case campaign::Bond::leased:
      return "leased";
    case campaign::Bond::lapsed:
      return "lapsed";
    case campaign::Bond::skipped:
      return "skipped";
    case campaign::Bond::labelled:
      break;
  }
  return "labelled";
}

void explain(const CallPtr& call) {
  const auto item = call->query("item");
  if (!item) {
    return call->refuse(
        {ErrorCode::invalid_argument, "item is missing; expected the id of an item"});
  }
  const std::string worker = call->query("worker").value_or("");
  call->look([item = *item, worker](Room& room) -> Result<Response> {
    const auto why = TRY(room->explain(item, worker));
    const auto number = room.seen([&](const State& state) { return state.find_item(item); });
    if (!number) return tl::unexpected(number.error());
    const auto fields = TRY(room.content(number->value()));
    return room.seen([&](const State& state) {
      const Options& options = state.options();
      JsonList shares;
      for (const campaign::Share& one : why.shares) {
        const bool labelled = one.bond == campaign::Bond::labelled;
        shares.json(JsonObject()
                        .text("worker", state.name(one.worker))
                        .text("bond", name_of(one.bond))
                        .text_or_null("label", labelled ? options.classes[position(one.label)] : "")
                        .end());
      }
      JsonObject all;
      all.text("item", item)
          .json("fields", fields.empty() ? "{}" : fields)
          .json("probabilities", by_class(options, why.probabilities))
          .json("workers", shares.end())
          .whole("at_hand", why.pending)
          .text_or_null("settled", why.settled)
          .text_or_null("gold", why.truth ? options.classes[position(*why.truth)] : "");
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
  call->look([limit = *limit, after = *after](Room& room) {
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

/// Pieces of an export, each a request to the campaign's mailbox.
class ExportStream final : public http::Stream {
 public:
  ExportStream(Hub& hub, std::string campaign, Exported what, ExportFormat format)
      : course_(std::make_shared<Course>(hub, std::move(campaign), what, format)) {}

  void pull(Ready ready) override { next(course_, std::move(ready)); }

 private:
  struct Course {
    Course(Hub& its_hub, std::string its_campaign, Exported what, ExportFormat format)
        : hub(its_hub), campaign(std::move(its_campaign)), rows(what, format) {}
    Hub& hub;
    const std::string campaign;
    campaign::Export rows;
    std::optional<std::string> piece;
  };

  static void next(const std::shared_ptr<Course>& course, Ready ready) {
    course->hub.look(
        course->campaign,
        [course](Room& room) -> Response {
          auto piece = course->rows.next(*room);
          if (!piece) return problem(piece.error());
          course->piece = *std::move(piece);
          return {};
        },
        [course, ready = std::move(ready)](const Response& response) {
          if (response.status != 200) return ready(tl::unexpected(trouble_of(response)));
          if (!course->piece) return ready(std::nullopt);
          if (course->piece->empty()) return next(course, ready);
          ready(std::move(course->piece));
        });
  }

  std::shared_ptr<Course> course_;
};

void export_rows(const CallPtr& call) {
  const std::string what = call->params.find("what")->second;
  const auto exported = campaign::exported_named(what);
  if (!exported) {
    return call->refuse(
        {ErrorCode::not_found, fmt::format("there is no export {}; expected labels, answers, "
                                           "probabilities, workers or events",
                                           in_quotes(what))});
  }
  const std::string format = call->query("format").value_or("csv");
  const bool crowd_kit = format == "crowd-kit";
  if (format != "csv" && format != "jsonl" && (!crowd_kit || *exported == Exported::events)) {
    return call->refuse(
        {ErrorCode::invalid_argument,
         fmt::format("format {} is unknown; expected csv, jsonl{}", in_quotes(format),
                     *exported == Exported::events ? "" : " or crowd-kit")});
  }
  const bool lines = format == "jsonl";
  Response response;
  response.fields.add("Content-Type", lines ? "application/x-ndjson" : "text/csv; charset=utf-8");
  response.fields.add("Content-Disposition",
                      fmt::format("attachment; filename=\"{}.{}\"", what, lines ? "jsonl" : "csv"));
  response.stream = std::make_unique<ExportStream>(call->hub(), call->campaign(), *exported,
                                                   lines       ? ExportFormat::jsonl
                                                   : crowd_kit ? ExportFormat::crowd_kit
                                                               : ExportFormat::csv);
  call->reply(std::move(response));
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
        .summary = "What follows from all labels, item by item",
        .handle = list_answers,
        .response = paged("answers", "Answer"),
        .query = page,
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/workers",
        .access = Access::owner,
        .name = "list_workers",
        .summary = "Workers, and how good they are believed to be",
        .handle = list_workers,
        .response = paged("workers", "Worker"),
        .query = page,
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/status",
        .access = Access::owner,
        .name = "status",
        .summary = "Where the campaign stands",
        .handle = status,
        .response = ref("Status"),
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/explain",
        .access = Access::owner,
        .name = "explain",
        .summary = "What is known of an item, and what a label of a worker would do",
        .handle = explain,
        .response = object(
            {{"item", text()},
             {"fields", anything()},
             {"probabilities", probabilities},
             {"workers",
              list(object({{"worker", text()}, {"bond", text()}, {"label", or_null(text())}}))},
             {"at_hand", whole()},
             {"settled", or_null(text())},
             {"gold", or_null(text())},
             {"value", or_null(number("The policy's index of item and worker"))},
             {"outlook", table(object({{"chance", share()}, {"then", probabilities}}),
                               "What each label would do")}}),
        .query = {{"item", text(), "Its id"}, {"worker", text(), "Who would be asked"}}},
       {.method = Method::get,
        .pattern = one + "/events",
        .access = Access::owner,
        .name = "list_events",
        .summary = "What happened after an event, in order",
        .handle = list_events,
        .response = object(
            {{"events", list(ref("Event"))}, {"next", whole("The `after` of the next request")}}),
        .query = {{"limit", whole_from(1, Call::kMostRows), "Events of a page, 100 if not given"},
                  {"after", whole_from(0, INT64_MAX),
                   "The sequence number of the last event that is known"}}},
       {.method = Method::get,
        .pattern = one + "/export/{what}",
        .access = Access::owner,
        .name = "export",
        .summary = "Labels, answers, probabilities, workers or events as a file, in pieces",
        .handle = export_rows,
        .response = text(),
        .query = {{"format", text(), "csv, jsonl or crowd-kit; csv if not given"}},
        .produces = "text/csv; charset=utf-8",
        .also_produces = {"application/x-ndjson"}}});
}

}  // namespace allot::serve
