#include "policy/item_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

#include "allot/policy/ties.hpp"

namespace allot::policy {
namespace {

/// Steps of the reliability from 1/2 to 1. Bounds are off by the square of a step, so this many
/// leave about as many items in doubt whatever their number; more would be too much memory.
std::uint32_t steps_for(std::uint32_t items) {
  return static_cast<std::uint32_t>(std::clamp(std::sqrt(items) / 4, 16.0, 128.0));
}

/// Labels to come that a worker is credited with: four equal shares of one label an item. A longer
/// horizon would spend the budget on learning about workers.
std::uint32_t most_left(const Offers& offers) {
  const double share = offers.worker_count() == 0
                           ? 0
                           : static_cast<double>(offers.item_count()) / offers.worker_count();
  return static_cast<std::uint32_t>(std::ceil(4 * share));
}

/// Values kept; more would leave the processor's cache.
constexpr std::uint64_t kMostKnown = 1 << 15;

std::size_t known_for(const Offers& offers) {
  return std::bit_ceil(std::clamp<std::uint64_t>(
      4 * std::uint64_t{offers.item_count()} * offers.worker_count(), 1, kMostKnown));
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

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

ItemSearch::ItemSearch(const model::BinaryCrowd& crowd, const Offers& offers,
                       index::PairIndex index)
    : crowd_(crowd),
      offers_(offers),
      index_(std::move(index)),
      steps_(index_.scale ? steps_for(offers.item_count()) : 1),
      most_left_(most_left(offers)),
      known_(known_for(offers)),
      made_for_(offers.item_count()),
      tree_(offers.is_recorded() ? 1 : offers.item_count()) {
  refresh_all();
}

ItemSearch::State ItemSearch::state_of(std::uint32_t item) const {
  return {crowd_[ItemId{item}], offers_.labels(ItemId{item})};
}

double ItemSearch::value(const State& state, WorkerId worker) const {
  const std::size_t hash = StateHash{}(state) + position(worker) * 0x9E3779B97F4A7C15U;
  Known& known = known_[hash & (known_.size() - 1)];
  if (known.time != changed_[position(worker)] || known.worker != worker ||
      !(known.state == state)) {
    known = {state, worker, changed_[position(worker)], computed_value(state, worker)};
  }
  return known.value;
}

void ItemSearch::forget_values() { changed_.assign(offers_.worker_count(), ++time_); }

double ItemSearch::computed_value(const State& state, WorkerId worker) const {
  return steady(index_.value({state.item, state.labels, crowd_[worker], offers_.labels(worker),
                              std::min(offers_.left(worker) - 1, most_left_)}));
}

/// Labels that the worker is credited with, this one included.
std::uint32_t ItemSearch::counted_left(WorkerId worker) const {
  return std::min(offers_.left(worker), most_left_);
}

double ItemSearch::value(const Pair& pair) const {
  return value(state_of(position(pair.item)), pair.worker);
}

double ItemSearch::reliability_at(std::uint32_t step) const { return 0.5 + 0.5 * step / steps_; }

double ItemSearch::step_bound(const State& state, std::uint32_t step) const {
  return with_slack(index_.bound(state.item, state.labels, reliability_at(step)));
}

ItemSearch::ItemBounds::ItemBounds(const ItemSearch& search, ItemId item)
    : search_(search),
      state_(search.state_of(position(item))),
      by_step_(search.steps_ + 1, kUnknown) {}

double ItemSearch::ItemBounds::at(std::uint32_t step) {
  if (std::isnan(by_step_[step])) by_step_[step] = search_.step_bound(state_, step);
  return by_step_[step];
}

double ItemSearch::ItemBounds::operator()(WorkerId worker) {
  const auto& [lower, higher, weight, extra] = search_.reach_[position(worker)];
  return at(lower) + weight * (at(higher) - at(lower)) + extra;
}

ItemSearch::Reach ItemSearch::reach_of(WorkerId worker) const {
  const double extra =
      index_.worker_bound
          ? with_slack(index_.worker_bound(crowd_[worker], counted_left(worker), 0, 1))
          : 0;
  if (!index_.scale) return {0, 0, 0, extra};
  const double reliability = std::min(1.0, model::dominating_reliability(crowd_[worker].mean));
  const auto lower = static_cast<std::uint32_t>((reliability - 0.5) * 2 * steps_);
  const double from = index_.scale(reliability_at(lower));
  const double here = index_.scale(reliability) - from;
  if (here <= 0) return {lower, lower, 0, extra};
  const double all = index_.scale(reliability_at(lower + 1)) - from;
  return {lower, lower + 1, std::min(1.0, here / all), extra};
}

void ItemSearch::find_reaches() {
  forget_values();
  reach_.clear();
  for (std::uint32_t j = 0; j < offers_.worker_count(); ++j)
    reach_.push_back(reach_of(WorkerId{j}));
}

void ItemSearch::enter(std::uint32_t item) {
  slot_of_item_[item] = kNoSlot;
  if (offers_.is_finished(ItemId{item})) return;
  const State state = state_of(item);
  const std::uint32_t known = slot_of_state_[place_of(state)];
  const std::uint32_t place = known > 0 ? known - 1 : new_slot(state);
  Slot& slot = slots_[place];
  slot.items.insert(slot.items.end(), item);
  slot_of_item_[item] = place;
}

std::size_t ItemSearch::place_of(const State& state) const {
  const std::size_t mask = slot_of_state_.size() - 1;
  std::size_t place = StateHash{}(state)&mask;
  while (slot_of_state_[place] != 0 && !(slots_[slot_of_state_[place] - 1].state == state)) {
    place = (place + 1) & mask;
  }
  return place;
}

std::uint32_t ItemSearch::new_slot(const State& state) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t number = free_slots_.back();
  free_slots_.pop_back();
  slots_[number].state = state;
  file(number);
  return number;
}

/// Lets a slot be found by its state and by its odds.
void ItemSearch::file(std::uint32_t number) {
  if (2 * (state_count_ + 1) > slot_of_state_.size()) {
    const std::vector<std::uint32_t> before =
        std::exchange(slot_of_state_, std::vector<std::uint32_t>(2 * slot_of_state_.size()));
    for (const std::uint32_t one : before) {
      if (one > 0) slot_of_state_[place_of(slots_[one - 1].state)] = one;
    }
  }
  const State& state = slots_[number].state;
  slot_of_state_[place_of(state)] = number + 1;
  ++state_count_;
  tree_.enter(number, state.item);
  for (auto& [step, layer] : layers_) layer.set(number, state.item, step_bound(state, step));
}

void ItemSearch::free_slot(std::uint32_t number) {
  const State& state = slots_[number].state;
  tree_.leave(number, state.item);
  for (auto& [step, layer] : layers_) layer.take_away(number, state.item);
  // Those behind it that would not be found across the hole move up.
  const std::size_t mask = slot_of_state_.size() - 1;
  std::size_t hole = place_of(state);
  for (std::size_t next = (hole + 1) & mask; slot_of_state_[next] != 0; next = (next + 1) & mask) {
    const std::size_t home = StateHash{}(slots_[slot_of_state_[next] - 1].state) & mask;
    if (((next - home) & mask) < ((next - hole) & mask)) continue;
    slot_of_state_[hole] = slot_of_state_[next];
    hole = next;
  }
  slot_of_state_[hole] = 0;
  --state_count_;
  free_slots_.push_back(number);
}

void ItemSearch::leave(std::uint32_t item) {
  const std::uint32_t place = slot_of_item_[item];
  if (place == kNoSlot) return;
  slot_of_item_[item] = kNoSlot;
  Slot& slot = slots_[place];
  slot.items.erase(item);
  if (slot.items.empty()) free_slot(place);
}

void ItemSearch::refresh(const Pair& asked) {
  changed_[position(asked.worker)] = ++time_;
  reach_[position(asked.worker)] = reach_of(asked.worker);
  if (offers_.is_recorded()) {
    const auto row = static_cast<std::ptrdiff_t>(position(asked.item)) * (steps_ + 1);
    std::fill_n(item_bounds_.begin() + row, steps_ + 1, kUnknown);
    return;
  }
  leave(position(asked.item));
  enter(position(asked.item));
}

void ItemSearch::exclude(ItemId item) {
  forget_values();  // all have other numbers of items left
  find_reaches();
  if (!offers_.is_recorded()) leave(position(item));
}

void ItemSearch::update(ItemId item) {
  if (offers_.is_recorded()) return;
  leave(position(item));
  enter(position(item));
}

void ItemSearch::grow() {
  forget_values();
  if (known_.size() < known_for(offers_)) known_.assign(known_for(offers_), {});
  const std::uint32_t before = most_left_;
  most_left_ = most_left(offers_);
  if (offers_.item_count() > 2 * made_for_) {
    made_for_ = offers_.item_count();
    steps_ = index_.scale ? steps_for(made_for_) : 1;
    tree_ = OddsTree(made_for_);
    refresh_all();
    return;
  }
  // Only what is learned about workers depends on how many labels they will give.
  if (index_.worker_bound && most_left_ != before) find_reaches();
  while (reach_.size() < offers_.worker_count()) {
    reach_.push_back(reach_of(WorkerId{static_cast<std::uint32_t>(reach_.size())}));
  }
  while (slot_of_item_.size() < offers_.item_count()) {
    const auto item = static_cast<std::uint32_t>(slot_of_item_.size());
    slot_of_item_.push_back(kNoSlot);
    by_odds_ = by_odds_ && !crowd_[ItemId{item}].soft;
    enter(item);
  }
}

void ItemSearch::refresh_all() {
  find_reaches();
  if (offers_.is_recorded()) {
    item_bounds_.assign(std::size_t{offers_.item_count()} * (steps_ + 1), kUnknown);
    return;
  }
  by_odds_ = index_.hard_bound && std::ranges::none_of(crowd_.items(), &model::ItemState::soft);
  layers_.clear();
  tree_.clear();
  std::ranges::fill(slot_of_state_, 0);
  state_count_ = 0;
  free_slots_.clear();
  slots_.reserve(offers_.item_count());
  slot_of_item_.resize(offers_.item_count(), kNoSlot);
  const std::vector<std::uint32_t> moving = move_slots();
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) file_or_merge(slot);
  for (const std::uint32_t item : moving) enter(item);
}

/// Most items that were in the same state still are, in another one: their slot takes it over.
/// Returns the items that must find another slot.
std::vector<std::uint32_t> ItemSearch::move_slots() {
  std::vector<std::uint32_t> moving;
  std::vector<bool> moved(slots_.size());
  for (std::uint32_t item = 0; item < offers_.item_count(); ++item) {
    const std::uint32_t place = slot_of_item_[item];
    if (place != kNoSlot && !offers_.is_finished(ItemId{item})) {
      const State state = state_of(item);
      if (!moved[place]) slots_[place].state = state;
      moved[place] = true;
      if (slots_[place].state == state) continue;
    }
    if (place != kNoSlot) slots_[place].items.erase(item);
    moving.push_back(item);
  }
  return moving;
}

/// A slot whose state another one has too gives its items to that one.
void ItemSearch::file_or_merge(std::uint32_t number) {
  Slot& slot = slots_[number];
  if (slot.items.empty()) {
    free_slots_.push_back(number);
    return;
  }
  const std::uint32_t known = slot_of_state_[place_of(slot.state)];
  if (known == 0) {
    file(number);
    return;
  }
  for (const std::uint32_t item : slot.items) slot_of_item_[item] = known - 1;
  slots_[known - 1].items.merge(slot.items);
  free_slots_.push_back(number);
}

const OddsTree::Layer& ItemSearch::layer(std::uint32_t step) {
  const auto known = layers_.find(step);
  if (known != layers_.end()) return known->second;
  const auto bound_of = [&](std::uint32_t slot) { return step_bound(slots_[slot].state, step); };
  return layers_.emplace(step, OddsTree::Layer(tree_, bound_of)).first->second;
}

/// With `ranged`, node_bound(node, range) gets the range of the node: that of the one above it, cut
/// in the middle, which costs a quarter of working out both ends of both halves.
template <typename NodeBound, typename SlotBound, typename Visit>
void ItemSearch::walk_by(bool ranged, NodeBound node_bound, SlotBound slot_bound,
                         const double& least, Visit visit) {
  const auto wait = [&](std::uint32_t node, const OddsTree::Range& range) {
    if (tree_.is_empty(node)) return;
    const double bound = node_bound(node, range);
    if (bound < least) return;
    waiting_.push_back({bound, node, range});
    std::push_heap(waiting_.begin(), waiting_.end());
  };
  waiting_.clear();
  wait(OddsTree::kRoot, ranged ? tree_.range(OddsTree::kRoot) : OddsTree::Range());
  while (!waiting_.empty() && waiting_.front().bound >= least) {
    const auto [bound, node, range] = waiting_.front();
    std::pop_heap(waiting_.begin(), waiting_.end());
    waiting_.pop_back();
    if (!tree_.is_leaf(node)) {
      const model::ItemState middle = ranged ? tree_.middle(node) : model::ItemState();
      wait(2 * node, {range.low, middle});
      wait(2 * node + 1, {middle, range.high});
      continue;
    }
    for (const std::uint32_t slot : tree_.candidates(node)) {
      if (slot_bound(slot) >= least) visit(slots_[slot]);
    }
  }
}

template <typename Visit>
void ItemSearch::walk(Team team, const double& least, Visit visit) {
  const WorkerId worker{team.front()};
  const model::WorkerState& state = crowd_[worker];
  const std::uint32_t left = counted_left(worker);
  const auto extra = [&](const OddsTree::Range& range) {
    return with_slack(index_.worker_bound(state, left, range.low.mean(), range.high.mean()));
  };
  const auto look = [&](const Slot& slot) {
    // A slot of one item is looked up sooner than its value.
    if (slot.items.size() == 1 && !any_open(team, ItemId{*slot.items.begin()})) return;
    const double here = value(slot.state, worker);
    if (here >= least) visit(slot, here);
  };
  if (by_odds_) {
    walk_by(
        true,
        [&](std::uint32_t, const OddsTree::Range& range) {
          const double bound = with_slack(index_.hard_bound(range.low, range.high, state.mean));
          return index_.worker_bound ? bound + extra(range) : bound;
        },
        [](std::uint32_t) { return std::numeric_limits<double>::infinity(); }, least, look);
    return;
  }
  const Reach& reach = reach_[position(worker)];
  const OddsTree::Layer &lower = layer(reach.lower), &higher = layer(reach.higher);
  const auto between = [&](double low, double high) { return low + reach.weight * (high - low); };
  walk_by(
      index_.worker_bound != nullptr,
      [&](std::uint32_t node, const OddsTree::Range& range) {
        const double bound = between(lower.most(node), higher.most(node));
        return index_.worker_bound ? bound + extra(range) : bound;
      },
      [&](std::uint32_t slot) {
        const double bound = between(lower[slot], higher[slot]);
        if (!index_.worker_bound) return bound;
        const model::ItemState& item = slots_[slot].state.item;
        return bound + extra({item, item});
      },
      least, look);
}

bool ItemSearch::any_open(Team team, ItemId item) const {
  if (offers_.is_withheld(item)) return false;
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

std::uint32_t ItemSearch::first_open_of(const Slot& slot, Team team, std::uint32_t from) const {
  const std::uint32_t item = next_open_of(slot, team, from);
  return item < offers_.item_count() || from == 0 ? item : next_open_of(slot, team, 0);
}

double ItemSearch::item_bound(std::uint32_t item, const Reach& reach) {
  const auto at = [&](std::uint32_t step) {
    double& bound = item_bounds_[std::size_t{item} * (steps_ + 1) + step];
    if (std::isnan(bound)) bound = step_bound(state_of(item), step);
    return bound;
  };
  const double lower = at(reach.lower);
  return lower + reach.weight * (at(reach.higher) - lower) + reach.extra;
}

template <typename Visit>
void ItemSearch::each_open(WorkerId worker, std::uint32_t from, const double& least, Visit visit) {
  const Reach& reach = reach_[position(worker)];
  const auto look = [&](std::uint32_t n) {
    const ItemId item = offers_.open_item(worker, n);
    if (item_bound(position(item), reach) < least) return false;
    const double here = value(state_of(position(item)), worker);
    return here >= least && visit(item, here);
  };
  const std::uint32_t left = offers_.left(worker);
  const auto all = std::views::iota(0U, left);
  const auto is_before = [&](std::uint32_t n) {
    return offers_.open_item(worker, n) < ItemId{from};
  };
  const auto start =
      static_cast<std::uint32_t>(std::ranges::partition_point(all, is_before) - all.begin());
  for (std::uint32_t n = start; n < left; ++n) {
    if (look(n)) return;
  }
  for (std::uint32_t n = 0; n < start; ++n) {
    if (look(n)) return;
  }
}

std::optional<ItemSearch::Best> ItemSearch::best(Team team) {
  const WorkerId worker{team.front()};
  if (offers_.left(worker) == 0) return {};
  Best best{-std::numeric_limits<double>::infinity(), ItemId{0}};
  if (offers_.is_recorded()) {
    each_open(worker, 0, best.value, [&](ItemId item, double here) {
      if (here > best.value) best = {here, item};
      return false;
    });
    return best;
  }
  walk(team, best.value, [&](const Slot& slot, double here) {
    if (here == best.value) return;
    const std::uint32_t item = next_open_of(slot, team, 0);
    if (item < offers_.item_count()) best = {here, ItemId{item}};
  });
  return best;
}

std::optional<ItemId> ItemSearch::first_at_least(Team team, double threshold, std::uint32_t from) {
  std::optional<ItemId> found;
  if (offers_.is_recorded()) {
    each_open(WorkerId{team.front()}, from, threshold, [&](ItemId item, double) {
      found = item;
      return true;
    });
    return found;
  }
  walk(team, threshold, [&](const Slot& slot, double) {
    const std::uint32_t item = first_open_of(slot, team, from);
    if (item == offers_.item_count()) return;
    if (!found || distance(item, from) < distance(position(*found), from)) found = ItemId{item};
  });
  return found;
}

std::optional<ItemId> ItemSearch::first_of_the_best(Team team, std::uint32_t from) {
  if (offers_.is_recorded()) {
    const auto best = this->best(team);
    return best ? first_at_least(team, tie_threshold(best->value), from) : std::nullopt;
  }
  struct Found {
    double value;
    std::uint32_t item;
  };
  std::vector<Found> found;  // whatever was tied with the best so far
  double best = -std::numeric_limits<double>::infinity(), least = best;
  walk(team, least, [&](const Slot& slot, double here) {
    const std::uint32_t item = first_open_of(slot, team, from);
    if (item == offers_.item_count()) return;
    found.push_back({here, item});
    best = std::max(best, here);
    least = tie_threshold(best);
  });
  std::erase_if(found, [&](const Found& one) { return one.value < least; });
  if (found.empty()) return {};
  return ItemId{std::ranges::min_element(found, {}, [&](const Found& one) {
                  return distance(one.item, from);
                })->item};
}

}  // namespace allot::policy
