// Lets one thread end the waits of others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace allot::bridge {

class StopFlag {
 public:
  void raise() {
    {
      const std::scoped_lock lock(mutex_);
      raised_ = true;
    }
    changed_.notify_all();
  }
  bool is_raised() const {
    const std::scoped_lock lock(mutex_);
    return raised_;
  }
  /// Waits that long, or until the flag is raised; returns whether it is.
  bool wait_for(std::chrono::milliseconds time) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return raised_; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool raised_ = false;
};

}  // namespace allot::bridge
