// The upper bound of a campaign: the accuracy that no policy exceeds with the remaining money.
#include <algorithm>
#include <array>

#include "allot/model/binary_crowd.hpp"
#include "allot/policy/roster_bound.hpp"
#include "campaign/core.hpp"

namespace allot::campaign {
namespace {

/// A draw knows which of its most reliable workers have labelled an item. It lets the others label
/// it again, which can only raise the bound.
constexpr std::size_t kBest = 3, kSets = std::size_t{1} << kBest;
/// Draws of the workers: so many that a price of money takes about kSteps steps (index/
/// label_sequence.hpp), fewer for many items.
constexpr std::size_t kSteps = 2000, kItemVisits = 480'000, kFewestDraws = 8, kMostDraws = 160;
/// Workers who are followed, those with most labels; no others count as having labelled anything.
constexpr std::size_t kMostFollowed = 64;

/// One draw of all workers, and the numbers of the best.
struct Crew {
  std::vector<double> reliabilities;
  std::vector<std::uint32_t> best;
};

Crew draw_crew(const model::BinaryCrowd& crowd, const std::vector<WorkerId>& workers, Rng& rng) {
  Crew crew;
  for (const WorkerId worker : workers) {
    const double drawn = policy::draw_label(policy::draw_channel(crowd[worker], rng), rng);
    crew.reliabilities.push_back(std::max(drawn, 1 - drawn));
  }
  std::vector<std::uint32_t> order(workers.size());
  for (std::uint32_t j = 0; j < order.size(); ++j) order[j] = j;
  const std::size_t count = std::min(kBest, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count),
                            std::ranges::greater(),
                            [&](std::uint32_t j) { return crew.reliabilities[j]; });
  crew.best.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  return crew;
}

/// One item: its place on the grid, and the followed workers who have labelled it, as bits.
struct OpenItem {
  index::OddsHistogram::Place place;
  std::uint64_t labelled = 0;
};

/// All items of a draw, by the best workers who have labelled them; `bits` are those of the
/// workers.
policy::RosterDraw rosters_of(const Crew& crew, const std::vector<std::size_t>& bits,
                              const std::vector<OpenItem>& items) {
  std::array<std::uint64_t, kBest> bit{};
  for (std::size_t n = 0; n < crew.best.size(); ++n) {
    const std::size_t place = bits[crew.best[n]];
    if (place < kMostFollowed) bit[n] = std::uint64_t{1} << place;
  }
  std::vector<index::OddsHistogram> histograms(kSets);
  for (const OpenItem& item : items) {
    std::size_t set = 0;
    for (std::size_t n = 0; n < kBest; ++n) {
      set |= static_cast<std::size_t>((item.labelled & bit[n]) != 0) << n;
    }
    histograms[set].add(item.place, 1);
  }
  policy::RosterDraw rosters;
  for (std::size_t set = 0; set < kSets; ++set) {
    if (histograms[set].weight() == 0) continue;
    policy::Roster roster{crew.reliabilities, std::move(histograms[set])};
    for (std::size_t n = 0; n < crew.best.size(); ++n) {
      if ((set >> n & 1) != 0) roster.reliabilities[crew.best[n]] = 0.5;
    }
    rosters.push_back(std::move(roster));
  }
  return rosters;
}

/// The bit of each worker, kMostFollowed for those without.
std::vector<std::size_t> bits_of(const State& state, const std::vector<WorkerId>& workers) {
  std::vector<std::uint32_t> order(workers.size());
  for (std::uint32_t n = 0; n < order.size(); ++n) order[n] = n;
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::uint32_t n) { return state[workers[n]].labels; });
  std::vector<std::size_t> bits(workers.size(), kMostFollowed);
  for (std::size_t n = 0; n < std::min(order.size(), kMostFollowed); ++n) bits[order[n]] = n;
  return bits;
}

/// All items without a known answer.
std::vector<OpenItem> open_items(const State& state, const std::vector<double>& odds,
                                 const std::vector<WorkerId>& workers,
                                 const std::vector<std::size_t>& bits) {
  std::vector<std::size_t> bit(state.worker_count(), kMostFollowed);
  for (std::size_t n = 0; n < workers.size(); ++n) bit[position(workers[n])] = bits[n];
  std::vector<OpenItem> items;
  for (std::uint32_t i = 0; i < state.item_count(); ++i) {
    if (state.items().known(ItemId{i})) continue;
    items.push_back({index::OddsHistogram::place(odds[i])});
    for (const Share& share : state.pairs().shares(ItemId{i})) {
      const std::size_t place = bit[position(share.worker)];
      const bool is_gone = share.status >= PairStatus::skipped;
      if (is_gone && place < kMostFollowed) items.back().labelled |= std::uint64_t{1} << place;
    }
  }
  return items;
}

}  // namespace

std::optional<double> Core::bound() {
  if (!state_.options().features.empty()) return {};  // a label also tells about other items
  const auto odds = log_odds(crowd());
  if (!odds) return {};
  std::vector<WorkerId> workers;
  std::vector<double> prices;
  for (std::uint32_t j = 0; j < state_.worker_count(); ++j) {
    const WorkerId worker{j};
    if (!state_.may_label(worker) && state_[worker].leases == 0) continue;
    workers.push_back(worker);
    prices.push_back(least_price(worker).value());
  }
  if (workers.empty() || std::ranges::min(prices) <= 0) return {};
  const std::vector<std::size_t> bits = bits_of(state_, workers);
  const std::vector<OpenItem> items = open_items(state_, *odds, workers, bits);
  if (items.empty()) return {};
  const std::size_t count =
      std::clamp(std::min(kSteps / (workers.size() + kBest * kSets), kItemVisits / items.size()),
                 kFewestDraws, kMostDraws);
  std::vector<policy::RosterDraw> draws;
  for (std::size_t n = 0; n < count; ++n) {
    // The same numbers at every event, so that the bound moves by what is learned alone.
    Rng rng(state_.options().seed, Rng::Purpose::reliability, n);
    draws.push_back(rosters_of(draw_crew(*crowd().binary(), workers, rng), bits, items));
  }
  const Money money = state_.account().left() + state_.account().reserved;
  const auto open = static_cast<double>(items.size());
  const double accuracy =
      policy::RosterBound(prices, draws).accuracy_for_budget(money.value() / open).accuracy;
  // Reviewed answers are right, and nothing is spent on them.
  const auto reviewed = static_cast<double>(state_.verdicts().count());
  return (accuracy * open + reviewed) / (open + reviewed);
}

}  // namespace allot::campaign
