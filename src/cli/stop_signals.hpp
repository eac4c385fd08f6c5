// SIGTERM and SIGINT as a flag, for commands that work until they are stopped.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "bridge/stop_flag.hpp"

namespace allot::cli {

/// Blocks the signals for all threads started later; one of its own waits for them. A second signal
/// ends the program at once.
class StopSignals {
 public:
  /// `stopping` is called once, by that thread, after the flag is raised.
  explicit StopSignals(std::function<void()> stopping = [] {});
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bridge::StopFlag& flag() { return flag_; }

 private:
  bridge::StopFlag flag_, done_;
  std::thread thread_;
};

}  // namespace allot::cli
