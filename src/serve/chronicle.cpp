#include "serve/chronicle.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace allot::serve {
namespace {

using namespace campaign;

constexpr std::size_t kEventsAtOnce = 20'000;

std::optional<ItemId> item_of(const Event& event) {
  return std::visit(
      [](const auto& one) -> std::optional<ItemId> {
        if constexpr (requires { one.item; }) return one.item;
        return std::nullopt;
      },
      event);
}

}  // namespace

Result<bool> Chronicle::read_on(Campaign& campaign) {
  const auto events = TRY(campaign.events(read_, kEventsAtOnce));
  for (const Happened& one : events) {
    read_ = one.sequence;
    before_.resize(read_ + 1);
    const auto item = item_of(one.event);
    if (!item) continue;
    if (last_.size() <= position(*item)) last_.resize(position(*item) + 1);
    before_[read_] = last_[position(*item)];
    last_[position(*item)] = static_cast<std::uint32_t>(read_);
  }
  return events.size() < kEventsAtOnce;
}

std::vector<std::uint64_t> Chronicle::events_of(ItemId item, std::size_t most) const {
  std::vector<std::uint64_t> all;
  std::uint32_t at = position(item) < last_.size() ? last_[position(item)] : 0;
  for (; at != 0 && all.size() < most; at = before_[at]) all.push_back(at);
  std::ranges::reverse(all);
  return all;
}

std::int64_t LabelRate::minute_of(Time time) {
  return std::chrono::floor<std::chrono::minutes>(time).time_since_epoch().count();
}

Result<void> LabelRate::read_on(Campaign& campaign, Time now) {
  const std::int64_t first = minute_of(now) - 60;
  if (!begun_) {
    // Times never go back, so the first event of the hour is found by halving.
    std::uint64_t low = 0, high = 0;
    const auto last = campaign.read([&](const State& state) { high = state.sequence(); });
    if (!last) return last;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      const auto one = TRY(campaign.events(middle, 1));
      const bool before = !one.empty() && minute_of(one.front().time) < first;
      (before ? low : high) = before ? middle + 1 : middle;
    }
    read_ = low;
    begun_ = true;
  }
  while (true) {
    const auto events = TRY(campaign.events(read_, kEventsAtOnce));
    for (const Happened& one : events) {
      read_ = one.sequence;
      if (std::holds_alternative<Answered>(one.event)) ++labels_[minute_of(one.time)];
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
