// Admission of a request: token, role, campaign, rate and known parameters, all checked in memory.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "http/message.hpp"
#include "serve/call.hpp"

namespace allot::serve {

/// Limits how often a caller may send requests: each has a bucket of `burst` drops, a request takes
/// one, and `rate` drops per second come back. Memory: one entry per caller whose bucket is not
/// full, and a few thousand more. Any number of threads.
class RateLimiter {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  RateLimiter(double rate, double burst) : rate_(rate), burst_(burst) {}

  /// 0 if the request may go on, else the seconds until the next one may.
  double take(const std::string& caller, Moment now);

 private:
  struct Bucket {
    double drops;
    Moment at;
  };
  double drops(const Bucket& bucket, Moment now) const;

  const double rate_, burst_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
  std::size_t sweep_at_ = 4096;
};

/// Finds the token of the call and checks that it may call the route. The refusal, or nothing if
/// the call may go on; its token and trace are then filled in.
std::optional<http::Response> check_admission(Call& call, RateLimiter& limiter);

}  // namespace allot::serve
