// Lines at the end of a file, by a thread of its own: whoever has something to say never waits for
// a disk.
//
// Cost: a line one copy; a few hundred writes a second at most, however many lines. What a disk
// that does not answer keeps waiting stays in memory up to a limit; lines beyond it are counted and
// left out, and a line says how many. A process that is killed loses the last milliseconds.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace allot::cli {

class LineWriter {
 public:
  explicit LineWriter(std::shared_ptr<std::FILE> file, std::size_t most_waiting = 16 << 20);
  /// Writes what waits.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;

  /// Any thread may call it.
  void add(std::string_view line);

 private:
  void run();

  const std::shared_ptr<std::FILE> file_;
  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  std::uint64_t left_out_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace allot::cli
