#include "cli/line_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace allot::cli {
namespace {

/// Pause between two writes, so that one write takes all lines of a moment.
constexpr std::chrono::milliseconds kPause{5};

/// Writes all bytes, or gives up at an error.
void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) return;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

/// Shared with the thread, which outlives the writer if the file does not respond.
struct LineWriter::Shared {
  Shared(int descriptor, std::size_t most) : file(descriptor), most_pending(most) {}
  ~Shared() {
    close(file);
    if (next_file) close(*next_file);
  }
  static void close(int file) {
    if (file != STDERR_FILENO) ::close(file);
  }

  void run() {
    std::string lines;
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return ending || !pending.empty(); });
      if (pending.empty()) break;
      if (next_file) {
        close(file);
        file = *std::exchange(next_file, std::nullopt);
      }
      lines.clear();
      lines.swap(pending);
      if (left_out > 0) {
        lines += fmt::format("{{\"level\": \"error\", \"what\": \"{} lines were left out\"}}\n",
                             left_out);
        left_out = 0;
      }
      lock.unlock();
      write_all(file, lines);
      lock.lock();
      changed.wait_for(lock, kPause, [&] { return ending; });
    }
    ended = true;
    changed.notify_all();
  }

  int file;  // of the thread alone
  const std::size_t most_pending;
  std::mutex mutex;
  std::condition_variable changed;
  std::string pending;
  std::optional<int> next_file;
  std::uint64_t left_out = 0;
  bool ending = false, ended = false;
};

LineWriter::LineWriter(int file, std::size_t most_pending, std::chrono::milliseconds timeout)
    : shared_(std::make_shared<Shared>(file, most_pending)),
      timeout_(timeout),
      thread_([shared = shared_] { shared->run(); }) {}

LineWriter::~LineWriter() {
  bool ended = false;
  {
    std::unique_lock lock(shared_->mutex);
    shared_->ending = true;
    shared_->changed.notify_all();
    ended = shared_->changed.wait_for(lock, timeout_, [&] { return shared_->ended; });
  }
  ended ? thread_.join() : thread_.detach();
}

void LineWriter::continue_in(int file) {
  const std::scoped_lock lock(shared_->mutex);
  if (const auto unused = std::exchange(shared_->next_file, file)) Shared::close(*unused);
}

void LineWriter::add(std::string_view line) {
  bool first = false;
  {
    const std::scoped_lock lock(shared_->mutex);
    std::string& pending = shared_->pending;
    if (pending.size() + line.size() >= shared_->most_pending) {
      ++shared_->left_out;
      return;
    }
    first = pending.empty();
    pending += line;
    pending += '\n';
  }
  if (first) shared_->changed.notify_all();
}

}  // namespace allot::cli
