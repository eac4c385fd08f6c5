// `allot serve`: its settings and what it does with them.
//
// A setting comes from its flag, else from the environment (--max-body is ALLOT_MAX_BODY), else
// from the TOML file of --config, where it has the flag's name without dashes before it, else it is
// the usual one.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "allot/base/result.hpp"

namespace CLI {
class App;
}

namespace allot::cli {

struct Setting {
  const char* name;   // of the flag, without dashes
  const char* type;   // empty for one that is on or off
  const char* usual;  // empty for none
  const char* help;
};

inline constexpr std::array<Setting, 18> kServeSettings{{
    {"data", "DIR", "allot-data", "Folder for campaigns and tokens; made if there is none"},
    {"listen", "ADDRESS,...", "127.0.0.1:8080",
     "Where to listen, such as 0.0.0.0:8080 or [::1]:0; port 0 takes a\nfree one"},
    {"tls-cert", "FILE", "", "Certificate chain in PEM: speaks TLS, with --tls-key"},
    {"tls-key", "FILE", "", "Its private key in PEM"},
    {"io-threads", "N", "1", "Threads for connections"},
    {"threads", "N", "0", "Threads for campaigns; 0 for two a processor"},
    {"rate", "N", "500", "Requests a second that a token may make in the long run"},
    {"burst", "N", "1000", "Requests that it may make at once"},
    {"max-connections", "N", "10000", "Connections at once"},
    {"max-batch", "N", "1000", "Items or labels in one request"},
    {"max-body", "SIZE", "1M", "Largest request, such as 64k, 1M, 2G"},
    {"max-upload", "SIZE", "4G", "Largest upload of items"},
    {"private-webhooks", "yes|no", "no",
     "Whether webhooks may go to this machine and private networks"},
    {"web-root", "DIR", "", "Folder to read the pages from, for those who work on them"},
    {"head-timeout", "SECONDS", "10", "For a client to send the head of a request"},
    {"stop-timeout", "SECONDS", "10", "For requests in flight when it is asked to stop"},
    {"log", "FILE", "-", "Where to append a line of JSON a request; - for standard error"},
    {"log-level", "LEVEL", "info", "What is logged: debug, info, warning, error or off"},
}};

class ServeMenu {
 public:
  /// Registers the command; `app` must outlive the menu.
  explicit ServeMenu(CLI::App& app);

  /// Serves until SIGTERM or SIGINT. Prints where, and the first token if it is new, at once.
  Result<void> run() const;

 private:
  using Values = std::map<std::string, std::optional<std::string>, std::less<>>;
  std::unique_ptr<Values> flags_;  // by name; stays where CLI11 has it
  std::unique_ptr<std::optional<std::string>> config_;
};

}  // namespace allot::cli
