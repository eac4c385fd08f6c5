#include "policy/multiclass_item_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace allot::policy {

MulticlassItemSearch::MulticlassItemSearch(const model::MulticlassCrowd& crowd,
                                           const Offers& offers, index::MulticlassPairIndex index)
    : BestItemSearch(offers),
      crowd_(crowd),
      index_(std::move(index)),
      by_class_(index_.prepare && !crowd.has_soft_labels()),
      tree_(by_class_ ? crowd.class_count() : 0),
      slope_(crowd.class_count()),
      by_slope_(crowd.class_count()) {
  std::iota(by_slope_.begin(), by_slope_.end(), 0U);
  refresh_all();
}

index::MulticlassItemView MulticlassItemSearch::view(ItemId item) const {
  return {crowd_[item], crowd_.has_soft_labels(), offers_.labels(item)};
}

const MulticlassItemSearch::Prepared& MulticlassItemSearch::prepared(WorkerId worker) const {
  if (prepared_.size() < offers_.worker_count()) prepared_.resize(offers_.worker_count());
  Prepared& known = prepared_[position(worker)];
  if (known.is_ready) return known;
  known.is_ready = true;
  if (by_class_) known.index = index_.prepare(crowd_[worker]);
  if (index_.reach) known.reach = index_.reach(crowd_[worker]);
  return known;
}

double MulticlassItemSearch::value(const index::MulticlassItemView& item, WorkerId worker) const {
  return quantised(by_class_ ? prepared(worker).index->value(item.classes)
                             : index_.value(item, crowd_[worker]));
}

double MulticlassItemSearch::value(const Pair& pair) const {
  return value(view(pair.item), pair.worker);
}

double MulticlassItemSearch::potential_of(const index::MulticlassItemView& item) const {
  return with_slack(index_.potential(item));
}

double MulticlassItemSearch::ItemBounds::operator()(WorkerId worker) {
  if (!potential_) {
    const auto slot =
        search_.offers_.is_recorded() ? std::nullopt : search_.slots_.slot_of(position(item_));
    potential_ = slot ? search_.tree_.potential(*slot) : search_.potential_of(search_.view(item_));
  }
  return search_.prepared(worker).reach * *potential_;
}

void MulticlassItemSearch::enter(std::uint32_t item) {
  if (offers_.is_finished(ItemId{item})) return;
  if (const auto used = slots_.insert(item, view(ItemId{item}))) {
    tree_.enter(*used, potential_of(slots_[*used].state.view()), place());
  }
}

void MulticlassItemSearch::leave(std::uint32_t item) {
  if (const auto unused = slots_.erase(item)) tree_.leave(*unused, place());
}

void MulticlassItemSearch::refresh(const Pair& asked) {
  if (position(asked.worker) < prepared_.size()) prepared_[position(asked.worker)] = {};
  update(asked.item);
}

void MulticlassItemSearch::update(ItemId item) {
  if (offers_.is_recorded()) {
    item_potential_[position(item)] = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  leave(position(item));
  enter(position(item));
}

void MulticlassItemSearch::exclude(ItemId item) {
  if (!offers_.is_recorded()) leave(position(item));
}

void MulticlassItemSearch::grow() {
  prepared_.clear();
  while (slots_.item_count() < offers_.item_count()) {
    slots_.add_item();
    enter(slots_.item_count() - 1);
  }
}

void MulticlassItemSearch::refresh_all() {
  prepared_.clear();
  if (offers_.is_recorded()) {
    item_potential_.assign(offers_.item_count(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  std::vector<std::uint32_t> used;
  const auto open_state = [&](std::uint32_t item) {
    return offers_.is_finished(ItemId{item}) ? std::nullopt : std::optional(view(ItemId{item}));
  };
  slots_.rebuild(offers_.item_count(), open_state,
                 [&](std::uint32_t slot) { used.push_back(slot); });
  tree_.rebuild(std::move(used), place(),
                [&](std::uint32_t slot) { return potential_of(slots_[slot].state.view()); });
}

double MulticlassItemSearch::find_bound(index::WorkerIndex& worker, std::uint32_t node,
                                        double least) {
  const double offset = worker.bound(tree_.low(node), tree_.high(node), least, slope_);
  // By insertion, because the order is often nearly that of the node before.
  for (std::size_t i = 1; i < by_slope_.size(); ++i) {
    const std::uint32_t k = by_slope_[i];
    std::size_t at = i;
    for (; at > 0 && slope_[by_slope_[at - 1]] < slope_[k]; --at) by_slope_[at] = by_slope_[at - 1];
    by_slope_[at] = k;
  }
  return offset;
}

/// All classes have their least probability; the rest goes to the steepest ones.
double MulticlassItemSearch::most_in_box(std::uint32_t node) const {
  const auto low = tree_.low(node), high = tree_.high(node);
  double rest = 1, most = 0;
  for (std::size_t k = 0; k < low.size(); ++k) {
    rest -= low[k];
    most += slope_[k] * low[k];
  }
  for (const std::uint32_t k : by_slope_) {
    const double part = std::clamp(rest, 0.0, high[k] - low[k]);
    most += slope_[k] * part;
    rest -= part;
  }
  return most;
}

/// Best-first search: `waiting_` is a heap of nodes by their bounds. It ends when no bound reaches
/// `least`, which grows with the values that `visit` finds.
template <typename Visit>
void MulticlassItemSearch::walk(Team team, const double& least, Visit visit) {
  const WorkerId worker{team.front()};
  const Prepared& known = prepared(worker);
  double offset = 0;
  const auto wait = [&](std::uint32_t node) {
    if (tree_.is_empty(node)) return;
    double bound = known.reach * tree_.most(node);
    if (bound < least) return;
    if (by_class_) bound = std::min(bound, with_slack(offset + most_in_box(node)));
    if (bound < least) return;
    waiting_.push_back({bound, node});
    std::push_heap(waiting_.begin(), waiting_.end());
  };
  const auto look = [&](std::uint32_t number) {
    const auto& slot = slots_[number];
    if (known.reach * tree_.potential(number) < least) return;
    if (by_class_ && with_slack(std::inner_product(slope_.begin(), slope_.end(),
                                                   slot.state.classes.begin(), offset)) < least)
      return;
    if (is_closed_single(slot, team)) return;
    const double here = value(slot.state.view(), worker);
    if (here >= least) visit(slot, here);
  };
  waiting_.assign(1, {std::numeric_limits<double>::infinity(), StateTree::kRoot});
  while (!waiting_.empty() && waiting_.front().bound >= least) {
    const std::uint32_t node = waiting_.front().node;
    std::pop_heap(waiting_.begin(), waiting_.end());
    waiting_.pop_back();
    if (by_class_ && !tree_.is_empty(node)) offset = find_bound(*known.index, node, least);
    if (offset == kNoValue) continue;
    if (tree_.is_leaf(node)) {
      for (const std::uint32_t slot : tree_.candidates(node)) look(slot);
    } else {
      wait(tree_.left(node));
      wait(tree_.right(node));
    }
  }
}

template <typename Visit>
void MulticlassItemSearch::each_open(WorkerId worker, std::uint32_t from, const double& least,
                                     Visit visit) {
  const double reach = prepared(worker).reach;
  each_recorded(worker, from, [&](ItemId item) {
    double& potential = item_potential_[position(item)];
    if (std::isnan(potential)) potential = potential_of(view(item));
    if (reach * potential < least) return false;
    const double here = value({item, worker});
    return here >= least && visit(item, here);
  });
}

template class BestItemSearch<MulticlassItemSearch>;

}  // namespace allot::policy
