// Progress of all studies together, in microseconds of expected work.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "allot/base/progress.hpp"

namespace allot::reproduce {

/// One part's share of the whole. A part of several steps tells the size of each.
class Meter {
 public:
  /// `whole` must outlive it.
  Meter(Progress& whole, double milliseconds)
      : whole_(whole), begun_(whole.done), size_(milliseconds * 1000) {}
  /// Counts the rest of the part as done.
  ~Meter() { whole_.done = begun_ + static_cast<std::uint64_t>(size_); }
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;

  /// Calls work(&progress), which counts in its own units, as this share of the part.
  template <typename Work>
  auto step(double share, Work work) {
    Progress progress;
    const std::jthread watcher([&](const std::stop_token& stop) { watch(share, progress, stop); });
    return work(&progress);
  }

 private:
  /// Reads a step's progress ten times per second until it ends.
  void watch(double share, const Progress& progress, const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any wake;
    const auto never = [] { return false; };
    while (!stop.stop_requested()) {
      const double done = done_ + share * std::min(1.0, progress.share());
      whole_.done = begun_ + static_cast<std::uint64_t>(done * size_);
      wake.wait_for(lock, stop, std::chrono::milliseconds(100), never);
    }
    done_ += share;
  }

  Progress& whole_;
  const std::uint64_t begun_;
  const double size_;
  double done_ = 0;  // share of the part
};

}  // namespace allot::reproduce
