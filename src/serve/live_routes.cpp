// Monitoring: Prometheus metrics, and events as they happen.
#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "serve/call.hpp"
#include "serve/events.hpp"
#include "serve/metrics.hpp"
#include "serve/problem.hpp"
#include "serve/routes.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using http::Method;
using http::Response;

constexpr std::size_t kEventsAtOnce = 200;

void metrics(const CallPtr& call) {
  Response response;
  response.fields.add("Content-Type", "text/plain; version=0.0.4");
  response.body =
      call->service.metrics().text(call->service.options().version,
                                   call->hub().vault().campaigns().size(), call->hub().figures());
  call->reply(std::move(response));
}

/// Events of a campaign as server-sent events: first those after a sequence number, then new ones
/// as they happen. Ends when the server stops or the token is revoked.
class LiveStream final : public http::Stream {
 public:
  LiveStream(const Call& call, std::uint64_t after)
      : cursor_(std::make_shared<Cursor>(call.hub(), call.campaign(), call.token.id, after,
                                         call.service.options().heartbeat)) {}
  ~LiveStream() override { cursor_->over = true; }

  void pull(Ready ready) override {
    // A first line at once tells the client that the stream is open.
    if (!std::exchange(cursor_->greeted, true)) return ready("retry: 2000\n\n");
    next(cursor_, std::move(ready), false);
  }

 private:
  struct Cursor {
    Cursor(Hub& its_hub, std::string its_campaign, std::string its_token, std::uint64_t first,
           std::chrono::milliseconds its_heartbeat)
        : hub(its_hub),
          campaign(std::move(its_campaign)),
          token(std::move(its_token)),
          heartbeat(its_heartbeat),
          after(first) {}
    Hub& hub;
    const std::string campaign, token;
    const std::chrono::milliseconds heartbeat;
    std::uint64_t after;
    std::string text;
    bool greeted = false;
    std::atomic<bool> over = false;
  };
  using CursorPtr = std::shared_ptr<Cursor>;

  /// Sends events if there are any. Otherwise waits for one, and sends a comment if none comes.
  static void next(const CursorPtr& cursor, Ready ready, bool waited) {
    if (cursor->over) return;
    const auto token = cursor->hub.vault().with_id(cursor->token);
    if (!token || token->revoked || cursor->hub.stopped()) return ready(std::nullopt);
    cursor->hub.look(
        cursor->campaign,
        [cursor](OpenCampaign& room) -> Response {
          const auto events = events_json(room, cursor->after, kEventsAtOnce);
          if (!events) return problem(events.error());
          cursor->text.clear();
          for (const EventText& one : *events) {
            cursor->text +=
                fmt::format("id: {}\nevent: {}\ndata: {}\n\n", one.sequence, one.name, one.json);
            cursor->after = one.sequence;
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

void live_events(const CallPtr& call) {
  auto after = call->whole("after", 0, 0, INT64_MAX);
  if (!after) return call->refuse(after.error());
  if (const auto last = call->request.fields.find("Last-Event-ID")) {
    const auto number = parse_whole(*last);
    if (!number || *number > INT64_MAX) {
      return call->refuse(
          {ErrorCode::invalid_argument,
           fmt::format("Last-Event-ID {} is invalid; expected the sequence number of an event",
                       in_quotes(*last))});
    }
    after = *number;
  }
  Response response;
  response.fields.add("Content-Type", "text/event-stream");
  response.stream = std::make_unique<LiveStream>(*call, *after);
  call->reply(std::move(response));
}

}  // namespace

void add_live_routes(std::vector<Route>& routes) {
  using namespace schema;
  routes.insert(
      routes.end(),
      {{.method = Method::get,
        .pattern = "/metrics",
        .access = Access::admin,
        .name = "metrics",
        .summary = "Prometheus metrics",
        .handle = metrics,
        .response = text(),
        .produces = "text/plain; version=0.0.4"},
       {.method = Method::get,
        .pattern = "/api/v1/campaigns/{campaign}/events/live",
        .access = Access::owner,
        .name = "live_events",
        .summary = "Stream events as they happen (server-sent events; Last-Event-ID resumes)",
        .handle = live_events,
        .response = text(),
        .query = {{"after", whole_from(0, INT64_MAX),
                   "Sequence number of the last event the client has"}},
        .produces = "text/event-stream"}});
}

}  // namespace allot::serve
