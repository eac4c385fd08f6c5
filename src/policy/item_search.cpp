#include "policy/item_search.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace allot::policy {
namespace {

/// Steps of the reliability from 1/2 to 1. Bounds are off by the square of a step, so that this
/// many leave about the same number of items in doubt however many there are.
std::uint32_t steps_for(std::uint32_t items) {
  return static_cast<std::uint32_t>(std::clamp(std::sqrt(items) / 4, 16.0, 128.0));
}

/// Labels to come that a worker is credited with: four equal shares of one label per item. A longer
/// horizon would spend the budget on learning about workers.
std::uint32_t most_left(const Offers& offers) {
  const double share = offers.worker_count() == 0
                           ? 0
                           : static_cast<double>(offers.item_count()) / offers.worker_count();
  return static_cast<std::uint32_t>(std::ceil(4 * share));
}

/// Cached values; more would not fit into the processor's cache.
constexpr std::uint64_t kMostKnown = 1 << 15;

std::size_t known_for(const Offers& offers) {
  return std::bit_ceil(std::clamp<std::uint64_t>(
      4 * std::uint64_t{offers.item_count()} * offers.worker_count(), 1, kMostKnown));
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

ItemSearch::ItemSearch(const model::BinaryCrowd& crowd, const Offers& offers,
                       index::PairIndex index)
    : BestItemSearch(offers),
      crowd_(crowd),
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
  const std::size_t hash = State::hash(state) + position(worker) * 0x9E3779B97F4A7C15U;
  Known& known = known_[hash & (known_.size() - 1)];
  if (known.time != changed_[position(worker)] || known.worker != worker ||
      !(known.state == state)) {
    known = {state, worker, changed_[position(worker)], computed_value(state, worker)};
  }
  return known.value;
}

/// Values that were cached before this time are not valid any more.
void ItemSearch::forget_values() { changed_.assign(offers_.worker_count(), ++time_); }

double ItemSearch::computed_value(const State& state, WorkerId worker) const {
  return quantised(index_.value({state.item, state.labels, crowd_[worker], offers_.labels(worker),
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

double ItemSearch::ItemBounds::operator()(WorkerId worker) {
  return search_.reach_[position(worker)].bound([&](std::uint32_t step) {
    if (std::isnan(by_step_[step])) by_step_[step] = search_.step_bound(state_, step);
    return by_step_[step];
  });
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
  if (offers_.is_finished(ItemId{item})) return;
  if (const auto used = slots_.insert(item, state_of(item))) add_to_tree(*used);
}

void ItemSearch::add_to_tree(std::uint32_t slot) {
  const State& state = slots_[slot].state;
  tree_.enter(slot, state.item);
  for (auto& [step, layer] : layers_) layer.set(slot, state.item, step_bound(state, step));
}

void ItemSearch::leave(std::uint32_t item) {
  const auto unused = slots_.erase(item);
  if (!unused) return;
  const model::ItemState& state = slots_[*unused].state.item;
  tree_.leave(*unused, state);
  for (auto& [step, layer] : layers_) layer.take_away(*unused, state);
}

void ItemSearch::refresh(const Pair& asked) {
  changed_[position(asked.worker)] = ++time_;
  reach_[position(asked.worker)] = reach_of(asked.worker);
  if (offers_.is_recorded()) {
    const auto row = static_cast<std::ptrdiff_t>(position(asked.item)) * (steps_ + 1);
    std::fill_n(item_bounds_.begin() + row, steps_ + 1, kUnknown);
  }
  update(asked.item);
}

void ItemSearch::exclude(ItemId item) {
  find_reaches();  // every worker has another number of items left
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
  // Reaches depend on the labels to come only through the worker bound.
  if (index_.worker_bound && most_left_ != before) find_reaches();
  while (reach_.size() < offers_.worker_count()) {
    reach_.push_back(reach_of(WorkerId{static_cast<std::uint32_t>(reach_.size())}));
  }
  while (slots_.item_count() < offers_.item_count()) {
    const std::uint32_t item = slots_.item_count();
    slots_.add_item();
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
  const auto open_state = [&](std::uint32_t item) {
    return offers_.is_finished(ItemId{item}) ? std::nullopt : std::optional(state_of(item));
  };
  slots_.rebuild(offers_.item_count(), open_state, [&](std::uint32_t slot) { add_to_tree(slot); });
}

const OddsTree::Layer& ItemSearch::layer(std::uint32_t step) {
  const auto known = layers_.find(step);
  if (known != layers_.end()) return known->second;
  const auto bound_of = [&](std::uint32_t slot) { return step_bound(slots_[slot].state, step); };
  return layers_.emplace(step, OddsTree::Layer(tree_, bound_of)).first->second;
}

/// Best-first search: `waiting_` is a heap of nodes by their bounds. It ends when no bound reaches
/// `least`, which grows with the values that `visit` finds.
///
/// Nodes with one child that is not empty are passed over: few of the odds occur, so paths of them
/// are long. With `ranged`, node_bound(node, range) gets the range of odds of the node. That of a
/// child is its parent's, cut in the middle, at a quarter of the cost of all ends of both children.
/// A single hard item is looked at without a bound: its value costs half as much.
template <typename NodeBound, typename SlotBound, typename Visit>
void ItemSearch::walk_by(bool ranged, NodeBound node_bound, SlotBound slot_bound,
                         const double& least, Visit visit) {
  const auto wait = [&](std::uint32_t child, const OddsTree::Range& childs_range) {
    if (tree_.is_empty(child)) return;
    const std::uint32_t node = tree_.lowest_of(child);
    if (by_odds_ && tree_.is_leaf(node) && tree_.candidates(node).size() == 1) {
      return visit(slots_[tree_.candidates(node).front()]);
    }
    const OddsTree::Range range = ranged && node != child ? tree_.range(node) : childs_range;
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
  const auto look = [&](const SlotTable<State>::Slot& slot) {
    if (is_closed_single(slot, team)) return;
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

double ItemSearch::item_bound(std::uint32_t item, const Reach& reach) {
  return reach.bound([&](std::uint32_t step) {
    double& bound = item_bounds_[std::size_t{item} * (steps_ + 1) + step];
    if (std::isnan(bound)) bound = step_bound(state_of(item), step);
    return bound;
  });
}

template <typename Visit>
void ItemSearch::each_open(WorkerId worker, std::uint32_t from, const double& least, Visit visit) {
  const Reach& reach = reach_[position(worker)];
  each_recorded(worker, from, [&](ItemId item) {
    if (item_bound(position(item), reach) < least) return false;
    const double here = value(state_of(position(item)), worker);
    return here >= least && visit(item, here);
  });
}

template class BestItemSearch<ItemSearch>;

}  // namespace allot::policy
