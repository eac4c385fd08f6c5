// Many workers at work over HTTP, each with its own kept-alive connection: a label and the request
// for the next item in one call, again and again. One thread drives them all.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace allot::load {

/// Sends one request over its own connection; returns status (0 without an answer) and body.
std::pair<int, std::string> call(const std::string& address, const std::string& method,
                                 const std::string& path, const std::string& token,
                                 const std::string& body = "",
                                 const std::string& type = "application/json");

/// The name of a class of the campaigns under load.
std::string class_name(std::size_t number);

struct Worker {
  std::string campaign, token;
  std::uint64_t number = 0;
  std::size_t classes = 2;
  /// The leased item; empty before the first and after the last.
  std::string item = {};
  /// The request that is not answered yet; the next connection sends it again under its key.
  std::string request = {};
  std::uint64_t requests = 0;
  bool finished = false;
  /// Items whose label was acknowledged.
  std::vector<std::string> acknowledged = {};
};

struct Round {
  std::uint64_t answers = 0, errors = 0;
  double seconds = 0;
  /// Latencies of label calls, in order.
  std::vector<double> milliseconds = {};
  std::string first_error = {};
  /// Body of the last answer.
  std::string sample = {};

  double rate() const { return static_cast<double>(answers) / seconds; }
  /// The latency at a share of calls, such as 0.99; 0 without answers.
  double quantile(double share) const;
};

/// Lets the workers work for this long, or until none has anything to do. A broken connection
/// counts as an error and ends the worker's round. With `note`, acknowledged items are kept. With a
/// `pause`, each worker takes that long for an answer, and they begin one after the other.
Round work(const std::string& address, std::vector<Worker>& workers,
           std::chrono::milliseconds duration, bool note = false,
           std::chrono::milliseconds pause = {});

/// Opens connections, sends one request over each, and keeps them open while `idle` runs. Returns
/// the number of answers.
std::size_t keep_open(const std::string& address, std::size_t count, bool by_tls,
                      const std::function<void()>& idle);

}  // namespace allot::load
