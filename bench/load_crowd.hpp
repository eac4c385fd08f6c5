// Many workers at work over HTTP, each by a kept-alive connection of its own: a label and the
// request for the next item in one call, again and again. One thread drives them all.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace allot::load {

/// One request by a connection of its own; status (0 without an answer) and body of the answer.
std::pair<int, std::string> call(const std::string& address, const std::string& method,
                                 const std::string& path, const std::string& token,
                                 const std::string& body = "",
                                 const std::string& type = "application/json");

struct Worker {
  std::string campaign, token;
  std::uint64_t number = 0;
  /// At hand; empty before the first and after the last.
  std::string item = {};
  /// Sent, or about to be, and not answered: it goes again under its key by the next connection.
  std::string request = {};
  std::uint64_t requests = 0;
  bool finished = false;
  /// Items whose label was acknowledged.
  std::vector<std::string> acknowledged = {};
};

struct Round {
  std::uint64_t answers = 0, errors = 0;
  double seconds = 0;
  /// Of label calls, in order.
  std::vector<double> milliseconds = {};
  std::string first_error = {};
  /// The body of the last answer.
  std::string sample = {};

  double rate() const { return static_cast<double>(answers) / seconds; }
  /// As 0.99; 0 without answers.
  double quantile(double share) const;
};

/// Lets them work for so long or until none has anything to do. A connection that breaks is an
/// error and ends the worker's round; with `note` what is acknowledged is kept.
Round work(const std::string& address, std::vector<Worker>& workers,
           std::chrono::milliseconds duration, bool note = false);

/// Opens connections, makes a request by each, and keeps them open while `idle` runs; how many got
/// their answer.
std::size_t keep_open(const std::string& address, std::size_t count, bool by_tls,
                      const std::function<void()>& idle);

}  // namespace allot::load
