// Progress of long work. The worker thread writes it; another thread may read it, or cancel the
// work, at any time.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

namespace allot {

/// Ends work that its caller has cancelled.
struct Cancelled : std::exception {
  /// A text for people.
  const char* what() const noexcept override { return "the work was cancelled"; }
};

/// Work done and work to do. Set `total` before the work starts.
struct Progress {
  /// Units of work in all.
  std::atomic<std::uint64_t> total{0};
  /// Units of work finished.
  std::atomic<std::uint64_t> done{0};
  /// Whether the caller wants the work to end early. Work that checks it throws Cancelled.
  std::atomic<bool> cancelled{false};

  /// Share of the work that is done, 0 to 1; 0 while `total` is 0.
  double share() const {
    const auto all = static_cast<double>(total.load(std::memory_order_relaxed));
    return all > 0 ? static_cast<double>(done.load(std::memory_order_relaxed)) / all : 0.0;
  }
  /// Throws Cancelled if the caller wants the work to end.
  void check() const {
    if (cancelled.load(std::memory_order_relaxed)) throw Cancelled();
  }
};

}  // namespace allot
