#include "policy/item_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "allot/policy/ties.hpp"

namespace allot::policy {
namespace {

/// Steps of the reliability from 1/2 to 1. More make tighter bounds, and more trees to keep: dear
/// where there are many items.
std::size_t steps_for(std::uint32_t items) {
  return std::clamp<std::size_t>(12'800'000 / std::max(items, 1U), 16, 128);
}

/// Labels to come that a worker is credited with: four equal shares of one label an item. A longer
/// horizon would spend the budget on learning about workers.
std::uint32_t most_left(const Offers& offers) {
  const double share = offers.worker_count() == 0
                           ? 0
                           : static_cast<double>(offers.item_count()) / offers.worker_count();
  return static_cast<std::uint32_t>(std::ceil(4 * share));
}

/// Clear of rounding errors.
double with_slack(double bound) { return bound + 1e-9 * std::abs(bound); }

}  // namespace

std::size_t ItemSearch::StateHash::operator()(const State& state) const {
  std::uint64_t hash = state.labels;
  for (const double part : {state.item.shape.a, state.item.shape.b}) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 29;
  }
  return hash;
}

ItemSearch::ItemSearch(const model::Crowd& crowd, const Offers& offers, index::PairIndex index)
    : crowd_(crowd),
      offers_(offers),
      index_(std::move(index)),
      cells_(steps_for(offers.item_count())),
      most_left_(most_left(offers)) {
  refresh_all();
}

/// The first step that is not below the worker's.
std::size_t ItemSearch::cell_of(const model::Channel& channel) const {
  const auto cells = static_cast<double>(cells_);
  const double steps = (model::dominating_reliability(channel) - 0.5) * 2 * cells;
  return static_cast<std::size_t>(std::ceil(std::min(steps, cells)));
}

double ItemSearch::reliability_of(std::size_t cell) const {
  return 0.5 + 0.5 * static_cast<double>(cell) / static_cast<double>(cells_);
}

ItemSearch::State ItemSearch::state_of(std::uint32_t item) const {
  return {crowd_[ItemId{item}], offers_.labels(ItemId{item})};
}

double ItemSearch::value(const State& state, WorkerId worker) const {
  return steady(index_.value({state.item, state.labels, crowd_[worker], offers_.labels(worker),
                              std::min(offers_.left(worker) - 1, most_left_)}));
}

double ItemSearch::value(const Pair& pair) const {
  return value(state_of(position(pair.item)), pair.worker);
}

double ItemSearch::cell_bound(const State& state, std::size_t cell) const {
  return with_slack(index_.bound(state.item, state.labels, reliability_of(cell)));
}

ItemSearch::ItemBounds::ItemBounds(const ItemSearch& search, ItemId item)
    : search_(search),
      state_(search.state_of(position(item))),
      by_cell_(search.cells_ + 1, std::numeric_limits<double>::quiet_NaN()) {}

double ItemSearch::ItemBounds::operator()(WorkerId worker) {
  const auto [cell, extra] = search_.reach_[position(worker)];
  if (std::isnan(by_cell_[cell])) by_cell_[cell] = search_.cell_bound(state_, cell);
  return by_cell_[cell] + extra;
}

ItemSearch::Reach ItemSearch::reach_of(WorkerId worker) const {
  const model::WorkerState& state = crowd_[worker];
  return {cell_of(state.mean),
          index_.worker_bound
              ? with_slack(index_.worker_bound(state, std::min(offers_.left(worker), most_left_)))
              : 0};
}

void ItemSearch::enter(std::uint32_t item) {
  const State state = state_of(item);
  auto [known, is_new] = slot_of_state_.try_emplace(state, 0);
  if (is_new) {
    if (free_slots_.empty()) {
      free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    known->second = free_slots_.back();
    free_slots_.pop_back();
    slots_[known->second].state = state;
    for (auto& [cell, tree] : trees_) tree.set(known->second, cell_bound(state, cell));
  }
  Slot& slot = slots_[known->second];
  slot.items.insert(slot.items.end(), item);
  slot_of_item_[item] = known->second;
}

void ItemSearch::leave(std::uint32_t item) {
  const std::uint32_t place = slot_of_item_[item];
  Slot& slot = slots_[place];
  slot.items.erase(item);
  if (!slot.items.empty()) return;
  slot_of_state_.erase(slot.state);
  free_slots_.push_back(place);
  for (auto& [cell, tree] : trees_) tree.set(place, BoundTree::kNothing);
}

void ItemSearch::refresh(const Pair& asked) {
  reach_[position(asked.worker)] = reach_of(asked.worker);
  if (offers_.is_recorded()) return;
  leave(position(asked.item));
  enter(position(asked.item));
}

void ItemSearch::refresh_all() {
  reach_.clear();
  for (std::uint32_t j = 0; j < offers_.worker_count(); ++j)
    reach_.push_back(reach_of(WorkerId{j}));
  if (offers_.is_recorded()) return;
  slots_.clear();
  free_slots_.clear();
  slot_of_state_.clear();
  trees_.clear();
  slot_of_item_.assign(offers_.item_count(), 0);
  for (std::uint32_t i = 0; i < offers_.item_count(); ++i) enter(i);
}

const BoundTree& ItemSearch::tree(std::size_t cell) {
  const auto [place, is_new] = trees_.try_emplace(cell);
  if (is_new) {
    for (const auto& [state, slot] : slot_of_state_)
      place->second.set(slot, cell_bound(state, cell));
  }
  return place->second;
}

template <typename Visit>
void ItemSearch::walk(WorkerId worker, const double& least, Visit visit) {
  const auto [cell, extra] = reach_[position(worker)];
  BoundTree::Walk walk(tree(cell));
  std::uint32_t slot = 0;
  double bound = 0;
  while (walk.next(least - extra, slot, bound)) visit(slots_[slot]);
}

bool ItemSearch::any_open(Team team, ItemId item) const {
  if (!offers_.is_recorded() && team.size() > offers_.closed(item)) return true;
  return std::ranges::any_of(team, [&](std::uint32_t worker) {
    return offers_.is_open({item, WorkerId{worker}});
  });
}

std::uint32_t ItemSearch::next_open_of(const Slot& slot, Team team, std::uint32_t from) const {
  for (auto item = slot.items.lower_bound(from); item != slot.items.end(); ++item) {
    if (any_open(team, ItemId{*item})) return *item;
  }
  return offers_.item_count();
}

template <typename Visit>
void ItemSearch::each_open(WorkerId worker, Visit visit) const {
  // Many items stand where others do, those without labels above all.
  struct Known {
    State state{};
    double value = std::numeric_limits<double>::quiet_NaN();
  };
  std::array<Known, 64> known;
  for (std::uint32_t n = 0; n < offers_.left(worker); ++n) {
    const ItemId item = offers_.open_item(worker, n);
    const State state = state_of(position(item));
    Known& place = known[StateHash{}(state) % known.size()];
    if (std::isnan(place.value) || !(place.state == state)) place = {state, value(state, worker)};
    visit(item, place.value);
  }
}

std::optional<ItemSearch::Best> ItemSearch::best(Team team) {
  const WorkerId worker{team.front()};
  if (offers_.left(worker) == 0) return {};
  Best best{BoundTree::kNothing, ItemId{0}};
  if (offers_.is_recorded()) {
    each_open(worker, [&](ItemId item, double here) {
      if (here > best.value) best = {here, item};
    });
    return best;
  }
  walk(worker, best.value, [&](const Slot& slot) {
    // A slot of one item is looked up sooner than its value.
    if (slot.items.size() == 1 && next_open_of(slot, team, 0) == offers_.item_count()) return;
    const double here = value(slot.state, worker);
    if (here <= best.value) return;
    const std::uint32_t item = next_open_of(slot, team, 0);
    if (item < offers_.item_count()) best = {here, ItemId{item}};
  });
  return best;
}

std::optional<ItemId> ItemSearch::first_at_least(Team team, double threshold, std::uint32_t from) {
  const WorkerId worker{team.front()};
  const std::uint32_t items = offers_.item_count();
  std::uint32_t found = items;
  const auto consider = [&](std::uint32_t item) {
    if (item < items && (found == items || distance(item, from) < distance(found, from))) {
      found = item;
    }
  };
  if (offers_.is_recorded()) {
    each_open(worker, [&](ItemId item, double here) {
      if (here >= threshold) consider(position(item));
    });
  } else {
    walk(worker, threshold, [&](const Slot& slot) {
      if (slot.items.size() == 1 && next_open_of(slot, team, 0) == items) return;
      if (value(slot.state, worker) < threshold) return;
      consider(next_open_of(slot, team, from));
      consider(next_open_of(slot, team, 0));
    });
  }
  return found == items ? std::nullopt : std::optional(ItemId{found});
}

}  // namespace allot::policy
