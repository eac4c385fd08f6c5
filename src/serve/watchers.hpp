// Those who wait for the next event of a campaign: live streams, and webhooks.
//
// Cost: waiting and waking take time in the number of those who wait for that campaign;
// `wake_overdue` looks at all of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace allot::serve {

class Watchers {
 public:
  using Wake = std::function<void()>;
  using Instant = std::chrono::steady_clock::time_point;

  /// Calls wake() once: when `wake_ready` finds that the campaign has an event after that one, when
  /// it is overdue, or when all are woken; before this returns if there is no need to wait.
  void wait(const std::string& campaign, std::uint64_t after, Instant until, Wake wake);
  /// Notes the campaign's last event.
  void reached(const std::string& campaign, std::uint64_t last);

  void wake_ready(const std::string& campaign);
  void wake_all(const std::string& campaign);
  void wake_overdue(Instant now);
  /// Wakes all; from now on nobody waits.
  void stop();

  std::size_t count() const;

 private:
  struct Watcher {
    std::uint64_t after;
    Instant until;
    Wake wake;
  };
  struct Watched {
    std::uint64_t last = 0;
    std::vector<Watcher> watchers;
  };
  template <typename Ready>
  static void take_out(Watched& watched, std::vector<Watcher>& awake, Ready ready);
  template <typename Ready>
  void wake(const std::string& campaign, Ready ready);
  template <typename Ready>
  void wake_anywhere(Ready ready);

  mutable std::mutex mutex_;
  std::map<std::string, Watched> campaigns_;
  bool stopped_ = false;
};

}  // namespace allot::serve
