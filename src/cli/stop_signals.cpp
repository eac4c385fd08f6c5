#include "cli/stop_signals.hpp"

#include <pthread.h>

#include <csignal>
#include <ctime>

namespace allot::cli {
namespace {

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

StopSignals::StopSignals(std::function<void()> stopping) {
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  thread_ = std::thread([this, signals, stopping = std::move(stopping)] {
    const timespec a_while{0, 100'000'000};
    while (!done_.is_raised()) {
      if (sigtimedwait(&signals, nullptr, &a_while) < 0) continue;
      flag_.raise();
      stopping();
      pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
      break;
    }
    done_.wait_for(std::chrono::hours(24 * 365));
  });
}

StopSignals::~StopSignals() {
  done_.raise();
  thread_.join();
}

}  // namespace allot::cli
