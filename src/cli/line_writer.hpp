// Appends lines to a file in a background thread, so that callers never wait for a disk.
//
// Cost: one copy per line, and at most a few hundred writes per second. While a disk does not
// respond, lines stay in memory up to a limit. Lines beyond it are counted and dropped, and a line
// says how many. A killed process loses the last milliseconds.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <thread>

namespace allot::cli {

class LineWriter {
 public:
  /// `file` is a descriptor; the destructor closes it unless it is standard error.
  explicit LineWriter(int file, std::size_t most_pending = 16 << 20,
                      std::chrono::milliseconds timeout = std::chrono::seconds(2));
  /// Writes the pending lines, but waits at most `timeout` for a file that does not respond.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;

  /// Adds a line; any thread can call it.
  void add(std::string_view line);
  /// Continues in another file, of which the writer takes care as of the first. Lines that were
  /// added before the call may go to either.
  void continue_in(int file);

 private:
  struct Shared;

  const std::shared_ptr<Shared> shared_;
  const std::chrono::milliseconds timeout_;
  std::thread thread_;
};

}  // namespace allot::cli
