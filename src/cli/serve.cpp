#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/formats.hpp"
#include "cli/line_writer.hpp"
#include "cli/options.hpp"
#include "cli/serve_settings.hpp"
#include "http/server.hpp"
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
  static Result<std::unique_ptr<LogFile>> open(const char* option, const std::string& path,
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
  LogFile(const char* option, std::string path, mode_t mode, int file)
      : option_(option),
        path_(std::move(path)),
        mode_(mode),
        writer_(std::make_shared<LineWriter>(file)) {}
  static Result<int> descriptor(const char* option, const std::string& path, mode_t mode) {
    const int file = path == "-"
                         ? STDERR_FILENO
                         : ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, mode);
    if (file >= 0) return file;
    return fail(ErrorCode::write_failure,
                "{} {} cannot be written; expected a file, or - for standard error", option,
                in_quotes(path));
  }

  const char* const option_;
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
Result<void> check_token_file(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_symlink(path, none)) {
    return invalid("--admin-token-file {} is a link; expected a file", in_quotes(path));
  }
  if (std::filesystem::is_regular_file(path, none) && std::filesystem::file_size(path, none) > 0) {
    std::string begin(serve::kTokenPrefix.size(), '\0');
    std::ifstream(path, std::ios::binary).read(begin.data(), std::ssize(begin));
    if (begin != serve::kTokenPrefix) {
      return invalid(
          "--admin-token-file {} has something else in it; expected a new file, or one "
          "with an admin token",
          in_quotes(path));
    }
  }
  return in_option("--admin-token-file", io::check_writable(path));
}

/// Hands a new admin token to the operator, who cannot read it again. `origin` is where the pages
/// are; empty if nothing is served.
Result<void> hand_over(const serve::Vault::NewToken& made, const std::optional<std::string>& file,
                       const std::string& origin) {
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
  TRY(in_option("--admin-token-file", written));
  say(fmt::format("The admin token is in {}\n", *file));
  return {};
}

/// Creates the admin token at the first start of a data folder.
Result<void> welcome(serve::Hub& hub, const std::optional<std::string>& token_file,
                     const std::string& origin) {
  const bool has_campaigns = !hub.store().campaign_files().empty();
  const auto made = TRY(hub.vault().first_admin(hub.now(), has_campaigns));
  if (made) return hand_over(*made, token_file, origin);
  return {};
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

/// The log and the access log; either may be missing.
struct Logs {
  std::unique_ptr<LogFile> log, access;

  static Result<Logs> open(ServeSettings& settings) {
    Logs logs;
    if (settings.log && settings.log == settings.access_log && *settings.log != "-") {
      return invalid("--log and --access-log are both {}; expected two files",
                     in_quotes(*settings.log));
    }
    if (settings.log) logs.log = TRY(LogFile::open("--log", *settings.log, kForReaders));
    if (settings.access_log) {
      logs.access = TRY(LogFile::open("--access-log", *settings.access_log, kPrivate));
    }
    if (logs.log) settings.service.log = logs.log->sink();
    if (logs.access) settings.service.access_log = logs.access->sink();
    return logs;
  }
  /// What cannot be opened again; empty if all can.
  std::string reopen() const {
    std::string trouble;
    for (LogFile* const file : {log.get(), access.get()}) {
      if (file == nullptr) continue;
      if (const auto opened = file->reopen(); !opened) add_sentence(trouble, opened.error());
    }
    return trouble;
  }
  static void add_sentence(std::string& text, const Error& error) {
    text += (text.empty() ? "" : "; ") + error.message;
  }
};

/// Waits for a signal that stops the server. SIGHUP opens the logs again and reads the certificate.
void wait_until_stopped(const sigset_t& signals, http::Server& server, const Logs& logs,
                        const serve::Service& service) {
  for (int signal = 0; sigwait(&signals, &signal) == 0 && signal == SIGHUP;) {
    std::string trouble = logs.reopen();
    if (const auto read = server.reload_certificate(); !read)
      Logs::add_sentence(trouble, read.error());
    if (trouble.empty()) {
      service.note({.what = "reloaded"});
      say("Reloaded: log and certificate\n");
    } else {
      service.note({.level = serve::Level::error, .what = "not reloaded", .cause = trouble});
      warn("not reloaded: " + trouble);
    }
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
std::function<void()> plain_request_note(const serve::Service& service) {
  const auto last = std::make_shared<std::atomic<std::int64_t>>(0);
  return [&service, last] {
    const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count();
    if (last->exchange(now) == now) return;
    service.note({.level = serve::Level::warning,
                  .what = "plain HTTP on a port for TLS; expected https:// in the address"});
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
  if (in.database.empty() && !std::filesystem::exists(in.folder + "/server.db")) {
    return fail(ErrorCode::not_found,
                "--data {} has no server.db; expected the data folder of a server",
                in_quotes(in.folder));
  }
  settings.hub.visit_all = false;
  const auto hub = TRY(serve::Hub::open(settings.hub));
  const auto made = TRY(hub->vault().issue(
      {.role = serve::Role::admin, .label = "created by --new-admin-token"}, hub->now()));
  TRY(hand_over(made, settings.admin_token_file, ""));
  hub->stop();
  return Output{};
}

/// Serves until SIGTERM or SIGINT. Prints addresses, and the first token if it is new, at once.
Result<Output> run_server(const ServeOptions& options) {
  auto settings = TRY(read_serve_settings(options.settings, options.config, variable));
  for (const std::string& warning : unknown_variables(variable_names())) warn(warning);
  if (settings.admin_token_file) TRY(check_token_file(*settings.admin_token_file));
  if (options.new_admin_token) return replace_admin_token(settings);
  return_freed_memory();
  const sigset_t waited_for = handled_signals();
  pthread_sigmask(SIG_BLOCK, &waited_for, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  const Logs logs = TRY(Logs::open(settings));

  // Checked before the data folder is created.
  TRY(http::Server::check(settings.server));
  settings.hub.unopened = unopened_note(settings.service);
  auto hub = TRY(serve::Hub::open(settings.hub));
  serve::Service service(*hub, settings.service);
  settings.server.plain_request = plain_request_note(service);
  settings.server.refused = [&service](const http::RefusedRequest& refused) {
    service.note_refusal(refused);
  };
  tell_what_is_left_out(*hub, service);
  TRY(service.models().resume());
  const auto server = TRY(http::Server::start(settings.server, service));
  TRY(service.join(settings.node.empty() ? server->addresses().front() : settings.node));
  const char* const scheme = settings.server.certificate.empty() ? "http" : "https";
  TRY(welcome(*hub, settings.admin_token_file,
              fmt::format("{}://{}", scheme, server->addresses().front())));
  for (const std::string& address : server->addresses()) {
    say(fmt::format("Listening on {}://{} (the API is described at /docs), data in {}\n", scheme,
                    address, hub->store().shown()));
  }

  service.note({.what = "started",
                .version = ALLOT_VERSION,
                .listen = joined_addresses(scheme, server->addresses()),
                .data = hub->store().shown()});

  wait_until_stopped(waited_for, *server, logs, service);
  // A second signal ends the program at once.
  pthread_sigmask(SIG_UNBLOCK, &waited_for, nullptr);
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
