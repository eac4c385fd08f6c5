// Whether the data folder can be written.
//
// A server whose disk is full still answers what is read, but takes no label: whoever sends
// requests its way should know. Commits say so only while there are some, and there are none once
// nobody is sent here, so a small file is written and removed instead; then it is known again by
// itself when there is room.
//
// Cost: 64 KB written and synced at most every two seconds, however often it is asked for, by the
// thread that asks; those who ask meanwhile get what was found last.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

namespace allot::serve {

/// For any number of threads.
class WriteProbe {
 public:
  explicit WriteProbe(std::string folder, std::chrono::milliseconds every = std::chrono::seconds(2))
      : path_(std::move(folder) + "/probe"), every_(every) {}

  /// What is wrong, in the words of the system; empty if nothing is.
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
