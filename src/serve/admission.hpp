// Admission of a request: its token, role, campaign, rate and parameters, and an earlier response
// to it, all in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
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
  double take(const std::string& caller, Moment now) { return take(caller, now, rate_, burst_); }
  /// The same with a rate and burst of the caller's own.
  double take(const std::string& caller, Moment now, double rate, double burst);

 private:
  struct Bucket {
    double drops;
    Moment at;
    double rate, burst;
  };
  static double drops(const Bucket& bucket, Moment now);

  const double rate_, burst_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
  std::size_t sweep_at_ = 4096;
};

class SignIn;

/// The token that the request has, or that a sign-in stands for; nothing if it is unknown or was
/// revoked. Refuses what SignIn::caller refuses.
Result<std::optional<Token>> token_of(const http::Request& request, const Vault& vault,
                                      SignIn& sign_in);

/// Finds the token of the call and checks that it may call the route. The refusal, or nothing if
/// the call may go on; its token and trace are then filled in.
std::optional<http::Response> check_admission(Call& call, RateLimiter& limiter);

/// The last responses by the Idempotency-Key of their request, in at most 32 MB. Any number of
/// threads. Repeats are answered quickly and without a commit. Campaigns remember keys on disk as
/// well, so a repeat after a restart changes nothing either; it then gets its response from the
/// ledger.
class ResponseCache {
 public:
  struct CachedResponse {
    /// Digest of the request's body.
    std::string digest;
    int status = 0;
    std::string type, body;
  };
  explicit ResponseCache(std::size_t most) : most_(most) {}

  std::optional<CachedResponse> find(const std::string& key) const;
  /// The first response under a key stays.
  void keep(const std::string& key, CachedResponse response);

 private:
  static constexpr std::size_t kMostBytes = 32 << 20;
  static std::size_t bytes(const std::string& key, const CachedResponse& response);

  const std::size_t most_;
  std::size_t bytes_ = 0;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, CachedResponse> responses_;
  std::deque<const std::string*> order_;  // keys in responses_, the oldest first
};

/// The response of a request with an Idempotency-Key that was answered before, or the refusal of a
/// bad key. Otherwise nothing, and the call's reply also fills the cache.
std::optional<http::Response> replay(Call& call, const std::shared_ptr<ResponseCache>& cache);

}  // namespace allot::serve
