#include "reproduce/meter.hpp"

#include <algorithm>
#include <chrono>

namespace allot::reproduce {

Meter::Watch::Watch(Meter& meter, double share)
    : meter_(meter), share_(share), watcher_([this] { look(); }) {}

Meter::Watch::~Watch() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_one();
  watcher_.join();
  meter_.done_ += share_;
}

void Meter::Watch::look() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::milliseconds(100), [this] { return over_; })) {
    const double done = meter_.done_ + share_ * std::min(1.0, progress_.share());
    meter_.whole_.done = meter_.begun_ + static_cast<std::uint64_t>(done * meter_.size_);
  }
}

}  // namespace allot::reproduce
