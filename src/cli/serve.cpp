#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/formats.hpp"
#include "cli/line_writer.hpp"
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

/// Signals that stop the server; one thread waits for them.
sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

/// Opens the log, which gets lines at its end.
Result<serve::Log::Sink> log_to(const std::string& path) {
  const int file = path == "-"
                       ? STDERR_FILENO
                       : ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) {
    return fail(ErrorCode::write_failure,
                "--log {} cannot be written; expected a file, or - for standard error",
                in_quotes(path));
  }
  return serve::Log::Sink([writer = std::make_shared<LineWriter>(file)](const std::string& line) {
    writer->add(line);
  });
}

/// Makes glibc return freed memory to the system. By default it keeps more and more for the threads
/// that come and go here (80 MB instead of 62 after a minute under load).
void return_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 20);
  ::mallopt(M_ARENA_MAX, 4);
}

/// Creates and prints the admin token at the first start of a data folder.
Result<void> welcome(serve::Hub& hub, const std::string& origin) {
  return hub.vault().first_admin(hub.now()).map([&](const auto& made) {
    if (!made) return;
    say(
        fmt::format("The admin token, shown only once:\n\n  {}\n\nSign in with it at\n\n  "
                    "{}/#token={}\n\n",
                    made->text, origin, made->text));
  });
}

struct ServeOptions {
  Flags settings;
  std::optional<std::string> config;
};

/// Serves until SIGTERM or SIGINT. Prints addresses, and the first token if it is new, at once.
Result<Output> run_server(const ServeOptions& options) {
  auto settings = TRY(read_serve_settings(options.settings, options.config, variable));
  return_freed_memory();
  const sigset_t waited_for = stop_signals();
  pthread_sigmask(SIG_BLOCK, &waited_for, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  if (settings.log) settings.service.log = TRY(log_to(*settings.log));

  // Checked before the data folder is created.
  TRY(http::Server::check(settings.server));
  auto hub = TRY(serve::Hub::open(settings.hub));
  serve::Service service(*hub, settings.service);
  const auto server = TRY(http::Server::start(settings.server, service));
  TRY(service.join(settings.node.empty() ? server->addresses().front() : settings.node));
  const char* const scheme = settings.server.certificate.empty() ? "http" : "https";
  TRY(welcome(*hub, fmt::format("{}://{}", scheme, server->addresses().front())));
  for (const std::string& address : server->addresses()) {
    say(fmt::format("Listening on {}://{} (the API is described at /docs), data in {}\n", scheme,
                    address, hub->store().shown()));
  }

  int signal = 0;
  sigwait(&waited_for, &signal);
  // A second signal ends the program at once.
  pthread_sigmask(SIG_UNBLOCK, &waited_for, nullptr);
  say("Stopping: finishing open requests\n");
  server->stop();
  hub->stop();
  say("Stopped\n");
  return Output{};
}

void add_options(Command& command, ServeOptions& options) {
  command.add("--config", &options.config, "FILE",
              "Settings in TOML, such as `listen = \"127.0.0.1:9000\"`");
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
