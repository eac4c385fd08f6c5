#include "serve/log.hpp"

#include <array>
#include <cmath>

#include "serve/json.hpp"

namespace allot::serve {
namespace {

/// The client asks for a method or a version of HTTP that no server here knows.
bool is_unknown_to_http(int status) { return status == 501 || status == 505; }

Level level_of(const Trace& trace) {
  if (trace.status >= 500 && !is_unknown_to_http(trace.status)) return Level::error;
  if (trace.status == 401 || trace.status == 403 || trace.status == 429) return Level::warning;
  return trace.route == "/healthz" || trace.route == "/readyz" ? Level::debug : Level::info;
}

/// Adds the members that are not empty.
void add_known(JsonObject& line,
               std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
  for (const auto& [name, value] : members) {
    if (!value.empty()) line.text(name, value);
  }
}

}  // namespace

std::string_view name(Level level) {
  static constexpr std::array<std::string_view, 4> kNames{"debug", "info", "warning", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

bool is_access(const Trace& trace) {
  const bool is_stranger = trace.status == 401 || trace.status == 403;
  return is_stranger || trace.path.starts_with("/api/") || trace.path.starts_with("/sign-");
}

std::string access_line(const Trace& trace, campaign::Time now) {
  JsonObject line;
  line.time("time", now)
      .text("request", trace.request)
      .text("address", trace.peer)
      .text_or_null("person", trace.person)
      .text_or_null("token", trace.token)
      .text_or_null("role", trace.role)
      .text("method", trace.method)
      .text("path", trace.path)
      .whole("status", static_cast<std::uint64_t>(trace.status));
  add_known(line, {{"reason", trace.reason}});
  return line;
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
  add_known(line, {{"token", trace.token},
                   {"role", trace.role},
                   {"campaign", trace.campaign},
                   {"reason", trace.reason},
                   {"cause", trace.cause}});
  sink_(std::move(line));
}

void Log::note(const Note& note, campaign::Time now) const {
  if (!sink_ || note.level < level_) return;
  JsonObject line;
  line.time("time", now).text("level", name(note.level)).text("what", note.what);
  add_known(line, {{"request", note.request},
                   {"campaign", note.campaign},
                   {"webhook", note.webhook},
                   {"version", note.version},
                   {"listen", note.listen},
                   {"data", note.data},
                   {"address", note.address},
                   {"parts", note.parts},
                   {"cause", note.cause}});
  sink_(std::move(line));
}

}  // namespace allot::serve
