// What the searches for the best item share (policy/item_search.hpp, multiclass_item_search.hpp).
//
// The crowd and the offers must outlive a search. Each has
//   best(team)                     the largest quantised value among the items open for any of the
//                                  team, and an item that has it; nothing if none is open;
//   first_at_least(team, x, from)  the first item open for any of the team whose value is at least
//                                  x, counted from `from` to the end and then from the start;
//   first_of_the_best(team, from)  the first item, counted so, whose value is tied with the best;
//   value(pair)                    the quantised value of a pair;
//   ItemBounds(search, item)       upper bounds of the values of one item, worker by worker.
// Must be called before the next search: refresh(pair) after a label, refresh_all() after a refit,
// exclude(item) after an item was excluded, update(item) after one was withheld or restored,
// grow() after items or workers were added.
//
// A search brings a walk over slots of items in the same state. walk(least, visit) calls
// visit(slot, value) for the slots whose value is at least `least`, which visits can raise.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "allot/policy/offers.hpp"
#include "allot/policy/ties.hpp"

namespace allot::policy {

class OpenItemSearch {
 public:
  struct Best {
    double value;
    ItemId item;  // one that has it
  };
  /// Workers with equal beliefs, labels given and labels left. Not empty; in order.
  using Team = std::span<const std::uint32_t>;

  /// Whether any of the team may be asked about the item.
  bool any_open(Team team, ItemId item) const {
    if (offers_.is_withheld(item)) return false;
    if (!offers_.is_recorded() && team.size() > offers_.closed(item)) return true;
    return std::ranges::any_of(team, [&](std::uint32_t worker) {
      return offers_.is_open({item, WorkerId{worker}});
    });
  }

 protected:
  static constexpr double kNoValue = -std::numeric_limits<double>::infinity();

  explicit OpenItemSearch(const Offers& offers) : offers_(offers) {}

  /// A bound that rounding cannot break.
  static double with_slack(double bound) { return bound + 1e-9 * std::abs(bound); }

  std::uint32_t distance(std::uint32_t item, std::uint32_t from) const {
    return item >= from ? item - from : item + offers_.item_count() - from;
  }

  /// Whether the slot has one item, and that is not open: cheaper to see than its value.
  template <typename Slot>
  bool is_closed_single(const Slot& slot, Team team) const {
    return slot.items.size() == 1 && !any_open(team, ItemId{*slot.items.begin()});
  }
  /// The first open item of the team in the slot that is not before `from`; item_count() if none.
  template <typename Slot>
  std::uint32_t next_open_of(const Slot& slot, Team team, std::uint32_t from) const {
    for (auto item = slot.items.lower_bound(from); item != slot.items.end(); ++item) {
      if (any_open(team, ItemId{*item})) return *item;
    }
    return offers_.item_count();
  }
  /// The first open item of the team in the slot, counted from `from`; item_count() if none.
  template <typename Slot>
  std::uint32_t first_open_of(const Slot& slot, Team team, std::uint32_t from) const {
    const std::uint32_t item = next_open_of(slot, team, from);
    return item < offers_.item_count() || from == 0 ? item : next_open_of(slot, team, 0);
  }

  template <typename Walk>
  std::optional<Best> best_by(Team team, Walk walk) const {
    Best best{kNoValue, ItemId{0}};
    walk(best.value, [&](const auto& slot, double here) {
      if (here == best.value) return;
      const std::uint32_t item = next_open_of(slot, team, 0);
      if (item < offers_.item_count()) best = {here, ItemId{item}};
    });
    return best.value == kNoValue ? std::nullopt : std::optional(best);
  }

  template <typename Walk>
  std::optional<ItemId> first_at_least_by(Team team, double threshold, std::uint32_t from,
                                          Walk walk) const {
    std::optional<ItemId> found;
    walk(threshold, [&](const auto& slot, double) {
      const std::uint32_t item = first_open_of(slot, team, from);
      if (item == offers_.item_count()) return;
      if (!found || distance(item, from) < distance(position(*found), from)) found = ItemId{item};
    });
    return found;
  }

  template <typename Walk>
  std::optional<ItemId> first_of_the_best_by(Team team, std::uint32_t from, Walk walk) const {
    struct Found {
      double value;
      std::uint32_t item;
    };
    std::vector<Found> found;  // candidates that were tied with the best when they were met
    double best = kNoValue, least = best;
    walk(least, [&](const auto& slot, double here) {
      const std::uint32_t item = first_open_of(slot, team, from);
      if (item == offers_.item_count()) return;
      found.push_back({here, item});
      best = std::max(best, here);
      least = tie_threshold(best);
    });
    std::erase_if(found, [&](const Found& candidate) { return candidate.value < least; });
    if (found.empty()) return {};
    return ItemId{std::ranges::min_element(found, {}, [&](const Found& candidate) {
                    return distance(candidate.item, from);
                  })->item};
  }

  /// Recorded pairs: calls look(item) for the open items of a worker that are not withheld, from
  /// `from` to the end and then from the start, until it returns true.
  template <typename Look>
  void each_recorded(WorkerId worker, std::uint32_t from, Look look) const {
    const std::uint32_t left = offers_.left(worker);
    const auto all = std::views::iota(0U, left);
    const auto is_before = [&](std::uint32_t n) {
      return offers_.open_item(worker, n) < ItemId{from};
    };
    const auto start =
        static_cast<std::uint32_t>(std::ranges::partition_point(all, is_before) - all.begin());
    const auto stops_at = [&](std::uint32_t n) {
      const ItemId item = offers_.open_item(worker, n);
      return !offers_.is_withheld(item) && look(item);
    };
    for (std::uint32_t n = start; n < left; ++n) {
      if (stops_at(n)) return;
    }
    for (std::uint32_t n = 0; n < start; ++n) {
      if (stops_at(n)) return;
    }
  }

  /// each(from, least, visit) calls visit(item, value) for a worker's open items whose value is at
  /// least `least`, in the order of each_recorded, until it returns true.
  template <typename Each>
  static std::optional<Best> best_recorded_by(Each each) {
    Best best{kNoValue, ItemId{0}};
    each(0, best.value, [&](ItemId item, double here) {
      if (here > best.value) best = {here, item};
      return false;
    });
    return best.value == kNoValue ? std::nullopt : std::optional(best);
  }
  template <typename Each>
  static std::optional<ItemId> first_recorded_by(double threshold, std::uint32_t from, Each each) {
    std::optional<ItemId> found;
    each(from, threshold, [&](ItemId item, double) {
      found = item;
      return true;
    });
    return found;
  }

  const Offers& offers_;
};

/// The searches, by the walks of `Search`: walk(team, least, visit) over slots, and
/// each_open(worker, from, least, visit) over the open items of a worker where pairs are recorded.
template <typename Search>
class BestItemSearch : public OpenItemSearch {
 public:
  std::optional<Best> best(Team team);
  std::optional<ItemId> first_at_least(Team team, double threshold, std::uint32_t from);
  std::optional<ItemId> first_of_the_best(Team team, std::uint32_t from);

 protected:
  explicit BestItemSearch(const Offers& offers) : OpenItemSearch(offers) {}

 private:
  auto walk_of(Team team) {
    return [this, team](const double& least, auto visit) {
      static_cast<Search*>(this)->walk(team, least, visit);
    };
  }
  auto each_of(Team team) {
    return [this, worker = WorkerId{team.front()}](std::uint32_t from, const double& least,
                                                   auto visit) {
      static_cast<Search*>(this)->each_open(worker, from, least, visit);
    };
  }
};

template <typename Search>
std::optional<OpenItemSearch::Best> BestItemSearch<Search>::best(Team team) {
  if (offers_.left(WorkerId{team.front()}) == 0) return {};
  return offers_.is_recorded() ? best_recorded_by(each_of(team)) : best_by(team, walk_of(team));
}

template <typename Search>
std::optional<ItemId> BestItemSearch<Search>::first_at_least(Team team, double threshold,
                                                             std::uint32_t from) {
  return offers_.is_recorded() ? first_recorded_by(threshold, from, each_of(team))
                               : first_at_least_by(team, threshold, from, walk_of(team));
}

template <typename Search>
std::optional<ItemId> BestItemSearch<Search>::first_of_the_best(Team team, std::uint32_t from) {
  if (!offers_.is_recorded()) return first_of_the_best_by(team, from, walk_of(team));
  const auto most = best(team);
  return most ? first_at_least(team, tie_threshold(most->value), from) : std::nullopt;
}

}  // namespace allot::policy
