// Servers on a primary and a synchronous standby, clients that work through all of them, and a
// nemesis that hurts them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json.hpp>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "allot/store/postgres_store.hpp"
#include "support/cluster_history.hpp"
#include "support/http_client.hpp"
#include "support/link.hpp"
#include "support/postgres_server.hpp"
#include "support/started.hpp"

namespace allot::test {

struct ClusterReply {
  int status = 0;
  std::string body;
};

/// One request on a connection of its own; nothing if there was no whole answer.
inline std::optional<ClusterReply> cluster_request(
    const std::string& address, const std::string& method, const std::string& path,
    const std::string& token, const std::string& body = "", const std::string& key = "") try {
  PlainWire wire(address);
  wire.send(fmt::format(
      "{} {} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n{}"
      "Connection: close\r\nContent-Length: {}\r\n\r\n{}",
      method, path, token, key.empty() ? "" : fmt::format("Idempotency-Key: {}\r\n", key),
      body.size(), body));
  std::string came;
  while (true) {
    const std::string bytes = wire.receive();
    if (bytes.empty()) break;
    came += bytes;
  }
  const std::size_t head = came.find("\r\n\r\n");
  const std::size_t length = came.find("ontent-Length: ");
  if (head == std::string::npos || length > head) return std::nullopt;
  ClusterReply reply{std::stoi(came.substr(9, 3)), came.substr(head + 4)};
  if (reply.body.size() != std::stoul(came.substr(length + 15))) return std::nullopt;
  return reply;
} catch (const std::exception&) {
  return std::nullopt;
}

/// One allot server: its process, its links to both databases, the link through which other servers
/// reach it, and its clock.
class ClusterServer {
 public:
  ClusterServer(const PostgresServer& a, const PostgresServer& b, std::vector<std::string> options)
      : options_(std::move(options)),
        to_a_(socket_in("a"), a.host() + kSocket),
        to_b_(socket_in("b"), b.host() + kSocket) {
    set_clock(std::chrono::seconds(0));
    start();
  }

  /// Starts it, or starts it again after it was stopped.
  void start() {
    std::vector<std::string> words{
        "serve",
        "--store",
        "postgresql://allot@/labels?host=" + folder_ / "a" + "," + folder_ / "b",
        "--listen",
        address_.empty() ? "127.0.0.1:0" : address_,
        "--node",
        from_others_.address(),
        "--log",
        folder_ / "log",
        "--rate",
        "1000000",
        "--burst",
        "1000000"};
    words.insert(words.end(), options_.begin(), options_.end());
    process_.reset();
    process_.emplace(folder_, words, variables());
    if (process_->address().empty()) {
      throw std::runtime_error("no server: " + read_file(folder_ / "serve.err"));
    }
    // Clients read it meanwhile.
    if (address_.empty()) address_ = process_->address();
    from_others_.lead_to(address_);
  }
  Started& process() { return *process_; }
  /// Where clients reach it; the same after a restart.
  const std::string& address() const { return address_; }

  void set_database_links(Link::State state) {
    to_a_.set(state);
    to_b_.set(state);
  }
  void reset_database_links() {
    to_a_.reset();
    to_b_.reset();
  }
  Link& from_others() { return from_others_; }

  /// Moves its clock from the time of this machine.
  void set_clock(std::chrono::seconds shift) {
    const std::int64_t seconds = shift.count();
    std::fstream file(folder_ / "clock", std::ios::binary | std::ios::in | std::ios::out);
    if (!file) file.open(folder_ / "clock", std::ios::binary | std::ios::out);
    file.write(reinterpret_cast<const char*>(&seconds), sizeof seconds);
  }

 private:
  static constexpr const char* kSocket = "/.s.PGSQL.5432";

  std::string socket_in(const std::string& name) const {
    std::filesystem::create_directory(folder_ / name);
    return folder_ / name + kSocket;
  }
  /// Sanitizers must be loaded first, so there the clock stays.
  std::vector<std::string> variables() const {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return {};
#else
    return {std::string("LD_PRELOAD=") + clock_shift(), "CLOCK_SHIFT_FILE=" + folder_ / "clock"};
#endif
  }

  const Folder folder_;
  const std::vector<std::string> options_;
  Link to_a_, to_b_, from_others_{"127.0.0.1:0"};
  std::string address_;
  std::optional<Started> process_;
};

/// Campaigns that clients work on one after the other, each until its budget is spent.
struct CampaignTerms {
  int items = 100;
  std::uint32_t labels_per_item = 0;
  double budget = 100'000;
};

/// Two PostgreSQL servers, some allot servers on them, and clients.
class ClusterRun {
 public:
  using Clock = std::chrono::steady_clock;
  using milliseconds = std::chrono::milliseconds;

  ClusterRun(bool synchronous, CampaignTerms terms, std::size_t servers = 3) : terms_(terms) {
    a_.run("CREATE DATABASE labels");
    if (synchronous) a_.require_standby("standby");
    b_ = std::make_unique<PostgresServer>(a_, "standby");
    for (std::size_t n = 0; n < servers; ++n) {
      servers_.push_back(std::make_unique<ClusterServer>(
          a_, *b_, std::vector<std::string>{"--require-sync", synchronous ? "yes" : "no"}));
    }
    admin_ = token_in(servers_[0]->process().said());
  }
  ~ClusterRun() { finish(); }

  PostgresServer& primary() { return a_leads_ ? a_ : *b_; }
  PostgresServer& standby() { return a_leads_ ? *b_ : a_; }
  ClusterServer& server(std::size_t n) { return *servers_[n]; }
  std::size_t servers() const { return servers_.size(); }
  std::size_t campaigns() const { return campaigns_.size(); }
  void set_patience(milliseconds patience) { patience_ = patience; }

  /// Clients that work until `finish`, with pauses of up to `pause` between two requests.
  void start_clients(int count, milliseconds pause) {
    served_ = std::vector<std::atomic<Clock::rep>>(static_cast<std::size_t>(count));
    for (int n = 0; n < count; ++n) {
      clients_.emplace_back([this, n, pause] { work(n, pause); });
    }
  }
  void finish() {
    stopping_ = true;
    for (std::thread& client : clients_) client.join();
    clients_.clear();
  }
  /// True if every client got an answer to a request that it sent after that time.
  bool all_served_since(Clock::time_point time) const {
    return std::ranges::all_of(
        served_, [&](const auto& sent) { return sent > time.time_since_epoch().count(); });
  }

  std::size_t acknowledged() {
    const std::scoped_lock lock(campaigns_mutex_);
    std::size_t sum = 0;
    for (const auto& campaign : campaigns_) sum += campaign->history.acknowledged();
    return sum;
  }

  /// One label, repeated under its key until a server says yes; false if none does in time.
  bool label(std::size_t campaign, const std::string& worker, const std::string& item, int number,
             std::mt19937& random) {
    LabelledCampaign& in = this->campaign(campaign);
    LabelCall call{fmt::format("label-{}-{}", worker, number), worker, item,
                   random() % 2 == 0 ? "no" : "yes"};
    call.sent = in.history.tick();
    const auto reply = insist(
        in.path + "/labels",
        fmt::format(R"({{"worker": "{}", "item": "{}", "label": "{}"}})", worker, item, call.label),
        call.key, random);
    if (reply) call.answered = in.history.tick();
    in.history.add(call);
    return reply.has_value();
  }
  /// The next item; empty if the campaign has none for the worker, nothing if no server answers.
  std::optional<std::string> next_item(std::size_t campaign, const std::string& worker, int number,
                                       std::mt19937& random) {
    const auto reply = insist(this->campaign(campaign).path + "/assignments",
                              fmt::format(R"({{"worker": "{}"}})", worker),
                              fmt::format("ask-{}-{}", worker, number), random);
    if (!reply) return std::nullopt;
    const auto items = boost::json::parse(reply->body).at("assignments").as_array();
    return items.empty() ? "" : std::string(items[0].at("item").as_string());
  }

  void promote_standby() {
    standby().promote();
    a_leads_ = !a_leads_;
  }

  /// Complaints of the checker about all campaigns.
  std::vector<std::string> check() {
    const auto store =
        store::open_postgres(primary().location("labels"), {.mode = store::OpenMode::read}).value();
    std::vector<std::string> wrong;
    for (const auto& campaign : campaigns_) {
      std::ranges::copy(
          campaign->history.check(*store, campaign->id, {terms_.budget, terms_.labels_per_item}),
          std::back_inserter(wrong));
    }
    return wrong;
  }

 private:
  struct LabelledCampaign {
    std::string id, path;
    ClusterHistory history;
  };

  void work(int n, milliseconds pause) {
    std::mt19937 random(static_cast<unsigned>(n) + 1);
    const std::string worker = fmt::format("w{}", n);
    std::size_t campaign = 0;
    for (int number = 0; !stopping_; ++number) {
      const auto item = next_item(campaign, worker, number, random);
      if (!item) return;
      if (item->empty()) {
        ++campaign;
        continue;
      }
      if (!label(campaign, worker, *item, number, random)) return;
      served_[static_cast<std::size_t>(n)] = last_good_;
      std::this_thread::sleep_for(pause * (random() % 1000) / 1000);
    }
  }

  /// The campaign with that number, which is made if it is the first that is not there.
  LabelledCampaign& campaign(std::size_t number) {
    const std::scoped_lock making(making_mutex_);
    {
      const std::scoped_lock lock(campaigns_mutex_);
      if (number < campaigns_.size()) return *campaigns_[number];
    }
    auto made = make_campaign(fmt::format("make-{}", number));
    const std::scoped_lock lock(campaigns_mutex_);
    campaigns_.push_back(std::move(made));
    return *campaigns_.back();
  }

  /// Leases last a day, so that a clock that is an hour off ends none of them.
  std::unique_ptr<LabelledCampaign> make_campaign(const std::string& key) {
    std::mt19937 random(1);
    const auto made = insist(
        "/api/v1/campaigns",
        fmt::format(R"({{"name": "c", "classes": ["no", "yes"], "budget": {}, "lease": "1d", )"
                    R"("labels_per_item": {}, "policy": "uniform"}})",
                    terms_.budget,
                    terms_.labels_per_item > 0 ? fmt::to_string(terms_.labels_per_item) : "null"),
        key, random);
    if (!made) throw std::runtime_error("no campaign");
    auto campaign = std::make_unique<LabelledCampaign>();
    campaign->id = boost::json::parse(made->body).at("id").as_string();
    campaign->path = "/api/v1/campaigns/" + campaign->id;
    std::string list;
    for (int n = 0; n < terms_.items; ++n) {
      list += fmt::format("{}{{\"id\": \"i{}\"}}", n ? "," : "", n);
    }
    if (!insist(campaign->path + "/items", "{\"items\": [" + list + "]}", key + "-items", random)) {
      throw std::runtime_error("no items");
    }
    return campaign;
  }

  /// Through random servers until one says yes. Other definite answers are failures of the test.
  std::optional<ClusterReply> insist(const std::string& path, const std::string& body,
                                     const std::string& key, std::mt19937& random) {
    const auto begin = Clock::now();
    while (Clock::now() - begin < patience_) {
      const auto sent = Clock::now();
      const auto reply = cluster_request(servers_[random() % servers()]->address(), "POST", path,
                                         admin_, body, key);
      if (reply && reply->status < 300) {
        last_good_ = sent.time_since_epoch().count();
        return reply;
      }
      if (reply && reply->status < 500) {
        ADD_FAILURE() << path << " " << key << ": " << reply->status << " " << reply->body;
        return std::nullopt;
      }
      std::this_thread::sleep_for(milliseconds(50));
    }
    return std::nullopt;
  }

  const CampaignTerms terms_;
  PostgresServer a_{false};
  std::unique_ptr<PostgresServer> b_;
  bool a_leads_ = true;
  std::vector<std::unique_ptr<ClusterServer>> servers_;
  std::string admin_;
  std::mutex campaigns_mutex_, making_mutex_;
  std::vector<std::unique_ptr<LabelledCampaign>> campaigns_;
  std::vector<std::thread> clients_;
  std::vector<std::atomic<Clock::rep>> served_;  // by client: when its last good request was sent
  static inline thread_local Clock::rep last_good_ = 0;
  std::atomic<bool> stopping_ = false;
  milliseconds patience_{120'000};
};

}  // namespace allot::test
