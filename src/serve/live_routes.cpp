// What is watched while it runs: figures, and events as they happen.
#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "serve/events.hpp"
#include "serve/metrics.hpp"
#include "serve/problem.hpp"
#include "serve/route.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using http::Method;
using http::Response;

constexpr std::size_t kEventsAtOnce = 200;

void figures(const CallPtr& call) {
  Response response;
  response.fields.add("Content-Type", "text/plain; version=0.0.4");
  response.body =
      call->service.metrics().text(call->service.options().version,
                                   call->hub().vault().campaigns().size(), call->hub().figures());
  call->reply(std::move(response));
}

/// Events of a campaign as server-sent events, from one on and then as they happen. Ends with the
/// server, or when the token is revoked.
class LiveStream final : public http::Stream {
 public:
  LiveStream(const Call& call, std::uint64_t after)
      : course_(std::make_shared<Course>(call.hub(), call.campaign(), call.token.id, after,
                                         call.service.options().heartbeat)) {}
  ~LiveStream() override { course_->over = true; }

  void pull(Ready ready) override {
    // Something at once, so that the client knows that it is heard.
    if (!std::exchange(course_->greeted, true)) return ready("retry: 2000\n\n");
    next(course_, std::move(ready), false);
  }

 private:
  struct Course {
    Course(Hub& its_hub, std::string its_campaign, std::string its_token, std::uint64_t first,
           std::chrono::milliseconds its_patience)
        : hub(its_hub),
          campaign(std::move(its_campaign)),
          token(std::move(its_token)),
          patience(its_patience),
          after(first) {}
    Hub& hub;
    const std::string campaign, token;
    const std::chrono::milliseconds patience;
    std::uint64_t after;
    std::string text;
    bool greeted = false;
    std::atomic<bool> over = false;
  };
  using CoursePtr = std::shared_ptr<Course>;

  /// Events if there are any; without, it waits for one, and after that says that it is there.
  static void next(const CoursePtr& course, Ready ready, bool waited) {
    if (course->over) return;
    const auto token = course->hub.vault().with_id(course->token);
    if (!token || token->revoked || course->hub.stopped()) return ready(std::nullopt);
    course->hub.look(
        course->campaign,
        [course](Room& room) -> Response {
          const auto events = events_json(room, course->after, kEventsAtOnce);
          if (!events) return problem(events.error());
          course->text.clear();
          for (const EventText& one : *events) {
            course->text +=
                fmt::format("id: {}\nevent: {}\ndata: {}\n\n", one.sequence, one.name, one.json);
            course->after = one.sequence;
          }
          return {};
        },
        [course, ready = std::move(ready), waited](const Response& response) {
          if (course->hub.stopped()) return ready(std::nullopt);
          if (response.status != 200) return ready(tl::unexpected(trouble_of(response)));
          if (!course->text.empty()) return ready(course->text);
          if (waited) return ready(": still here\n\n");
          course->hub.wait_for_event(course->campaign, course->after, course->patience,
                                     [course, ready] { next(course, ready, true); });
        });
  }

  CoursePtr course_;
};

void live_events(const CallPtr& call) {
  auto after = call->whole("after", 0, 0, INT64_MAX);
  if (!after) return call->refuse(after.error());
  if (const auto last = call->request.fields.find("Last-Event-ID")) {
    const auto number = parse_whole(*last);
    if (!number || *number > INT64_MAX) {
      return call->refuse(
          {ErrorCode::invalid_argument,
           fmt::format("Last-Event-ID {} is no number of an event", in_quotes(*last))});
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
        .summary = "Figures for Prometheus",
        .handle = figures,
        .response = text(),
        .produces = "text/plain; version=0.0.4"},
       {.method = Method::get,
        .pattern = "/api/v1/campaigns/{campaign}/events/live",
        .access = Access::owner,
        .name = "live_events",
        .summary = "Events as they happen (server-sent events; Last-Event-ID goes on from there)",
        .handle = live_events,
        .response = text(),
        .query = {{"after", whole_from(0, INT64_MAX),
                   "The sequence number of the last event that is known"}},
        .produces = "text/event-stream"}});
}

}  // namespace allot::serve
