#include <pthread.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "demo/show.hpp"
#include "http/server.hpp"
#include "serve/hub.hpp"
#include "serve/pages.hpp"
#include "serve/service.hpp"

namespace allot::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListen = "127.0.0.1:8080";
constexpr const char* kAnyPort = "127.0.0.1:0";
constexpr const char* kSeed = "1";

struct DemoFlags {
  std::optional<std::string> data, listen, seed;
  std::string pace = "8";
};

/// Folder of the demo's data, which can be temporary.
class DataFolder {
 public:
  static Result<DataFolder> open(const std::optional<std::string>& kept) {
    if (kept && kept->empty()) return invalid("--data '' is not a folder; expected its name");
    if (kept) return DataFolder(*kept, false);
    // In memory if possible, so that the demo does not wait for a busy disk.
    const std::string temporary = fs::temp_directory_path();
    for (const std::string& place : {std::string("/dev/shm"), temporary}) {
      if (place != temporary && std::getenv("TMPDIR") != nullptr) continue;
      std::string name = place + "/allot-demo-XXXXXX";
      if (mkdtemp(name.data())) return DataFolder(name, true);
    }
    return fail(ErrorCode::write_failure,
                "no folder can be created in {}; expected --data DIR with another one",
                in_quotes(temporary));
  }
  ~DataFolder() {
    std::error_code ignored;
    if (temporary_) fs::remove_all(path_, ignored);
  }
  DataFolder(DataFolder&& other) noexcept
      : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, false)) {}
  DataFolder& operator=(DataFolder&&) = delete;

  const std::string& path() const { return path_; }
  bool is_temporary() const { return temporary_; }
  std::string ticket() const { return path_ + "/demo.json"; }
  bool has(const char* file) const { return fs::exists(path_ + "/" + file); }

 private:
  DataFolder(std::string path, bool temporary) : path_(std::move(path)), temporary_(temporary) {}

  std::string path_;
  bool temporary_;
};

/// Listens at the default port, or at a free one if that is taken and --listen is not given.
Result<std::unique_ptr<http::Server>> listen(const std::optional<std::string>& where,
                                             serve::Service& service) {
  http::ServerOptions options;
  options.listen = {where.value_or(kListen)};
  if (options.listen[0].starts_with("localhost:")) options.listen[0].replace(0, 9, "127.0.0.1");
  auto server = http::Server::start(options, service);
  if (server || where || server.error().code != ErrorCode::conflict) return server;
  say(fmt::format("{} is taken, so this demo uses a free port.\n", kListen));
  options.listen = {kAnyPort};
  return http::Server::start(options, service);
}

/// URL of the server for a browser on this machine.
std::string url_of(const http::Server& server) {
  std::string address = server.addresses().front();
  const std::string port = address.substr(address.rfind(':'));
  if (address == "0.0.0.0" + port || address == "[::]" + port) address = "127.0.0.1" + port;
  return "http://" + address;
}

Result<demo::Ticket> read_ticket(const DataFolder& folder) {
  return io::read_text_file(folder.ticket())
      .and_then(demo::Ticket::parse)
      .map_error([&](const Error& error) {
        return Error{error.code, fmt::format("{}: {}", folder.ticket(), error.message)};
      });
}

/// Ticket of the demo in the folder, or of a new one.
Result<demo::Ticket> ticket_for(const DataFolder& folder, serve::Hub& hub, demo::Api& api,
                                std::uint64_t seed) {
  if (folder.has("demo.json")) return read_ticket(folder);
  const auto admin = TRY(hub.vault().first_admin(hub.now(), false));
  api.use(admin->text);
  auto ticket = TRY(demo::set_up(api, admin->text, seed));
  return io::write_text_file(folder.ticket(), ticket.text()).map([&] { return ticket; });
}

void welcome(const std::string& url, const demo::Ticket& ticket, const DataFolder& folder) {
  say(fmt::format(
      "A campaign on {} messages, and {} simulated workers who answer: does the writer need an\n"
      "answer today? Their budget of {} buys about four labels per message; allot chooses which.\n"
      "Another {} is kept for you, enough for one label of yours per message. A second campaign\n"
      "splits its labels equally, for comparison. In a third one, two language models that make\n"
      "the same mistakes label beside people.\n\n"
      "  Watch      {}/campaigns/{}#token={}\n"
      "  Take part  {}{}\n\n"
      "Ctrl-C ends it; {}.\n",
      demo::messages().size(), demo::crowd().people().size(), demo::kCrowdBudget, demo::kSeatBudget,
      url, ticket.campaign, ticket.requester, url, ticket.link,
      folder.is_temporary() ? "nothing is kept (--data DIR keeps it)"
                            : fmt::format("it resumes from {} the next time", folder.path())));
}

/// Runs until SIGTERM, SIGINT or SIGHUP; prints the links at once.
Result<Output> run_demo(const DemoFlags& flags) {
  const double pace =
      TRY(read_number("--pace", flags.pace, 0.01, 1000, "labels per second, from 0.01 to 1000"));
  const auto seed = TRY(read_whole("--seed", flags.seed.value_or(kSeed), 0, UINT32_MAX));
  sigset_t stop_signals;
  sigemptyset(&stop_signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&stop_signals, signal);
  pthread_sigmask(SIG_BLOCK, &stop_signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  umask(077);  // the folder holds tokens

  const auto folder = TRY(DataFolder::open(flags.data));
  if (folder.has("server.db") && !folder.has("demo.json")) {
    return fail(
        ErrorCode::conflict,
        "--data {} is the data folder of a server; expected a new folder or one that a demo made",
        in_quotes(folder.path()));
  }
  if (flags.seed && folder.has("demo.json")) {
    return invalid("--seed needs a new demo, but {} has one; expected no seed",
                   in_quotes(folder.path()));
  }
  const auto hub = TRY(serve::Hub::open({.folder = folder.path()}));
  // The crowd and the visitor's pages share one token.
  serve::Service service(*hub, {.rate = 5000, .burst = 5000, .version = version()});
  const auto server = TRY(listen(flags.listen, service));
  const std::string url = url_of(*server);
  auto api = TRY(demo::Api::open(url));
  const auto ticket = TRY(ticket_for(folder, *hub, *api, seed));
  api->use(ticket.requester);
  welcome(url, ticket, folder);
  if (serve::page_files().empty())
    say("This program was built without pages, so the links show nothing.\n");
  {
    const demo::Show show(std::move(api), ticket, pace);
    int signal = 0;
    sigwait(&stop_signals, &signal);
    say("Stopping\n");
  }
  server->stop();
  hub->stop();
  say("Stopped\n");
  return Output{};
}

void add_options(Command& command, DemoFlags& flags) {
  command.add("--data", &flags.data, "DIR", "Folder to keep the demo in, or to resume it from",
              "nothing is kept");
  command.add("--listen", &flags.listen, "ADDRESS", "Address to listen on",
              fmt::format("`{}`, or a free port if that is taken", kListen));
  command.add("--pace", &flags.pace, "N",
              "Labels per second and campaign that the crowd gives, three times as many at first");
  command.add("--seed", &flags.seed, "N", "Seed of the crowd's answers, for a new demo",
              fmt::format("`{}`", kSeed));
}

}  // namespace

Command demo_command() {
  return make_command(
      "demo", "Watch a campaign with a simulated crowd, and take part in it", run_demo, add_options,
      {"Prints two links: one to watch the campaign as its requester, one to label as a worker. "
       "Everything goes through the public API. SIGINT, SIGTERM and SIGHUP end it."},
      {"allot demo --pace 20"});
}

}  // namespace allot::cli
