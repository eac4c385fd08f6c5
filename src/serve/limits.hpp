// How often one may ask, and what was answered under which key.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "http/message.hpp"

namespace allot::serve {

/// A bucket for each caller: it holds `burst` drops, a request takes one, and `rate` a second come
/// back. Memory for as many callers as have less than a full one, and a few thousand more.
class Limiter {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  Limiter(double rate, double burst) : rate_(rate), burst_(burst) {}

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

/// The last few answers by the key of their request, in at most 32 MB.
class Memory {
 public:
  struct Kept {
    /// Of the request.
    std::string digest;
    int status = 0;
    std::string type, body;
  };
  explicit Memory(std::size_t most) : most_(most) {}

  std::optional<Kept> find(const std::string& key) const;
  void keep(const std::string& key, Kept kept);

 private:
  static constexpr std::size_t kMostBytes = 32 << 20;
  static std::size_t bytes(const std::string& key, const Kept& kept);

  const std::size_t most_;
  std::size_t bytes_ = 0;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Kept> kept_;
  std::deque<const std::string*> order_;  // into kept_, the oldest first
};

}  // namespace allot::serve
