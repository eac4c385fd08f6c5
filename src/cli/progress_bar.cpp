#include "cli/progress_bar.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>

#include "cli/formats.hpp"

namespace allot::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> bars_shown{false};

/// Width of the terminal.
std::size_t columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string time_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

void show_progress_bars() { bars_shown = true; }

ProgressBar::ProgressBar(std::string label, const Progress& progress)
    : label_(std::move(label)), progress_(progress) {
  if (bars_shown && isatty(STDERR_FILENO)) drawer_ = std::thread([this] { draw_until_done(); });
}

ProgressBar::~ProgressBar() {
  if (!drawer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_one();
  drawer_.join();
}

void ProgressBar::draw_until_done() {
  const Clock::time_point begun = Clock::now();
  bool drawn = false;
  std::unique_lock lock(mutex_);
  auto pause = std::chrono::milliseconds(1000);
  while (!wake_.wait_for(lock, pause, [this] { return done_; })) {
    pause = std::chrono::milliseconds(100);
    const double share = progress_.share();
    const double elapsed = std::chrono::duration<double>(Clock::now() - begun).count();
    const std::string left = share > 0.01 ? time_text(elapsed / share * (1 - share)) + " left" : "";
    const std::string line = fmt::format("{:3.0f} % {}", share * 100, left);
    const std::size_t room = columns() - std::min(columns(), label_.size() + line.size() + 6);
    const std::string picture =
        room < 5 ? ""
                 : fmt::format("{} [{}] ", label_, bar(share, 0, std::min<std::size_t>(room, 30)));
    std::fputs(fmt::format("\r{}{}\x1b[K", picture, line).c_str(), stderr);
    std::fflush(stderr);
    drawn = true;
  }
  if (drawn) std::fputs("\r\x1b[K", stderr);
}

}  // namespace allot::cli
