// Tests whether a server can make changes, for load balancers.
//
// A server with a full disk, or with a database whose standby is away, still answers reads but
// records no labels. Commits would show it, but there are none once the balancer sends no requests.
// Any number of threads may call it; at most one call per `every` makes a test, the others get the
// last result.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

namespace allot::serve {

class WriteProbe {
 public:
  /// test() returns the error, empty if there is none; it may wait.
  using Test = std::function<std::string()>;
  explicit WriteProbe(Test test, std::chrono::milliseconds every = std::chrono::seconds(2))
      : test_(std::move(test)), every_(every) {}

  std::string trouble() {
    std::unique_lock lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (is_busy_ || (was_asked_ && now - last_ < every_)) return found_;
    is_busy_ = true;
    lock.unlock();
    std::string found = test_();
    lock.lock();
    is_busy_ = false;
    was_asked_ = true;
    last_ = std::chrono::steady_clock::now();
    found_ = std::move(found);
    return found_;
  }

 private:
  const Test test_;
  const std::chrono::milliseconds every_;
  std::mutex mutex_;
  bool is_busy_ = false, was_asked_ = false;
  std::chrono::steady_clock::time_point last_;
  std::string found_;
};

}  // namespace allot::serve
