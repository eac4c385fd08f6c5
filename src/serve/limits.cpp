#include "serve/limits.hpp"

#include <algorithm>

namespace allot::serve {

double Limiter::drops(const Bucket& bucket, Moment now) const {
  const double seconds = std::chrono::duration<double>(now - bucket.at).count();
  return std::min(burst_, bucket.drops + rate_ * std::max(0.0, seconds));
}

double Limiter::take(const std::string& caller, Moment now) {
  const std::scoped_lock lock(mutex_);
  if (buckets_.size() >= sweep_at_) {
    std::erase_if(buckets_, [&](const auto& one) { return drops(one.second, now) >= burst_; });
    sweep_at_ = std::max<std::size_t>(4096, 2 * buckets_.size());
  }
  Bucket& bucket = buckets_.try_emplace(caller, Bucket{burst_, now}).first->second;
  const double now_there = drops(bucket, now);
  if (now_there < 1) return (1 - now_there) / rate_;
  bucket = {now_there - 1, now};
  return 0;
}

std::optional<Memory::Kept> Memory::find(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto kept = kept_.find(key);
  return kept == kept_.end() ? std::nullopt : std::optional(kept->second);
}

std::size_t Memory::bytes(const std::string& key, const Kept& kept) {
  return key.size() + kept.body.size() + sizeof(Kept) + 200;
}

void Memory::keep(const std::string& key, Kept kept) {
  const std::scoped_lock lock(mutex_);
  const std::size_t size = bytes(key, kept);
  if (most_ == 0) return;
  const auto [place, is_new] = kept_.emplace(key, std::move(kept));
  if (!is_new) return;
  order_.push_back(&place->first);
  bytes_ += size;
  while (order_.size() > most_ || bytes_ > kMostBytes) {
    const auto oldest = kept_.find(*order_.front());
    bytes_ -= bytes(oldest->first, oldest->second);
    kept_.erase(oldest);
    order_.pop_front();
  }
}

}  // namespace allot::serve
