// The pair with the largest index (policy/pair_policy.hpp).
//
// `Search` finds the best item for a worker: ItemSearch or MulticlassItemSearch.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "allot/policy/pair_policy.hpp"
#include "policy/teams.hpp"

namespace allot::policy {

/// The gain of a label per price: one number to compare pairs by.
///
/// A gain is divided by the price. A loss, which some indices expect, is multiplied by it: of two
/// equal losses the more expensive is the worse. The number grows with the index, falls with the
/// price, and is the index itself where the price is 1. Expects a price of at least 1.
inline double gain_per_price(double index, double price) {
  return index >= 0 ? index / price : index * price;
}

/// The least index whose gain per price is at least `threshold`, to the last bit. Bisects among all
/// doubles, which have the order of their bits apart from the sign.
inline double least_index(double threshold, double price) {
  if (price == 1) return threshold;
  constexpr double kMost = std::numeric_limits<double>::infinity();
  constexpr std::int64_t kZero = std::numeric_limits<std::int64_t>::min();
  const auto place = [](double value) {
    const auto bits = std::bit_cast<std::int64_t>(value);
    return bits >= 0 ? bits : kZero - bits;
  };
  const auto value = [](std::int64_t at) {
    return std::bit_cast<double>(at >= 0 ? at : kZero - at);
  };
  std::int64_t below = place(-kMost), least = place(kMost);
  while (below + 1 < least) {
    const std::int64_t middle = std::midpoint(below, least);
    (gain_per_price(value(middle), price) >= threshold ? least : below) = middle;
  }
  return value(least);
}

template <typename Search>
class PairIndexChooser final : public PairChooser {
 public:
  /// `Crowd` is BinaryCrowd or MulticlassCrowd.
  template <typename Crowd, typename Index>
  PairIndexChooser(const Crowd& crowd, const Offers& offers, const Index& index, TieBreak ties)
      : offers_(offers),
        ties_(ties),
        prices_count_(index.is_gain),
        crowd_(crowd),
        search_(crowd, offers, index) {}

  std::optional<Pair> choose(Rng& rng) override {
    if (!teams_) form_teams();
    const double threshold = tie_threshold(find_best());
    if (threshold == kNobody) return {};
    if (ties_ == TieBreak::first) return first_pair(threshold);
    const WorkerId worker{break_tie(tied_workers(threshold), ties_, rng)};
    const std::uint32_t from = start(rng);
    return Pair{first_at_least(alone(worker), threshold, from).value(), worker};
  }

  std::optional<ItemId> choose(WorkerId worker, Rng& rng) override {
    if (offers_.left(worker) == 0) return {};
    const std::uint32_t from = ties_ == TieBreak::first ? 0 : start(rng);
    return search_.first_of_the_best(alone(worker), from);
  }

  void refresh(const Pair& asked, bool all) override {
    if (all) {
      search_.refresh_all();
      if (teams_) form_teams();
      return;
    }
    search_.refresh(asked);
    if (!teams_) return;
    leave_team(asked.worker);
    update_teams(asked.item);
  }

  void exclude(ItemId item) override {
    search_.exclude(item);
    if (teams_) form_teams();  // workers have other numbers of items left
  }

  void exclude(WorkerId worker) override {
    if (teams_) leave_team(worker);
  }

  void update(ItemId item) override {
    search_.update(item);
    if (teams_) update_teams(item);
  }

  void grow() override {
    search_.grow();
    if (teams_) form_teams();
  }

  double value(const Pair& pair) const override {
    return gain_per_price(search_.value(pair), price(pair.worker));
  }

 private:
  using Team = std::span<const std::uint32_t>;
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();
  static constexpr double kNobody = -std::numeric_limits<double>::infinity();

  /// The best item of a team as far as it is known, in gain per price.
  struct Waiting {
    double bound = kUnknown;  // upper bound of its value
    bool exact = false;       // whether `bound` is its value, and `item` has it
    ItemId item{};
  };

  void form_teams() {
    teams_.emplace(crowd_, offers_);
    waiting_.assign(teams_->count(), {});
  }

  /// Updates all teams after the belief about the item, or whether it is open, has changed.
  void update_teams(ItemId item) {
    typename Search::ItemBounds bounds(search_, item);
    for (std::uint32_t team = 0; team < waiting_.size(); ++team) update(item, team, bounds);
  }

  std::uint32_t start(Rng& rng) const {
    return static_cast<std::uint32_t>(below(rng, offers_.item_count()));
  }

  Team alone(const WorkerId& worker) {
    alone_ = position(worker);
    return {&alone_, 1};
  }

  /// The price of a worker, which all members of a team share.
  double price(WorkerId worker) const { return prices_count_ ? offers_.relative_price(worker) : 1; }
  double price(Team team) const { return price(WorkerId{team.front()}); }

  std::optional<ItemId> first_at_least(Team team, double threshold, std::uint32_t from) {
    return search_.first_at_least(team, least_index(threshold, price(team)), from);
  }

  /// Updates one team after the belief about the item has changed, and that about workers has not.
  void update(ItemId item, std::uint32_t team, typename Search::ItemBounds& bounds) {
    Waiting& known = waiting_[team];
    const Team members = teams_->members(team);
    if (known.bound == kUnknown || members.empty()) return;
    const WorkerId any{members.front()};
    if (known.item == item) known.exact = false;
    const double bound = gain_per_price(bounds(any), price(any));
    if (bound <= known.bound || !search_.any_open(members, item)) return;
    const double value = gain_per_price(search_.value({item, any}), price(any));
    if (value > known.bound) known = {value, true, item};
  }

  /// Moves a worker whose state has changed to another team.
  void leave_team(WorkerId worker) {
    const std::uint32_t old = teams_->of(worker);
    teams_->move(worker);
    waiting_.resize(teams_->count());
    waiting_[teams_->of(worker)] = {};
    if (old == teams_->of(worker)) return;
    const Team left = teams_->members(old);
    if (left.empty()) {
      waiting_[old] = {kNobody, true, {}};
    } else if (waiting_[old].exact && !search_.any_open(left, waiting_[old].item)) {
      waiting_[old].exact = false;
    }
  }

  void search(std::uint32_t team) {
    const Team members = teams_->members(team);
    const auto best = search_.best(members);
    waiting_[team] = best ? Waiting{gain_per_price(best->value, price(members)), true, best->item}
                          : Waiting{kNobody, true, {}};
  }

  /// Searches until all teams that could be tied with the best are exact; returns the best value.
  double find_best() {
    double best = kNobody;
    for (std::uint32_t team = 0; team < waiting_.size(); ++team) {
      if (waiting_[team].bound == kUnknown) search(team);
      if (waiting_[team].exact) best = std::max(best, waiting_[team].bound);
    }
    while (true) {
      std::uint32_t next = teams_->count();
      for (std::uint32_t team = 0; team < waiting_.size(); ++team) {
        if (waiting_[team].exact || waiting_[team].bound < tie_threshold(best)) continue;
        if (next == teams_->count() || waiting_[team].bound > waiting_[next].bound) next = team;
      }
      if (next == teams_->count()) return best;
      search(next);
      best = std::max(best, waiting_[next].bound);
    }
  }

  /// Workers who have a tied item, in order.
  std::vector<std::uint32_t> tied_workers(double threshold) {
    std::vector<std::uint32_t> tied;
    for (std::uint32_t team = 0; team < waiting_.size(); ++team) {
      if (waiting_[team].bound < threshold) continue;
      for (const std::uint32_t worker : teams_->members(team)) {
        const bool has_it = offers_.is_open({waiting_[team].item, WorkerId{worker}}) ||
                            first_at_least(alone(WorkerId{worker}), threshold, 0);
        if (has_it) tied.push_back(worker);
      }
    }
    std::ranges::sort(tied);
    return tied;
  }

  Pair first_pair(double threshold) {
    Pair first{ItemId{offers_.item_count()}, WorkerId{0}};
    for (std::uint32_t team = 0; team < waiting_.size(); ++team) {
      if (waiting_[team].bound < threshold) continue;
      const Team members = teams_->members(team);
      const auto item = first_at_least(members, threshold, 0);
      if (!item || *item > first.item) continue;
      for (const std::uint32_t worker : members) {
        if (!offers_.is_open({*item, WorkerId{worker}})) continue;
        if (*item < first.item || worker < position(first.worker))
          first = {*item, WorkerId{worker}};
        break;
      }
    }
    return first;
  }

  const Offers& offers_;
  const TieBreak ties_;
  const bool prices_count_;
  const model::Crowd& crowd_;
  Search search_;
  std::optional<Teams> teams_;    // none until pairs are asked for
  std::vector<Waiting> waiting_;  // by team
  std::uint32_t alone_ = 0;
};

}  // namespace allot::policy
