#include "serve/item_history.hpp"

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

Result<bool> ItemHistory::read_on(Campaign& campaign) {
  const auto events = TRY(campaign.view().events(read_, kEventsAtOnce));
  for (const LedgerEntry& entry : events) {
    read_ = entry.sequence;
    before_.resize(read_ + 1);
    const auto item = item_of(entry.event);
    if (!item) continue;
    if (last_.size() <= position(*item)) last_.resize(position(*item) + 1);
    before_[read_] = last_[position(*item)];
    last_[position(*item)] = static_cast<std::uint32_t>(read_);
  }
  return events.size() < kEventsAtOnce;
}

std::vector<std::uint64_t> ItemHistory::events_of(ItemId item, std::size_t most) const {
  std::vector<std::uint64_t> all;
  std::uint32_t at = position(item) < last_.size() ? last_[position(item)] : 0;
  for (; at != 0 && all.size() < most; at = before_[at]) all.push_back(at);
  std::ranges::reverse(all);
  return all;
}

}  // namespace allot::serve
