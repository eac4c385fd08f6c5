// One line of JSON per request: time, route, status, duration. One more for failures that no client
// is told of: a response that was cut, a webhook that was switched off.
//
// The log has no tokens, names of workers or contents of requests: a token appears as its id, a
// route as its pattern. An address appears only if a client speaks plain HTTP on a port for TLS.
// Private causes of errors are logged with the request's id.
//
// The access log is another file, which tells who did what: it has names, addresses and paths.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "allot/campaign/event.hpp"

namespace allot::serve {

enum class Level : std::uint8_t { debug, info, warning, error };
std::string_view name(Level level);

/// A finished request.
struct Trace {
  std::string request = {}, method = {}, route = {}, token = {}, role = {}, campaign = {},
              cause = {};
  int status = 0;
  double seconds = 0;
  /// Code of a refusal.
  std::string reason = {};
  /// For the access log: the person or the label of the token, the address, and the path.
  std::string person = {}, peer = {}, path = {};
};

/// An event that is not a request, or comes after the response.
struct Note {
  Level level = Level::info;
  std::string_view what;
  std::string_view request = {}, campaign = {}, webhook = {}, cause = {};
  /// Of the server, when it starts.
  std::string_view version = {}, listen = {}, data = {};
  /// Of a client that no request is known of.
  std::string_view address = {};
  /// Of a reload: "log, certificate".
  std::string_view parts = {};
};

/// The line of the access log for a request.
std::string access_line(const Trace& trace, campaign::Time now);
/// Whether the access log has the request: those to the API and of signing in, and those that are
/// refused for who the caller is; not pages, health and metrics.
bool is_access(const Trace& trace);

class Log {
 public:
  using Sink = std::function<void(const std::string& line)>;
  /// Drops lines below the level. Any thread may call the sink.
  Log(Sink sink, Level level) : sink_(std::move(sink)), level_(level) {}

  void request(const Trace& trace, campaign::Time now) const;
  void note(const Note& note, campaign::Time now) const;

 private:
  const Sink sink_;
  const Level level_;
};

}  // namespace allot::serve
