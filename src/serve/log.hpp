// One line of JSON per request: time, route, status, duration. One more for failures that no client
// is told of: a response that was cut, a webhook that was switched off.
//
// The log has no tokens, addresses, names of workers or contents of requests: a token appears as
// its id, a route as its pattern. Private causes of errors are logged with the request's id.
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
  std::string request, method, route, token, role, campaign, cause;
  int status = 0;
  double seconds = 0;
};

/// An event that is not a request, or comes after the response.
struct Note {
  Level level = Level::info;
  std::string_view what;
  std::string_view request = {}, campaign = {}, webhook = {}, cause = {};
};

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
