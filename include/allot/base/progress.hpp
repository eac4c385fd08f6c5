// How far long work has come, written by the worker and read by whoever draws it.
#pragma once

#include <atomic>
#include <cstdint>

namespace allot {

/// `total` is set before the work starts. Both sides may use it at the same time.
struct Progress {
  std::atomic<std::uint64_t> total{0};
  std::atomic<std::uint64_t> done{0};

  double share() const {
    const auto all = static_cast<double>(total.load(std::memory_order_relaxed));
    return all > 0 ? static_cast<double>(done.load(std::memory_order_relaxed)) / all : 0.0;
  }
};

}  // namespace allot
