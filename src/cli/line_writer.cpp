#include "cli/line_writer.hpp"

#include <fmt/format.h>

#include <chrono>

namespace allot::cli {
namespace {

/// Between two writes, so that lines of one moment go together.
constexpr std::chrono::milliseconds kNap{5};

}  // namespace

LineWriter::LineWriter(std::shared_ptr<std::FILE> file, std::size_t most_waiting)
    : file_(std::move(file)), most_waiting_(most_waiting), thread_([this] { run(); }) {}

LineWriter::~LineWriter() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LineWriter::add(std::string_view line) {
  bool first = false;
  {
    const std::scoped_lock lock(mutex_);
    if (waiting_.size() + line.size() >= most_waiting_) {
      ++left_out_;
      return;
    }
    first = waiting_.empty();
    waiting_ += line;
    waiting_ += '\n';
  }
  if (first) changed_.notify_one();
}

void LineWriter::run() {
  std::string lines;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    lines.clear();
    lines.swap(waiting_);
    if (left_out_ > 0) {
      lines += fmt::format("{{\"level\": \"error\", \"what\": \"{} lines were left out\"}}\n",
                           left_out_);
      left_out_ = 0;
    }
    lock.unlock();
    std::fwrite(lines.data(), 1, lines.size(), file_.get());
    std::fflush(file_.get());
    lock.lock();
    changed_.wait_for(lock, kNap, [&] { return ending_; });
  }
}

}  // namespace allot::cli
