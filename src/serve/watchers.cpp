#include "serve/watchers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace allot::serve {

/// With the mutex held.
template <typename Ready>
void Watchers::take_out(Watched& watched, std::vector<Watcher>& awake, Ready ready) {
  const auto taken = std::ranges::partition(
      watched.watchers, [&](const Watcher& watcher) { return !ready(watched, watcher); });
  std::ranges::move(taken, std::back_inserter(awake));
  watched.watchers.erase(taken.begin(), taken.end());
}

template <typename Ready>
void Watchers::wake(const std::string& campaign, Ready ready) {
  std::vector<Watcher> awake;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = campaigns_.find(campaign); found != campaigns_.end()) {
      take_out(found->second, awake, ready);
    }
  }
  for (const Watcher& watcher : awake) watcher.wake();
}

template <typename Ready>
void Watchers::wake_anywhere(Ready ready) {
  std::vector<Watcher> awake;
  {
    const std::scoped_lock lock(mutex_);
    for (auto& [id, watched] : campaigns_) take_out(watched, awake, ready);
  }
  for (const Watcher& watcher : awake) watcher.wake();
}

void Watchers::wait(const std::string& campaign, std::uint64_t after, Instant until, Wake wake) {
  {
    const std::scoped_lock lock(mutex_);
    Watched& watched = campaigns_[campaign];
    if (!stopped_ && watched.last <= after) {
      watched.watchers.push_back({after, until, std::move(wake)});
      return;
    }
  }
  wake();
}

void Watchers::reached(const std::string& campaign, std::uint64_t last) {
  const std::scoped_lock lock(mutex_);
  campaigns_[campaign].last = last;
}

void Watchers::wake_ready(const std::string& campaign) {
  wake(campaign,
       [](const Watched& watched, const Watcher& watcher) { return watcher.after < watched.last; });
}

void Watchers::wake_all(const std::string& campaign) {
  wake(campaign, [](const Watched&, const Watcher&) { return true; });
}

void Watchers::wake_overdue(Instant now) {
  wake_anywhere([&](const Watched&, const Watcher& watcher) { return watcher.until <= now; });
}

void Watchers::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  wake_anywhere([](const Watched&, const Watcher&) { return true; });
}

std::size_t Watchers::count() const {
  const std::scoped_lock lock(mutex_);
  std::size_t count = 0;
  for (const auto& [id, watched] : campaigns_) count += watched.watchers.size();
  return count;
}

}  // namespace allot::serve
