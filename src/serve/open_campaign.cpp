#include "serve/open_campaign.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace allot::serve {

using namespace campaign;

namespace {

/// Events per read of the ledger.
constexpr std::size_t kEventsAtOnce = 20'000;

std::optional<ItemId> item_of(const Event& event) {
  return std::visit(
      [](const auto& kind) -> std::optional<ItemId> {
        if constexpr (requires { kind.item; }) return kind.item;
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
    if (const auto* reviewed = std::get_if<Reviewed>(&entry.event)) {
      for (const Verdict& one : reviewed->verdicts) reviews_.emplace(position(one.item), read_);
    }
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
  const auto [first, last] = reviews_.equal_range(position(item));
  for (auto review = first; review != last; ++review) all.push_back(review->second);
  std::ranges::sort(all);
  if (all.size() > most) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most));
  return all;
}

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

OpenCampaign::OpenCampaign(const std::string& id, std::shared_ptr<store::Store> store,
                           std::unique_ptr<Campaign> campaign, AccuracyStore& accuracy)
    : store_(std::move(store)), campaign_(std::move(campaign)), accuracy_history_(accuracy, id) {}

OpenCampaign::~OpenCampaign() = default;

Result<std::uint64_t> OpenCampaign::sequence() const {
  return read([](const State& state) { return state.sequence(); });
}

void OpenCampaign::rest_if_idle() {
  constexpr int kRestAfter = 10;
  const auto last = sequence();
  if (!last) return;
  idle_calls_ = *last == seen_ ? idle_calls_ + 1 : 0;
  seen_ = *last;
  if (idle_calls_ == kRestAfter) store_->rest();
}

template <typename Value, typename Make>
Result<std::shared_ptr<const Value>> OpenCampaign::current(Cached<Value>& cached, Make make) {
  const std::uint64_t now = TRY(sequence());
  if (!cached.value || cached.sequence != now) {
    auto value = std::make_shared<const Value>(TRY(make()));
    cached = {now, std::move(value)};
  }
  return cached.value;
}

Result<std::shared_ptr<const std::vector<AnswerRow>>> OpenCampaign::answers() {
  return current(answers_, [&] { return view().answers(); });
}

Result<std::shared_ptr<const std::vector<WorkerRow>>> OpenCampaign::workers() {
  return current(workers_, [&] { return view().workers(); });
}

Result<std::shared_ptr<const Board>> OpenCampaign::board() {
  return current(board_, [&] { return view().board(); });
}

std::uint32_t OpenCampaign::count_revision(const std::string& worker, const std::string& item) {
  auto& [last, count] = revised_[worker];
  if (last != item) count = 0;
  last = item;
  return ++count;
}

}  // namespace allot::serve
