// Limits how often a caller may send requests: a token bucket per caller.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <unordered_map>

namespace allot::serve {

/// A bucket holds `burst` drops; a request takes one, and `rate` drops per second come back.
/// Memory: one entry per caller whose bucket is not full, and a few thousand more. Any number of
/// threads.
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

}  // namespace allot::serve
