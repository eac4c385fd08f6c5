#include "serve/label_rate.hpp"

#include "base/try.hpp"

namespace allot::serve {

using namespace campaign;

namespace {

constexpr std::size_t kEventsAtOnce = 20'000;

}  // namespace

std::int64_t LabelRate::minute_of(Time time) {
  return std::chrono::floor<std::chrono::minutes>(time).time_since_epoch().count();
}

Result<void> LabelRate::read_on(Campaign& campaign, Time now) {
  const std::int64_t first = minute_of(now) - 60;
  if (!begun_) {
    // Times never decrease, so bisection finds the first event of the hour.
    std::uint64_t low = 0, high = 0;
    TRY(campaign.view().read([&](const State& state) { high = state.sequence(); }));
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      const auto found = TRY(campaign.view().events(middle, 1));
      const bool before = !found.empty() && minute_of(found.front().time) < first;
      (before ? low : high) = before ? middle + 1 : middle;
    }
    read_ = low;
    begun_ = true;
  }
  while (true) {
    const auto events = TRY(campaign.view().events(read_, kEventsAtOnce));
    for (const LedgerEntry& entry : events) {
      read_ = entry.sequence;
      if (std::holds_alternative<Answered>(entry.event)) ++labels_[minute_of(entry.time)];
    }
    if (events.size() < kEventsAtOnce) break;
  }
  labels_.erase(labels_.begin(), labels_.lower_bound(first));
  return {};
}

std::uint64_t LabelRate::labels(std::int64_t minute) const {
  const auto known = labels_.find(minute);
  return known == labels_.end() ? 0 : known->second;
}

}  // namespace allot::serve
