// Tests whether the data folder can be written.
//
// A server with a full disk still answers reads but records no labels, and a load balancer should
// know. Commits would show it, but there are none once the balancer sends no requests. So the probe
// writes and removes a small file; the server becomes ready again by itself when there is room.
//
// Cost: 64 KB written and synced by the calling thread, at most every two seconds; calls in between
// get the last result.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace allot::serve {

/// Any number of threads may call it.
class WriteProbe {
 public:
  explicit WriteProbe(std::string folder, std::chrono::milliseconds every = std::chrono::seconds(2))
      : path_(std::move(folder) + "/probe"), every_(every) {}

  /// The error in the words of the system; empty if the folder can be written.
  std::string trouble();

 private:
  const std::string path_;
  const std::chrono::milliseconds every_;
  std::mutex mutex_;
  bool is_busy_ = false, was_asked_ = false;
  std::chrono::steady_clock::time_point last_;
  std::string found_;
};

}  // namespace allot::serve
