#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/file_owner.hpp"
#include "cli/formats.hpp"
#include "cli/line_writer.hpp"
#include "cli/options.hpp"
#include "cli/serve_settings.hpp"
#include "cli/service_manager.hpp"
#include "cli/version.hpp"
#include "http/server.hpp"
#include "serve/data_folder.hpp"
#include "serve/hub.hpp"
#include "serve/service.hpp"

namespace allot::cli {
namespace {

std::optional<std::string> variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

std::vector<std::string> variable_names() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry)
    names.emplace_back(std::string_view(*entry).substr(0, std::string_view(*entry).find('=')));
  return names;
}

void warn(const std::string& line) {
  std::fputs(fmt::format("allot serve: {}\n", line).c_str(), stderr);
}

/// Signals to the server; one thread waits for them.
sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  return set;
}

/// Permissions of a new log, less the umask. The access log names people.
constexpr mode_t kForReaders = 0666, kPrivate = 0600;

/// A log of a server, which gets lines at its end.
class LogFile {
 public:
  /// `option` names the file in errors.
  static Result<std::unique_ptr<LogFile>> open(const std::string& option, const std::string& path,
                                               mode_t mode) {
    const int file = TRY(descriptor(option, path, mode));
    return std::unique_ptr<LogFile>(new LogFile(option, path, mode, file));
  }
  serve::Log::Sink sink() {
    return [writer = writer_](const std::string& line) { writer->add(line); };
  }
  /// Opens the path again: another program may have moved the file away.
  Result<void> reopen() {
    writer_->continue_in(TRY(descriptor(option_, path_, mode_)));
    return {};
  }

 private:
  LogFile(std::string option, std::string path, mode_t mode, int file)
      : option_(std::move(option)),
        path_(std::move(path)),
        mode_(mode),
        writer_(std::make_shared<LineWriter>(file)) {}
  static Result<int> descriptor(const std::string& option, const std::string& path, mode_t mode) {
    const int file = path == "-"
                         ? STDERR_FILENO
                         : ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode);
    if (file >= 0) return file;
    return fail(ErrorCode::write_failure,
                "{} {} cannot be written; expected a file, or - for standard error", option,
                in_quotes(path));
  }

  const std::string option_;
  const std::string path_;
  const mode_t mode_;
  const std::shared_ptr<LineWriter> writer_;
};

/// Makes glibc return freed memory to the system. By default it keeps more and more for the threads
/// that come and go here (80 MB instead of 62 after a minute under load).
void return_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
  ::mallopt(M_ARENA_MAX, 4);
}

/// Refuses a file that has something other than an admin token of before, and a link, which could
/// lead to such a file.
Result<void> check_token_file(const ServeSettings& settings) {
  if (!settings.admin_token_file) return {};
  const std::string &path = *settings.admin_token_file,
                    &option = settings.names.at("admin-token-file");
  std::error_code none;
  if (std::filesystem::is_symlink(path, none)) {
    return invalid("{} {} is a link; expected a file", option, in_quotes(path));
  }
  if (std::filesystem::is_regular_file(path, none) && std::filesystem::file_size(path, none) > 0) {
    std::ifstream file(path, std::ios::binary);
    const int reason = errno;
    if (!file) {
      return invalid("{} {} cannot be read ({}); expected a file that user {} can read and write",
                     option, in_quotes(path), std::generic_category().message(reason),
                     in_quotes(serve::user_name(::geteuid())));
    }
    std::string begin(serve::kTokenPrefix.size(), '\0');
    file.read(begin.data(), std::ssize(begin));
    if (begin != serve::kTokenPrefix) {
      return invalid(
          "{} {} has something else in it; expected a new file, or one with an admin token", option,
          in_quotes(path));
    }
  }
  return in_option(option, io::check_writable(path));
}

constexpr std::string_view kNewTokenCommand = "allot serve ... --new-admin-token";

/// Hands a new admin token to the operator, who cannot read it again. `origin` is where the pages
/// are; empty if nothing is served.
Result<void> hand_over(const serve::Vault::NewToken& made, const ServeSettings& settings,
                       const std::string& origin) {
  const std::optional<std::string>& file = settings.admin_token_file;
  if (!file) {
    say(fmt::format("The admin token, shown only once:\n\n  {}\n\n", made.text));
    if (!origin.empty()) {
      say(fmt::format("Sign in with it at\n\n  {}/#token={}\n\n", origin, made.text));
    }
    return {};
  }
  // A file that is replaced keeps its permissions.
  ::chmod(file->c_str(), 0600);
  const mode_t before = ::umask(077);
  const auto written = io::write_text_file(*file, made.text + "\n");
  ::umask(before);
  TRY(in_option(settings.names.at("admin-token-file"), written));
  say(fmt::format("The admin token is in {}\n", *file));
  return {};
}

/// Creates the admin token at the first start of a data folder.
Result<void> welcome(serve::Hub& hub, const ServeSettings& settings, const std::string& origin) {
  if (hub.vault().has_admin()) return {};
  TRY(check_token_file(settings));
  const bool has_campaigns = !hub.store().campaign_files().empty();
  const auto made = TRY(hub.vault().first_admin(hub.now(), has_campaigns));
  return made ? hand_over(*made, settings, origin) : Result<void>();
}

/// Tells what is in the data folder but not served.
void tell_what_is_left_out(serve::Hub& hub, serve::Service& service) {
  for (const std::string& id : hub.vault().damaged()) {
    service.note(
        {.level = serve::Level::error, .what = "a token was changed on disk", .cause = id});
    warn(fmt::format("token {} was changed on disk, and lets nobody in", in_quotes(id)));
  }
  for (const std::string& id : hub.store().campaign_files()) {
    if (hub.vault().campaign(id)) continue;
    service.note({.level = serve::Level::error,
                  .what = "a campaign file is not in the list of the server",
                  .cause = id});
    warn(fmt::format("campaigns/{}.db is not in the list of server.db, and is not served", id));
  }
}

/// What a reload took and what it could not take.
struct Reload {
  std::string parts = {}, failed_parts = {}, trouble = {};

  void add(std::string_view part, const Result<void>& result) {
    append(result ? parts : failed_parts, ", ", part);
    if (!result) append(trouble, "; ", result.error().message);
  }

 private:
  static void append(std::string& text, std::string_view separator, std::string_view more) {
    if (!text.empty()) text += separator;
    text += more;
  }
};

/// The log and the access log; either may be missing.
struct Logs {
  std::unique_ptr<LogFile> log, access;

  static Result<Logs> open(ServeSettings& settings) {
    Logs logs;
    const std::string &log = settings.names.at("log"), &access = settings.names.at("access-log");
    if (settings.log && settings.log == settings.access_log && *settings.log != "-") {
      return invalid("{} and {} are both {}; expected two files", log, access,
                     in_quotes(*settings.log));
    }
    if (settings.log) logs.log = TRY(LogFile::open(log, *settings.log, kForReaders));
    if (settings.access_log) {
      logs.access = TRY(LogFile::open(access, *settings.access_log, kPrivate));
    }
    if (logs.log) settings.service.log = logs.log->sink();
    if (logs.access) settings.service.access_log = logs.access->sink();
    return logs;
  }
  void reopen(Reload& reload) const {
    if (log) reload.add("log", log->reopen());
    if (access) reload.add("access log", access->reopen());
  }
};

/// Warns where a message to the service manager was lost.
void tell_manager(const Result<void>& told) {
  if (!told) warn(told.error().message);
}

/// Warns of a certificate that has expired or is about to.
void check_certificate(const std::string& path, std::chrono::sys_seconds expires,
                       const serve::Service& service) {
  constexpr std::chrono::days kSoon{14};
  if (expires - campaign::now() > kSoon) return;
  const std::string_view what =
      expires <= campaign::now() ? "the certificate has expired" : "the certificate expires soon";
  const std::string cause =
      fmt::format("{} is valid until {}", in_quotes(path), time_text(expires));
  service.note({.level = serve::Level::warning, .what = what, .cause = cause});
  warn(fmt::format("{}: {}", what, cause));
}

/// Opens the logs again and reads the certificate; one does not wait for the other.
void reload(http::Server& server, const ServeSettings& settings, const Logs& logs,
            const serve::Service& service) {
  Reload result;
  logs.reopen(result);
  if (!settings.server.certificate.empty()) {
    result.add("certificate", server.reload_certificate());
  }
  if (!result.parts.empty()) {
    service.note({.what = "reloaded", .parts = result.parts});
    say(fmt::format("Reloaded: {}\n", result.parts));
  }
  if (!result.trouble.empty()) {
    service.note({.level = serve::Level::error,
                  .what = "not reloaded",
                  .cause = result.trouble,
                  .parts = result.failed_parts});
    warn("not reloaded: " + result.trouble);
  }
}

/// Logs campaigns that cannot be opened at the start.
std::function<void(const std::string&, const std::string&)> unopened_note(
    const serve::ServiceOptions& options) {
  return [log = serve::Log(options.log, options.log_level)](const std::string& campaign,
                                                            const std::string& cause) {
    log.note({.level = serve::Level::error,
              .what = "a campaign cannot be opened",
              .campaign = campaign,
              .cause = cause},
             campaign::now());
    warn(fmt::format("campaign {} cannot be opened: {}", in_quotes(campaign), cause));
  };
}

/// Logs requests in plain HTTP on a port for TLS, at most one line per second.
std::function<void(const std::string&)> plain_request_note(const serve::Service& service) {
  const auto last = std::make_shared<std::atomic<std::int64_t>>(0);
  return [&service, last](const std::string& peer) {
    const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count();
    if (last->exchange(now) == now) return;
    service.note({.level = serve::Level::warning,
                  .what = "plain HTTP on a port for TLS; expected https:// in the address",
                  .address = peer});
  };
}

/// "https://10.0.0.7:8443 https://[::1]:8443"
std::string joined_addresses(std::string_view scheme, const std::vector<std::string>& addresses) {
  std::string all;
  for (const std::string& address : addresses)
    all += fmt::format("{}{}://{}", all.empty() ? "" : " ", scheme, address);
  return all;
}

struct ServeOptions {
  Flags settings;
  std::optional<std::string> config;
  bool new_admin_token = false;
};

/// Creates another admin token and does not serve.
Result<Output> replace_admin_token(ServeSettings settings) {
  const serve::HubOptions& in = settings.hub;
  std::error_code wrong;
  if (in.database.empty() && !std::filesystem::exists(in.folder + "/server.db", wrong)) {
    if (wrong) {
      return invalid("{} {} cannot be read ({}); expected the command as the user of the server",
                     settings.names.at("data"), in_quotes(in.folder), wrong.message());
    }
    return fail(ErrorCode::not_found,
                "{} {} has no server.db; expected the data folder of a server",
                settings.names.at("data"), in_quotes(in.folder));
  }
  if (in.database.empty()) {
    TRY(become_owner(in.folder + "/server.db", kNewTokenCommand));
  } else if (settings.admin_token_file) {
    TRY(become_owner(std::filesystem::absolute(*settings.admin_token_file).parent_path(),
                     kNewTokenCommand));
  }
  TRY(check_token_file(settings));
  settings.hub.visit_all = false;
  const auto hub = TRY(serve::Hub::open(settings.hub));
  const auto made = TRY(hub->vault().issue(
      {.role = serve::Role::admin, .label = "created by --new-admin-token"}, hub->now()));
  TRY(hand_over(made, settings, ""));
  hub->stop();
  return Output{};
}

/// Serves until SIGTERM or SIGINT. Prints addresses, and the first token if it is new, at once.
Result<Output> run_server(const ServeOptions& options) {
  auto settings = TRY(read_serve_settings(options.settings, options.config, variable));
  const auto unknown = unknown_variables(variable_names());
  for (const std::string& warning : unknown) warn(warning);
  settings.service.version = version();
  if (options.new_admin_token) return replace_admin_token(settings);
  return_freed_memory();
  const sigset_t waited_for = handled_signals();
  pthread_sigmask(SIG_BLOCK, &waited_for, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  const Logs logs = TRY(Logs::open(settings));

  // Checked before the data folder is created.
  TRY(http::Server::check(settings.server));
  const serve::HubOptions& in = settings.hub;
  std::error_code unreadable;
  if (in.database.empty() && !std::filesystem::exists(in.folder + "/server.db", unreadable)) {
    TRY(check_token_file(settings));
  }
  settings.hub.unopened = unopened_note(settings.service);
  auto hub = TRY(serve::Hub::open(settings.hub));
  serve::Service service(*hub, settings.service);
  settings.server.plain_request = plain_request_note(service);
  settings.server.certificate_used =
      [&service, path = settings.server.certificate](std::chrono::sys_seconds expires) {
        service.metrics().certificate(expires);
        check_certificate(path, expires, service);
      };
  settings.server.refused = [&service](const http::RefusedRequest& refused) {
    service.note_refusal(refused);
  };
  for (const std::string& warning : unknown)
    service.note({.level = serve::Level::warning, .what = warning});
  tell_what_is_left_out(*hub, service);
  TRY(service.models().resume());
  const auto server = TRY(http::Server::start(settings.server, service));
  TRY(service.join(settings.node.empty() ? server->addresses().front() : settings.node));
  const char* const scheme = settings.server.certificate.empty() ? "http" : "https";
  TRY(welcome(*hub, settings, fmt::format("{}://{}", scheme, server->addresses().front())));
  for (const std::string& address : server->addresses()) {
    say(fmt::format("Listening on {}://{} (the API is described at /docs), data in {}\n", scheme,
                    address, hub->store().shown()));
  }

  service.note({.what = "started",
                .version = version(),
                .listen = joined_addresses(scheme, server->addresses()),
                .data = hub->store().shown()});

  tell_manager(notify_ready());
  for (int signal = 0; sigwait(&waited_for, &signal) == 0 && signal == SIGHUP;) {
    tell_manager(notify_reloading());
    reload(*server, settings, logs, service);
    tell_manager(notify_ready());
  }
  tell_manager(notify_stopping());
  // A second signal ends the program at once. There is nothing more to reload.
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
  say("Stopping: finishing open requests\n");
  service.note({.what = "stopping"});
  server->stop();
  service.models().stop();
  hub->stop();
  service.note({.what = "stopped"});
  say("Stopped\n");
  return Output{};
}

void add_options(Command& command, ServeOptions& options) {
  command.add("--config", &options.config, "FILE",
              "Settings in TOML, such as `listen = \"127.0.0.1:9000\"`");
  command.add("--new-admin-token", &options.new_admin_token,
              "Create another admin token, print it and exit; the server must be stopped");
  for (const auto& [name, type, default_value, meaning] : kServeSettings) {
    command.add(fmt::format("--{}", name), &options.settings[name], type, meaning,
                *default_value == '\0' ? "" : fmt::format("`{}`", default_value));
  }
}

}  // namespace

Command serve_command() {
  return make_command(
      "serve", "Serve campaigns over HTTP: hand out items, take answers", run_server, add_options,
      {"Settings also come from the environment: --max-body is ALLOT_MAX_BODY. A flag overrides "
       "the environment, which overrides the file."},
      {"allot serve --data campaigns --listen 127.0.0.1:8080",
       "allot serve --store postgresql://allot@db.example.org/labels --listen 10.0.0.7:8080"});
}

}  // namespace allot::cli
