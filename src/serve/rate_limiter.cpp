#include "serve/rate_limiter.hpp"

#include <algorithm>

namespace allot::serve {

double RateLimiter::drops(const Bucket& bucket, Moment now) const {
  const double seconds = std::chrono::duration<double>(now - bucket.at).count();
  return std::min(burst_, bucket.drops + rate_ * std::max(0.0, seconds));
}

double RateLimiter::take(const std::string& caller, Moment now) {
  const std::scoped_lock lock(mutex_);
  if (buckets_.size() >= sweep_at_) {
    std::erase_if(buckets_, [&](const auto& one) { return drops(one.second, now) >= burst_; });
    sweep_at_ = std::max<std::size_t>(4096, 2 * buckets_.size());
  }
  Bucket& bucket = buckets_.try_emplace(caller, Bucket{burst_, now}).first->second;
  const double available = drops(bucket, now);
  if (available < 1) return (1 - available) / rate_;
  bucket = {available - 1, now};
  return 0;
}

}  // namespace allot::serve
