#include "serve/log.hpp"

#include <array>
#include <cmath>

#include "serve/json.hpp"

namespace allot::serve {
namespace {

Level level_of(const Trace& trace) {
  if (trace.status >= 500) return Level::error;
  if (trace.status == 401 || trace.status == 403 || trace.status == 429) return Level::warning;
  return trace.route == "/healthz" || trace.route == "/readyz" ? Level::debug : Level::info;
}

}  // namespace

std::string_view name(Level level) {
  static constexpr std::array<std::string_view, 4> kNames{"debug", "info", "warning", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

void Log::request(const Trace& trace, campaign::Time now) const {
  const Level level = level_of(trace);
  if (!sink_ || level < level_) return;
  JsonObject line;
  line.time("time", now)
      .text("level", name(level))
      .text("request", trace.request)
      .text("method", trace.method)
      .text_or_null("route", trace.route)
      .whole("status", static_cast<std::uint64_t>(trace.status))
      .number("milliseconds", std::round(trace.seconds * 1e6) / 1e3);
  if (!trace.token.empty()) line.text("token", trace.token).text("role", trace.role);
  if (!trace.campaign.empty()) line.text("campaign", trace.campaign);
  if (!trace.cause.empty()) line.text("cause", trace.cause);
  sink_(line.end());
}

void Log::note(const Note& note, campaign::Time now) const {
  if (!sink_ || note.level < level_) return;
  JsonObject line;
  line.time("time", now).text("level", name(note.level)).text("what", note.what);
  if (!note.request.empty()) line.text("request", note.request);
  if (!note.campaign.empty()) line.text("campaign", note.campaign);
  if (!note.webhook.empty()) line.text("webhook", note.webhook);
  if (!note.cause.empty()) line.text("cause", note.cause);
  sink_(line.end());
}

}  // namespace allot::serve
