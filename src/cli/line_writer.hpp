// Lines at the end of a file, by a thread of its own: whoever has something to say never waits for
// a disk.
//
// Cost: a line one copy; a few hundred writes a second at most, however many lines. What a disk
// that does not answer keeps waiting stays in memory up to a limit; lines beyond it are counted and
// left out, and a line says how many. A process that is killed loses the last milliseconds.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>
#include <thread>

namespace allot::cli {

class LineWriter {
 public:
  /// `file` is a descriptor, which it closes unless it is that of errors.
  explicit LineWriter(int file, std::size_t most_waiting = 16 << 20,
                      std::chrono::milliseconds patience = std::chrono::seconds(2));
  /// Writes what waits, but for a file that takes nothing it waits no longer than its patience.
  ~LineWriter();
  LineWriter(const LineWriter&) = delete;

  /// Any thread may call it.
  void add(std::string_view line);

 private:
  struct Shared;

  const std::shared_ptr<Shared> shared_;
  const std::chrono::milliseconds patience_;
  std::thread thread_;
};

}  // namespace allot::cli
