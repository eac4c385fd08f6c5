#include "cli/line_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

namespace allot::cli {
namespace {

/// Between two writes, so that lines of one moment go together.
constexpr std::chrono::milliseconds kNap{5};

/// As far as the file takes them.
void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

/// Outlives the writer if its thread does, since the file takes nothing.
struct LineWriter::Shared {
  Shared(int its_file, std::size_t most) : file(its_file), most_waiting(most) {}
  ~Shared() {
    if (file != STDERR_FILENO) ::close(file);
  }

  void run() {
    std::string lines;
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return ending || !waiting.empty(); });
      if (waiting.empty()) break;
      lines.clear();
      lines.swap(waiting);
      if (left_out > 0) {
        lines += fmt::format("{{\"level\": \"error\", \"what\": \"{} lines were left out\"}}\n",
                             left_out);
        left_out = 0;
      }
      lock.unlock();
      write_all(file, lines);
      lock.lock();
      changed.wait_for(lock, kNap, [&] { return ending; });
    }
    ended = true;
    changed.notify_all();
  }

  const int file;
  const std::size_t most_waiting;
  std::mutex mutex;
  std::condition_variable changed;
  std::string waiting;
  std::uint64_t left_out = 0;
  bool ending = false, ended = false;
};

LineWriter::LineWriter(int file, std::size_t most_waiting, std::chrono::milliseconds patience)
    : shared_(std::make_shared<Shared>(file, most_waiting)),
      patience_(patience),
      thread_([shared = shared_] { shared->run(); }) {}

LineWriter::~LineWriter() {
  bool ended = false;
  {
    std::unique_lock lock(shared_->mutex);
    shared_->ending = true;
    shared_->changed.notify_all();
    ended = shared_->changed.wait_for(lock, patience_, [&] { return shared_->ended; });
  }
  ended ? thread_.join() : thread_.detach();
}

void LineWriter::add(std::string_view line) {
  bool first = false;
  {
    const std::scoped_lock lock(shared_->mutex);
    std::string& waiting = shared_->waiting;
    if (waiting.size() + line.size() >= shared_->most_waiting) {
      ++shared_->left_out;
      return;
    }
    first = waiting.empty();
    waiting += line;
    waiting += '\n';
  }
  if (first) shared_->changed.notify_all();
}

}  // namespace allot::cli
