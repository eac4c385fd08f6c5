// A progress bar on standard error, if that is a terminal, for work that takes longer than a
// second. Only the program shows bars: other users of the commands leave standard error alone.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "allot/base/progress.hpp"

namespace allot::cli {

/// Turns progress bars on, for the rest of the process.
void show_progress_bars();

/// Draws until it goes out of scope, and leaves a clean line. `progress` must outlive it.
class ProgressBar {
 public:
  ProgressBar(std::string label, const Progress& progress);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;

 private:
  void draw_until_done();

  const std::string label_;
  const Progress& progress_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread drawer_;
};

}  // namespace allot::cli
