// Responses that are given again under the same Idempotency-Key.
//
// The cache answers repeats quickly and without a commit. Campaigns remember keys on disk as well,
// so a repeat after a restart changes nothing either; it then gets its response from the ledger.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "http/message.hpp"

namespace allot::serve {

class Call;

/// The last responses by the key of their request, in at most 32 MB. Any number of threads.
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
