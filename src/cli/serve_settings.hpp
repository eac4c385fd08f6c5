// The settings of `allot serve`.
//
// A setting comes from its flag, else from the environment (--max-body is ALLOT_MAX_BODY), else
// from the TOML file of --config (max-body = "1M"), else it has its default.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allot/base/result.hpp"
#include "http/server.hpp"
#include "serve/hub.hpp"
#include "serve/service.hpp"

namespace allot::cli {

struct Setting {
  const char* name;  // the flag without dashes
  const char* type;
  const char* default_value;  // the default; empty for none
  const char* meaning;
};

inline constexpr std::array<Setting, 39> kServeSettings{{
    {"data", "DIR", "allot-data", "Folder for campaigns and tokens; created if missing"},
    {"store", "URL", "",
     "PostgreSQL database for campaigns and tokens instead of a folder: `postgresql://...`"},
    {"require-sync", "yes|no", "no",
     "Whether to refuse a database whose commits do not wait for a standby"},
    {"node", "ADDRESS", "",
     "Address at which other servers on the same database reach this one; default: the first of "
     "`--listen`"},
    {"listen", "ADDRESS,...", "127.0.0.1:8080",
     "Addresses to listen on, such as `0.0.0.0:8080` or `[::1]:0`; port 0 takes a free port"},
    {"admin-token-file", "FILE", "",
     "File to write a new admin token to instead of printing it; only its owner can read it"},
    {"tls-cert", "FILE", "", "Certificate chain in PEM; enables TLS, with `--tls-key`"},
    {"tls-key", "FILE", "", "Private key of the certificate in PEM"},
    {"io-threads", "N", "1", "Threads for connections"},
    {"threads", "N", "0", "Threads for campaigns; 0 takes two per processor"},
    {"rate", "N", "500", "Requests per second that a token may make in the long run"},
    {"burst", "N", "1000", "Requests that a token may make at once"},
    {"max-connections", "N", "10000", "Most open connections"},
    {"max-batch", "N", "1000", "Most items or labels in one request"},
    {"max-body", "SIZE", "1M", "Largest request, such as `64k`, `1M` or `2G`"},
    {"max-upload", "SIZE", "4G", "Largest upload of items"},
    {"private-webhooks", "yes|no", "no",
     "Whether webhooks may call this machine and private networks"},
    {"models", "FILE", "",
     "TOML file with language models that requesters can start, with their endpoints, prices and "
     "keys"},
    {"web-root", "DIR", "", "Folder to read the pages from, for people who develop them"},
    {"head-timeout", "SECONDS", "10", "Timeout for the head of a request"},
    {"stop-timeout", "SECONDS", "10", "Timeout for open requests when the server stops"},
    {"log", "FILE", "-", "File to append one line of JSON per request to; `-` is standard error"},
    {"access-log", "FILE", "",
     "File to append one line of JSON per request to the API to, with who sent it"},
    {"public-url", "URL", "",
     "Address of this server for browsers, with which links begin, such as "
     "`https://labels.example.org`"},
    {"oidc-issuer", "URL", "", "OpenID Connect provider with which people can sign in"},
    {"oidc-client-id", "ID", "", "Name of this server at the provider"},
    {"oidc-client-secret-file", "FILE", "", "File with the secret of this server at the provider"},
    {"oidc-name", "NAME", "your account", "Name of the provider on the sign-in button"},
    {"oidc-group-claim", "CLAIM", "groups", "Claim that `group:` entries of roles are about"},
    {"oidc-roots", "FILE", "",
     "Certificates to trust at the provider, in PEM, instead of those of the system"},
    {"session-hours", "N", "12", "Hours after which people must sign in again"},
    {"proxy-header", "NAME", "",
     "Header field in which a proxy names the person, such as `X-Forwarded-Email`"},
    {"trusted-proxies", "ADDRESS,...", "",
     "Proxies that may set that field and `X-Forwarded-For`: `10.0.0.7`, `10.0.0.0/8`, `::1`"},
    {"sign-in-admins", "WHO,...", "",
     "People who sign in as admins: `ann@example.org`, `@example.org`, `group:NAME` or `*`"},
    {"sign-in-requesters", "WHO,...", "", "People who sign in as requesters"},
    {"sign-in-monitors", "WHO,...", "", "People who sign in as monitors"},
    {"sign-in-reviewers", "WHO,...", "",
     "People who sign in to review and label the campaigns that name them"},
    {"sign-in-workers", "WHO,...", "", "People who sign in to label the campaigns that name them"},
    {"log-level", "LEVEL", "info",
     "Least level to log: `debug`, `info`, `warning`, `error` or `off`"},
}};

struct ServeSettings {
  serve::HubOptions hub;
  serve::ServiceOptions service;
  http::ServerOptions server;
  /// Address for other servers; the first address that the server listens on if empty.
  std::string node;
  /// File of the log, "-" for standard error; none if nothing is logged.
  std::optional<std::string> log;
  /// File of the access log; none if nothing is logged.
  std::optional<std::string> access_log;
  /// File for a new admin token; it is printed if there is none.
  std::optional<std::string> admin_token_file;
  /// Each setting as the operator wrote it, for errors: "--log", "ALLOT_LOG" or "serve.toml: log".
  std::map<std::string, std::string, std::less<>> names = {};
};

/// Reads the settings; `variable` looks up the environment.
using Flags = std::map<std::string, std::optional<std::string>, std::less<>>;
using Variable = std::optional<std::string> (*)(const std::string& name);
Result<ServeSettings> read_serve_settings(const Flags& flags,
                                          const std::optional<std::string>& config,
                                          Variable variable);

/// A warning for each of these environment variables that starts with ALLOT_ and that nothing uses.
std::vector<std::string> unknown_variables(std::span<const std::string> names);

}  // namespace allot::cli
