// One line of JSON a request: when, what, how it ended, how long it took. And one for what goes
// wrong without anybody being told: a stream that was cut, a webhook that was switched off.
//
// Never tokens, addresses, names of workers, or what a request held: a token by its id, a route by
// its pattern. Causes that clients do not see stand here, under the request's id.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "allot/campaign/event.hpp"

namespace allot::serve {

enum class Level : std::uint8_t { debug, info, warning, error };
std::string_view name(Level level);

/// What is known of a request at its end.
struct Trace {
  std::string request, method, route, token, role, campaign, cause;
  int status = 0;
  double seconds = 0;
};

/// Something that is no request, or after one was answered.
struct Note {
  Level level = Level::info;
  std::string_view what;
  std::string_view request = {}, campaign = {}, webhook = {}, cause = {};
};

class Log {
 public:
  using Sink = std::function<void(const std::string& line)>;
  /// Lines below the level are left out. The sink may be called by any thread.
  Log(Sink sink, Level level) : sink_(std::move(sink)), level_(level) {}

  void request(const Trace& trace, campaign::Time now) const;
  void note(const Note& note, campaign::Time now) const;

 private:
  const Sink sink_;
  const Level level_;
};

}  // namespace allot::serve
