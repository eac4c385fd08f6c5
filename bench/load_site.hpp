// A server under load: where its data is, its process, and measured rounds of work.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "load_crowd.hpp"
#include "load_process.hpp"
#include "support/folder.hpp"

namespace allot::load {

struct Plan {
  std::string program;
  /// The option of the campaign, in JSON.
  std::string refit = "20";
  /// Location of an empty database.
  std::string store = {};
  std::size_t items = 100'000, classes = 2, clients = 64, many = 512, idle = 5'000;
  std::size_t import = 0, participants = 0;
  int rounds = 5, seconds = 5, soak = 0, kills = 0;
  bool brief = false, cluster = false;
};

/// Ends every process it started when it goes out of scope.
[[noreturn]] inline void stop(const std::string& why) { throw std::runtime_error(why); }

inline void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

/// The text of a member of a JSON object.
inline std::string member(const std::string& json, const std::string& name) {
  const std::size_t found = json.find("\"" + name + "\": ");
  if (found == std::string::npos) return "";
  const std::size_t begin = found + name.size() + 4;
  return json[begin] == '"' ? json.substr(begin + 1, json.find('"', begin + 1) - begin - 1)
                            : json.substr(begin, json.find_first_of(",}", begin) - begin);
}

/// A data folder, or a database, and its server, which can be killed and started again.
class Site {
 public:
  /// A further server on a database needs the token that the first one showed.
  explicit Site(const Plan& plan, std::vector<std::string> more = {}, std::string store = {},
                std::string token = {})
      : plan_(plan), more_(std::move(more)), store_(std::move(store)), token_(std::move(token)) {
    start();
    if (token_.empty()) token_ = server_->word_after("shown only once:");
  }

  Process& server() { return *server_; }
  const std::string& token() const { return token_; }
  std::string address() const { return server_->address(); }
  std::string file(const std::string& campaign) const {
    return folder_ / ("data/campaigns/" + campaign + ".db");
  }

  void start() {
    std::vector<std::string> words{plan_.program, "serve",        "--listen", "127.0.0.1:0",
                                   "--rate",      "1000000",      "--burst",  "1000000",
                                   "--log",       folder_ / "log"};
    words.push_back(store_.empty() ? "--data" : "--store");
    words.push_back(store_.empty() ? folder_ / "data" : store_);
    words.insert(words.end(), more_.begin(), more_.end());
    server_.emplace(std::move(words));
  }
  void kill() { server_->kill(); }
  void restart() {
    server_.reset();
    start();
  }

  std::string request(const std::string& method, const std::string& path,
                      const std::string& body = "", const std::string& type = "application/json") {
    const auto [status, answer] = call(address(), method, "/api/v1/" + path, token_, body, type);
    if (status < 200 || status >= 300)
      stop(fmt::format("{} {}: {} {}", method, path, status, answer));
    return answer;
  }

  /// One value of /metrics.
  double figure(const std::string& name) const {
    const auto [status, text] = call(address(), "GET", "/metrics", token_, "", "text/plain");
    const std::size_t found = text.find("\n" + name + " ");
    if (found == std::string::npos) stop("/metrics has no value " + name);
    return std::stod(text.substr(found + name.size() + 2));
  }

  std::string campaign(std::size_t items, std::uint64_t budget) {
    std::string classes;
    for (std::size_t n = 0; n < plan_.classes; ++n)
      classes += fmt::format(R"({}"{}")", n == 0 ? "" : ", ", class_name(n));
    const std::string made =
        request("POST", "campaigns",
                fmt::format(R"({{"name": "Load", "classes": [{}], "budget": {}, "refit": {}}})",
                            classes, budget, plan_.refit));
    const std::string id = member(made, "id");
    std::string lines;
    for (std::size_t n = 0; n < items; ++n) {
      lines += fmt::format(
          "{{\"id\": \"item-{:06}\", \"text\": \"Is this, the number {}, a good "
          "one, and would you say so to others?\"}}\n",
          n, n);
    }
    request("POST", "campaigns/" + id + "/items/upload", lines, "application/x-ndjson");
    return id;
  }

  std::vector<Worker> workers(const std::string& campaign, std::size_t count) {
    std::vector<Worker> all;
    for (std::size_t n = 0; n < count; ++n) {
      const std::uint64_t number = ++workers_;
      const std::string link = request("POST", "campaigns/" + campaign + "/links",
                                       fmt::format(R"({{"worker": "worker-{}"}})", number));
      all.push_back({campaign, member(link, "secret"), number, plan_.classes});
    }
    return all;
  }

 private:
  const Plan& plan_;
  const std::vector<std::string> more_;
  const std::string store_;
  const test::Folder folder_;
  std::optional<Process> server_;
  std::string token_;
  std::uint64_t workers_ = 0;
};

/// A round, and the server's processor time for it.
inline Round measured(Process& server, std::vector<Worker>& workers,
                      std::chrono::milliseconds duration, const std::string& name) {
  const double before = server.processor();
  Round round = work(server.address(), workers, duration);
  const double busy = server.processor() - before;
  say(
      fmt::format("  {:<26} {:>7.0f} per second, p50 {:>6.2f} ms, p99 {:>6.2f} ms, {:>3} errors, "
                  "{:>4.0f} us of processor each",
                  name, round.rate(), round.quantile(0.5), round.quantile(0.99), round.errors,
                  1e6 * busy / static_cast<double>(std::max<std::uint64_t>(round.answers, 1))));
  if (round.errors > 0) stop("the first error: " + round.first_error);
  if (round.answers == 0) stop("there were no answers");
  return round;
}

inline double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace allot::load
