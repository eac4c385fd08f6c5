// Values of the settings of `allot serve`.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "allot/base/result.hpp"
#include "http/server.hpp"
#include "serve/hub.hpp"
#include "serve/service.hpp"

namespace allot::cli {

struct ServeSettings {
  serve::HubOptions hub;
  serve::ServiceOptions service;
  http::ServerOptions server;
  /// File of the log, "-" for standard error; none if nothing is logged.
  std::optional<std::string> log;
};

/// Reads the settings; `variable` looks up the environment.
using Flags = std::map<std::string, std::optional<std::string>, std::less<>>;
using Variable = std::optional<std::string> (*)(const std::string& name);
Result<ServeSettings> read_serve_settings(const Flags& flags,
                                          const std::optional<std::string>& config,
                                          Variable variable);

}  // namespace allot::cli
