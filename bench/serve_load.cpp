// The load test of `allot serve`: durable label-and-next calls by many workers, against a handler
// that does nothing, in one run on one machine.
//
//   bench/load                        throughput and latency, 512 clients, 5,000 idle connections,
//                                     plain and by TLS
//   bench/load --soak SECONDS         memory under load, and of a new server with the same data
//   bench/load --import N             memory while N items are uploaded, and of a new server
//   bench/load --store URL            calls per second on an empty PostgreSQL database, and in a
//                                     data folder in the same run
//   bench/load --cluster              the same on a PostgreSQL of its own, then two servers, a
//                                     synchronous standby, 200 campaigns and a take-over
//   bench/load --kills N              kill -9 under load: nothing acknowledged lost, no overspend
//   bench/load --participants N       N people through one recruiting link, an answer every 2 s
//   bench/load --short                all of it in a few seconds, as a test: timings mean nothing
//
// The server and the bare handler run in separate processes with one I/O thread each; this program
// has one thread. Bodies are the same for both: the bare handler replies with the bytes of a reply
// of the server.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "http/server.hpp"
#include "load_cluster.hpp"
#include "load_site.hpp"
#include "support/folder.hpp"
#include "support/keys.hpp"

namespace {

using namespace allot;
using namespace allot::load;
using allot::test::Folder;
using allot::test::read_file;
using std::chrono::milliseconds;

/// Sends the same reply to everybody.
class Bare final : public http::Service {
 public:
  explicit Bare(std::string body) : body_(std::move(body)) {}
  Intake intake(const http::Request&) const override { return {}; }
  void handle(http::Request, http::Reply reply) override {
    http::Response response;
    response.fields.add("Content-Type", "application/json");
    response.body = body_;
    reply(std::move(response));
  }

 private:
  const std::string body_;
};

/// Replies with the text of a file until it is stopped.
int be_bare(const std::string& path) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  Bare service(read_file(path));
  http::ServerOptions options;
  options.listen = {"127.0.0.1:0"};
  const auto server = http::Server::start(options, service);
  if (!server) stop(server.error().message);
  say("Listening on http://" + (*server)->addresses().front());
  int signal = 0;
  sigwait(&ends, &signal);
  (*server)->stop();
  return 0;
}

void throughput(const Plan& plan) {
  Site site(plan);
  const std::string campaign = site.campaign(plan.items, 1'000'000'000);
  std::vector<Worker> workers = site.workers(campaign, plan.clients);
  const milliseconds duration = plan.brief ? milliseconds(200) : std::chrono::seconds(plan.seconds);
  say(fmt::format("{} items, {} classes, {} clients, refit {}, {} ms a round", plan.items,
                  plan.classes, plan.clients, plan.refit, duration.count()));
  const Round warm = measured(site.server(), workers, duration, "allot serve, to warm up");

  const Folder folder;
  std::optional<Process> bare(
      std::in_place, std::vector<std::string>{std::filesystem::read_symlink("/proc/self/exe"),
                                              "--bare", folder.file("answer", warm.sample)});
  std::vector<Worker> bare_workers = workers;
  std::vector<double> ratios, quantiles, rates;
  for (int n = 0; n < plan.rounds; ++n) {
    const double most = measured(*bare, bare_workers, duration, "bare handler").rate();
    const Round round = measured(site.server(), workers, duration, "allot serve");
    ratios.push_back(round.rate() / most);
    rates.push_back(round.rate());
    quantiles.push_back(round.quantile(0.99));
  }
  bare.reset();
  say(fmt::format(
      "medians of {} rounds: {:.0f} label-and-next calls per second, p99 {:.1f} ms, {:.2f} "
      "of the bare handler's throughput",
      plan.rounds, middle(rates), middle(quantiles), middle(ratios)));
  std::vector<Worker> many = site.workers(campaign, plan.many);
  measured(site.server(), many, duration, fmt::format("allot serve, {} clients", plan.many));
}

void idle(const Plan& plan, bool by_tls) {
  const test::Keys keys;
  Site site(plan, by_tls ? std::vector<std::string>{"--tls-cert", keys.certificate_file,
                                                    "--tls-key", keys.key_file}
                         : std::vector<std::string>());
  const double before = site.server().memory();
  double with = 0;
  const std::size_t open =
      keep_open(site.address(), plan.idle, by_tls, [&] { with = site.server().memory(); });
  if (open != plan.idle) stop(fmt::format("{} of {} connections were answered", open, plan.idle));
  say(fmt::format("{} idle connections{}: {:.1f} MB, without them {:.1f} MB, {:.1f} KB each", open,
                  by_tls ? " by TLS" : "", with, before,
                  1024 * (with - before) / static_cast<double>(open)));
}

void soak(const Plan& plan) {
  Site site(plan);
  const std::string campaign = site.campaign(plan.items, 1'000'000'000);
  std::vector<Worker> workers = site.workers(campaign, plan.clients);
  const auto part = milliseconds(plan.soak * 100);
  std::uint64_t labels = 0;
  for (int n = 1; n <= 10; ++n) {
    labels += measured(site.server(), workers, part, fmt::format("part {} of 10", n)).answers;
    say(fmt::format("    {:.1f} MB after {} labels, {:.1f} MB of them in use",
                    site.server().memory(), labels, site.figure("allot_heap_bytes") / (1 << 20)));
  }
  const double end = site.server().memory();
  site.restart();
  measured(site.server(), workers, milliseconds(std::min(plan.soak * 100, 10'000)), "a new server");
  say(fmt::format("{:.1f} MB at the end of {} s; a new server with the same labels has {:.1f} MB",
                  end, plan.soak, site.server().memory()));
}

/// Peak memory of the upload, above the final memory of the items.
void import(const Plan& plan) {
  Site site(plan);
  const double before = site.server().memory();
  const std::string campaign = site.campaign(plan.import, 1'000'000'000);
  std::vector<Worker> workers = site.workers(campaign, 1);
  const double most = site.server().memory("VmHWM:"), after = site.server().memory();
  site.restart();
  static_cast<void>(work(site.address(), workers, milliseconds(1), false));
  say(
      fmt::format("{} items uploaded: {:.1f} MB before, {:.1f} MB at most, {:.1f} MB after; a new "
                  "server with them has {:.1f} MB",
                  plan.import, before, most, after, site.server().memory()));
}

/// Labels per worker and item, from the program's export; a duplicate is a failure.
std::set<std::string> ledger_labels(const Plan& plan, const std::string& file) {
  const Folder folder;
  const std::string out = folder / "labels.csv";
  const auto run = [&](const std::string& words) {
    if (std::system(fmt::format("'{}' campaign {} >'{}.out'", plan.program, words, out).c_str()) !=
        0) {
      stop(fmt::format("allot campaign {} failed: {}", words, read_file(out + ".out")));
    }
  };
  run(fmt::format("verify '{}'", file));
  run(fmt::format("export '{}' labels --output '{}'", file, out));
  std::set<std::string> labels;
  std::ifstream rows(out);
  std::string row;
  std::getline(rows, row);
  while (std::getline(rows, row)) {
    // item and worker, the first two columns
    const std::size_t comma = row.find(',', row.find(',') + 1);
    if (!labels.insert(row.substr(0, comma)).second) stop("labelled twice: " + row);
  }
  return labels;
}

/// Works on every campaign until its budget is spent, over as many kills as that takes.
void kills(const Plan& plan) {
  Site site(plan);
  std::mt19937 dice(1);
  const std::size_t items = plan.brief ? 100 : 1'000;
  const std::uint64_t budget = plan.brief ? 1'000 : 20'000;
  std::string campaign;
  std::vector<Worker> workers;
  std::uint64_t campaigns = 0, acknowledged = 0, unanswered = 0;
  for (int n = 0; n < plan.kills; ++n) {
    if (std::ranges::all_of(workers, &Worker::finished)) {
      campaign = site.campaign(items, budget);
      workers = site.workers(campaign, plan.clients);
      ++campaigns;
    }
    std::thread killer([&, wait = milliseconds(20 + dice() % (plan.brief ? 100 : 400))] {
      std::this_thread::sleep_for(wait);
      site.kill();
    });
    const std::string address = site.address();
    static_cast<void>(work(address, workers, milliseconds(600), true));
    killer.join();
    const std::set<std::string> labels = ledger_labels(plan, site.file(campaign));
    std::uint64_t so_far = 0;
    for (const Worker& worker : workers) {
      unanswered += !worker.request.empty();
      for (const std::string& item : worker.acknowledged) {
        ++so_far;
        if (!labels.contains(fmt::format("{},worker-{}", item, worker.number))) {
          stop(fmt::format("kill {}: the label of worker-{} for {} was acknowledged and is lost",
                           n + 1, worker.number, item));
        }
      }
    }
    site.start();
    const std::string status = site.request("GET", "campaigns/" + campaign + "/status");
    const double spent = std::stod(member(status, "spent")),
                 reserved = std::stod(member(status, "reserved"));
    if (spent + reserved > static_cast<double>(budget) ||
        spent != static_cast<double>(labels.size())) {
      stop(fmt::format("kill {}: spent {}, reserved {} of {} with {} labels", n + 1, spent,
                       reserved, budget, labels.size()));
    }
    if (labels.size() - so_far > workers.size()) {
      stop(fmt::format("kill {}: {} labels, {} acknowledged", n + 1, labels.size(), so_far));
    }
    if (std::ranges::all_of(workers, &Worker::finished) || n + 1 == plan.kills)
      acknowledged += so_far;
    if ((n + 1) % 20 == 0) say(fmt::format("  {} kills", n + 1));
  }
  say(fmt::format(
      "{} kills, {} requests cut, {} campaigns, {} acknowledged labels: none lost, none "
      "twice, nothing overspent, every ledger verified",
      plan.kills, unanswered, campaigns, acknowledged));
}

/// Participants of one recruiting link, all at work at once: they arrive, then answer every two
/// seconds.
void participants(const Plan& plan) {
  constexpr milliseconds kPause(2000);
  Site site(plan);
  const std::string campaign = site.campaign(plan.items, 1'000'000);
  const std::string link = member(
      site.request("POST", "campaigns/" + campaign + "/recruiting",
                   R"({"platform": "panel", "labels": 10000, "arrivals_per_minute": 1000000})"),
      "id");
  std::vector<Worker> workers;
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t n = 0; n < plan.participants; ++n) {
    const std::string joined =
        site.request("POST", fmt::format("join/{}/{}", campaign, link),
                     fmt::format(R"({{"agree": true, "parameters": {{"id": "p{}"}}}})", n));
    workers.push_back({.campaign = campaign,
                       .token = member(joined, "token"),
                       .number = n,
                       .classes = plan.classes});
  }
  const std::chrono::duration<double> arriving = std::chrono::steady_clock::now() - begin;
  const Round round =
      work(site.address(), workers, std::chrono::seconds(plan.seconds), false, kPause);
  if (round.errors > 0) stop(fmt::format("{} errors, first {}", round.errors, round.first_error));
  say(
      fmt::format("{} participants on {} items: arrived in {:.1f} s; {} answers in {:.0f} s, no "
                  "error; latency p50 {:.1f}, p99 {:.1f}, most {:.1f} ms",
                  plan.participants, plan.items, arriving.count(), round.answers, round.seconds,
                  round.quantile(0.5), round.quantile(0.99), round.quantile(1)));
}

int run(int count, char** words) {
  Plan plan;
  std::map<std::string, std::string> flags;
  for (int n = 1; n < count; ++n) {
    const std::string word = words[n];
    if (word == "--short") {
      plan.brief = true;
    } else if (word == "--cluster") {
      plan.cluster = true;
    } else if (n + 1 < count) {
      flags[word] = words[++n];
    } else {
      stop(word + " needs a value");
    }
  }
  if (flags.contains("--bare")) return be_bare(flags["--bare"]);
  if (plan.brief) {
    plan.items = 20'000;  // more than can be labelled in time
    plan.clients = 8;
    plan.many = 64;
    plan.idle = 200;
    plan.rounds = 1;
    plan.soak = 2;
    plan.import = 5'000;
    plan.kills = 3;
    plan.participants = 20;
  }
  const auto take = [&](const char* flag, auto& into) {
    const auto found = flags.find(flag);
    if (found == flags.end()) return;
    into = static_cast<std::remove_reference_t<decltype(into)>>(std::stoll(found->second));
    flags.erase(found);
  };
  take("--items", plan.items);
  take("--classes", plan.classes);
  take("--clients", plan.clients);
  take("--many", plan.many);
  take("--idle", plan.idle);
  take("--rounds", plan.rounds);
  take("--seconds", plan.seconds);
  const bool chosen = flags.contains("--soak") || flags.contains("--kills") ||
                      flags.contains("--import") || flags.contains("--participants");
  take("--participants", plan.participants);
  take("--import", plan.import);
  take("--soak", plan.soak);
  take("--kills", plan.kills);
  if (flags.contains("--store")) {
    plan.store = flags["--store"];
    flags.erase("--store");
  }
  if (flags.contains("--refit")) {
    plan.refit = flags["--refit"] == "off" ? "\"off\"" : flags["--refit"];
    flags.erase("--refit");
  }
  plan.program = flags.contains("--program") ? flags["--program"] : "build/release/allot";
  flags.erase("--program");
  if (!flags.empty()) stop(flags.begin()->first + " is unknown");

  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  std::signal(SIGPIPE, SIG_IGN);
  if (!plan.store.empty()) {
    compare_stores(plan, plan.store);
    return 0;
  }
  if (plan.cluster) {
    measure_cluster(plan);
    return 0;
  }
  if (!chosen) {
    throughput(plan);
    if (plan.idle > 0) {
      idle(plan, false);
      idle(plan, true);
    }
  }
  if (plan.soak > 0) soak(plan);
  if (plan.import > 0) import(plan);
  if (plan.kills > 0) kills(plan);
  if (plan.participants > 0) participants(plan);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (const std::exception& trouble) {
    fmt::print(stderr, "{}\n", trouble.what());
    return 1;
  }
}
