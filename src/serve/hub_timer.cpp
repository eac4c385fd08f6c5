// What the hub does by the clock, and what it counts.
#include <algorithm>

#include "serve/hub.hpp"

namespace allot::serve {

void Hub::keep_time() {
  constexpr std::chrono::milliseconds kTick{50};
  auto expire_at = std::chrono::steady_clock::now() + options_.expire_every;
  while (!stopping_) {
    {
      std::unique_lock lock(mutex_);
      ticked_.wait_for(lock, kTick, [&] { return stopping_.load(); });
    }
    for (const Watcher& watcher : overdue_watchers()) watcher.wake();
    const auto now = std::chrono::steady_clock::now();
    if (stopping_ || now < expire_at) continue;
    expire_at = now + options_.expire_every;
    expire_leases();
  }
}

/// Takes out the watchers that have waited long enough; all of them when the hub stops.
std::vector<Hub::Watcher> Hub::overdue_watchers() {
  const auto now = std::chrono::steady_clock::now();
  std::vector<Watcher> overdue;
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, box] : boxes_) {
    const auto late = std::ranges::partition(
        box->watchers, [&](const Watcher& watcher) { return !stopping_ && watcher.until > now; });
    std::ranges::move(late, std::back_inserter(overdue));
    box->watchers.erase(late.begin(), late.end());
  }
  return overdue;
}

/// Asks every open campaign to end its leases that are over.
void Hub::expire_leases() {
  std::vector<std::string> open;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [id, box] : boxes_) {
      if (box->open) open.push_back(id);
    }
  }
  const auto expire = [this](OpenCampaign& campaign) {
    const auto any_over = campaign.read([&](const campaign::State& state) {
      return state.phase() != campaign::Phase::closed && !state.leases().over(now()).empty();
    });
    if (any_over && *any_over) expired_ += campaign->expire(now()).value_or(0);
    return http::Response();
  };
  for (const std::string& id : open) look(id, expire, [](http::Response) {});
}

Hub::Sums Hub::Sums::of(const campaign::State& state) {
  return {.items = state.item_count(),
          .workers = state.worker_count(),
          .leases = state.leases().count(),
          .labels = state.label_counts().all,
          .spent = state.account().spent.value(),
          .left = state.account().left().value()};
}

Hub::Sums& Hub::Sums::operator+=(const Sums& other) {
  items += other.items;
  workers += other.workers;
  leases += other.leases;
  labels += other.labels;
  refits += other.refits;
  spent += other.spent;
  left += other.left;
  return *this;
}

Hub::Figures Hub::figures() const {
  const std::scoped_lock lock(mutex_);
  Figures figures{.batches = batches_,
                  .commands = commands_,
                  .expired = expired_,
                  .commits = commits_,
                  .commit_seconds = commit_seconds_};
  for (const auto& [id, box] : boxes_) {
    if (box->open) {
      ++figures.open;
      figures.sums += box->sums;
      figures.bytes += folder_->campaign_bytes(id);
    }
    figures.waiting += box->letters.size();
    figures.watchers += box->watchers.size();
  }
  return figures;
}

}  // namespace allot::serve
