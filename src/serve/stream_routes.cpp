// Events of a campaign, as pages and as they happen; and rows of a campaign as files. Files and
// live events are streamed in pieces; each piece is one request to the campaign's mailbox.
#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "allot/campaign/export.hpp"
#include "base/try.hpp"
#include "serve/call.hpp"
#include "serve/problem.hpp"
#include "serve/replies.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::ExportFormat;
using campaign::ExportKind;
using http::Response;

constexpr std::size_t kStreamedAtOnce = 200;

struct EventText {
  std::uint64_t sequence;
  std::string name, json;
};
using EventTexts = std::vector<EventText>;

/// Up to `most` events after a sequence number. Items added together are one event with a count.
Result<EventTexts> events_json(OpenCampaign& open, std::uint64_t after, std::size_t most) {
  const auto events = TRY(open->view().events(after, most));
  return open.read([&](const campaign::State& state) {
    EventTexts texts;
    for (const auto& [sequence, time, key, event] : events) {
      const auto* added = std::get_if<campaign::ItemsAdded>(&event);
      const campaign::EventRow row =
          added ? campaign::EventRow() : campaign::event_rows(event, state).front();
      const std::string name(campaign::name(event));
      texts.push_back(
          {sequence, name,
           JsonObject()
               .whole("sequence", sequence)
               .time("time", time)
               .text("event", name)
               .text_or_null("item", row.item)
               .text_or_null("worker", row.worker)
               .text_or_null("label", row.label)
               .json("price", row.price.empty() ? "null" : row.price)
               .text_or_null("expires", row.expires)
               .text_or_null("detail", row.detail)
               .whole("items", added ? std::optional(added->items.size()) : std::nullopt)});
    }
    return texts;
  });
}

Result<void> list_events(const CallPtr& call) {
  const std::uint64_t limit = TRY(call->limit());
  const std::uint64_t after = TRY(call->whole("after", 0, 0, INT64_MAX));
  return call->look([limit, after](OpenCampaign& open) -> Result<Response> {
    const EventTexts events = TRY(events_json(open, after, limit));
    return json_response(
        JsonObject()
            .list("events", events, [](const EventText& event) { return event.json; })
            .whole("next", events.empty() ? after : events.back().sequence));
  });
}

/// Events of a campaign as server-sent events: first those after a sequence number, then new ones
/// as they happen. Ends when the server stops, the token is revoked, or the campaign gets another
/// owner or moves to another server.
class LiveStream final : public http::Stream {
 public:
  LiveStream(const Call& call, std::uint64_t after)
      : cursor_(new Cursor{call.hub(), call.campaign(), call.token.id,
                           call.service.options().heartbeat, after}) {}
  ~LiveStream() override { cursor_->over = true; }

  void pull(Ready ready) override {
    // A first line at once tells the client that the stream is open.
    if (!std::exchange(cursor_->greeted, true)) return ready("retry: 2000\n\n");
    next(cursor_, std::move(ready), false);
  }

 private:
  struct Cursor {
    Hub& hub;
    const std::string campaign, token;
    const std::chrono::milliseconds heartbeat;
    std::uint64_t after;
    std::string text = {};
    bool greeted = false;
    std::atomic<bool> over = false;
  };
  using CursorPtr = std::shared_ptr<Cursor>;

  /// Whether the token can still see the campaign.
  static bool is_visible(const Cursor& cursor) {
    const auto token = cursor.hub.vault().with_id(cursor.token);
    const auto entry = cursor.hub.vault().campaign(cursor.campaign);
    return token && entry && !token->revoked &&
           (token->role == Role::admin || entry->is_owned_by(*token));
  }

  /// Sends events if there are any. Otherwise waits for one, and sends a comment if none comes.
  static void next(const CursorPtr& cursor, Ready ready, bool waited) {
    if (cursor->over) return;
    if (!is_visible(*cursor) || cursor->hub.stopped()) return ready(std::nullopt);
    // The client comes back, and is then brought to the server that has the campaign now.
    if (cursor->hub.has_moved(cursor->campaign)) return ready(std::nullopt);
    cursor->hub.look(
        cursor->campaign,
        [cursor](OpenCampaign& open) -> Response {
          const auto events = events_json(open, cursor->after, kStreamedAtOnce);
          if (!events) return problem(events.error());
          cursor->text.clear();
          for (const auto& [sequence, name, json] : *events) {
            cursor->text += fmt::format("id: {}\nevent: {}\ndata: {}\n\n", sequence, name, json);
            cursor->after = sequence;
          }
          return {};
        },
        [cursor, ready = std::move(ready), waited](const Response& response) {
          if (cursor->hub.stopped()) return ready(std::nullopt);
          if (response.status != 200) return ready(tl::unexpected(logged_error(response)));
          if (!cursor->text.empty()) return ready(cursor->text);
          if (waited) return ready(": still here\n\n");
          cursor->hub.wait_for_event(cursor->campaign, cursor->after, cursor->heartbeat,
                                     [cursor, ready] { next(cursor, ready, true); });
        });
  }

  CursorPtr cursor_;
};

Result<void> live_events(const CallPtr& call) {
  std::uint64_t after = TRY(call->whole("after", 0, 0, INT64_MAX));
  if (const auto last = call->request.fields.find("Last-Event-ID")) {
    const auto number = parse_whole(*last);
    if (!number || *number > INT64_MAX) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("Last-Event-ID {} is invalid; expected the sequence number of an "
                              "event",
                              in_quotes(*last)));
    }
    after = *number;
  }
  Response response;
  response.fields.add("Content-Type", "text/event-stream");
  response.stream = std::make_unique<LiveStream>(*call, after);
  return call->send(std::move(response));
}

class ExportStream final : public http::Stream {
 public:
  ExportStream(Hub& hub, std::string campaign, ExportKind what, ExportFormat format)
      : cursor_(new Cursor{hub, std::move(campaign), {what, format}}) {}

  void pull(Ready ready) override { next(cursor_, std::move(ready)); }

 private:
  struct Cursor {
    Hub& hub;
    const std::string campaign;
    campaign::Export rows;
    std::optional<std::string> piece = {};
  };

  static void next(const std::shared_ptr<Cursor>& cursor, Ready ready) {
    cursor->hub.look(
        cursor->campaign,
        [cursor](OpenCampaign& open) -> Response {
          auto piece = cursor->rows.next(open.view());
          if (!piece) return problem(piece.error());
          cursor->piece = *std::move(piece);
          return {};
        },
        [cursor, ready = std::move(ready)](const Response& response) {
          if (response.status != 200) return ready(tl::unexpected(logged_error(response)));
          if (!cursor->piece) return ready(std::nullopt);
          if (cursor->piece->empty()) return next(cursor, ready);
          ready(std::move(cursor->piece));
        });
  }

  std::shared_ptr<Cursor> cursor_;
};

Result<void> export_rows(const CallPtr& call) {
  const std::string& what = call->param("what");
  const auto exported = campaign::export_kind_named(what);
  if (!exported) {
    return fail(ErrorCode::not_found,
                fmt::format("unknown export {}; expected labels, answers, "
                            "probabilities, workers, events, sessions, bonuses, skips, kinds or "
                            "results",
                            in_quotes(what)));
  }
  const std::string format = call->query("format").value_or("csv");
  const bool crowd_kit = format == "crowd-kit", lines = format == "jsonl";
  const bool has_crowd_kit = campaign::has_crowd_kit_form(*exported);
  if (format != "csv" && !lines && (!crowd_kit || !has_crowd_kit)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("unknown format {}; expected csv, jsonl{}", in_quotes(format),
                            has_crowd_kit ? " or crowd-kit" : ""));
  }
  Response response;
  response.fields.add("Content-Type", lines ? "application/x-ndjson" : "text/csv; charset=utf-8");
  response.fields.add("Content-Disposition",
                      fmt::format("attachment; filename=\"{}.{}\"", what, lines ? "jsonl" : "csv"));
  response.stream = std::make_unique<ExportStream>(call->hub(), call->campaign(), *exported,
                                                   lines       ? ExportFormat::jsonl
                                                   : crowd_kit ? ExportFormat::crowd_kit
                                                               : ExportFormat::csv);
  if (*exported != ExportKind::bonuses) return call->send(std::move(response));
  const auto sent = std::make_shared<Response>(std::move(response));
  return call->look([call, sent](OpenCampaign& open) -> Result<Response> {
    const bool is_paid =
        TRY(open.read([&](const campaign::State& state) { return pays_money(*call, state); }));
    if (is_paid) return std::move(*sent);
    return fail(ErrorCode::conflict,
                "labels have no price in money, so no bonuses are owed; expected a campaign with a "
                "currency or with prices other than 1");
  });
}

}  // namespace

void add_stream_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  const Parameter after{"after", whole_from(0, INT64_MAX),
                        "Sequence number of the last event the client has"};
  owner.add(
      get, "/events", "list_events", list_events, "List events after a sequence number, in order",
      object({{"events", list(ref("Event"))}, {"next", whole("The `after` of the next request")}}),
      {.query = {{"limit", whole_from(1, Call::kMostRows), "Events per page; default: 100"},
                 after}});
  owner.add(get, "/events/live", "live_events", live_events,
            "Stream events as they happen (server-sent events; Last-Event-ID resumes)", text(),
            {.query = {after}, .produces = "text/event-stream"});
  owner.add(get, "/export/{what}", "export", export_rows,
            "Download labels, answers, probabilities, workers, events, sessions, bonuses, skips, "
            "kinds of workers or results as a file",
            text(),
            {.query = {{"format", text(), "csv, jsonl or crowd-kit; default: csv"}},
             .produces = "text/csv; charset=utf-8",
             .also_produces = {"application/x-ndjson"}});
}

}  // namespace allot::serve
