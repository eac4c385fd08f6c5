#include "policy/multiclass_item_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "index/padded_table.hpp"

namespace allot::policy {

MulticlassItemSearch::MulticlassItemSearch(const model::MulticlassCrowd& crowd,
                                           const Offers& offers, index::MulticlassPairIndex index)
    : BestItemSearch(offers),
      crowd_(crowd),
      index_(std::move(index)),
      by_class_(index_.prepare && !crowd.has_soft_labels()),
      trees_(crowd.groups().group_count() + 1,
             StateTree(by_class_ ? crowd.class_count() : 0, index_.has_item_bounds
                                                                ? StateTree::WideLeaves::many
                                                                : StateTree::WideLeaves::few)),
      in_tree_(crowd.groups().group_count()),
      viewed_(crowd.groups().group_count()),
      table_memory_(std::size_t{crowd.class_count()} * crowd.class_count()),
      slope_(crowd.class_count()),
      by_slope_(crowd.class_count()) {
  std::iota(by_slope_.begin(), by_slope_.end(), 0U);
  refresh_all();
}

index::MulticlassItemView MulticlassItemSearch::view(ItemId item) const {
  return {crowd_[item], crowd_.has_soft_labels(), offers_.labels(item)};
}

MulticlassStateView MulticlassItemSearch::state_of(ItemId item) const {
  MulticlassStateView state{view(item)};
  for (std::uint32_t group = 1; group <= viewed_.size(); ++group) {
    if (crowd_.groups().has_view(group, item)) state.single = position(item) + 1;
  }
  return state;
}

const MulticlassItemSearch::Prepared& MulticlassItemSearch::prepared(WorkerId worker) const {
  if (prepared_.size() < offers_.worker_count()) prepared_.resize(offers_.worker_count());
  Prepared& known = prepared_[position(worker)];
  if (known.is_ready) return known;
  known.is_ready = true;
  if (by_class_) known.index = index_.prepare(crowd_[worker]);
  if (index_.reach) known.reach = index_.reach(crowd_[worker]);
  if (index_.reach && crowd_.groups().group_of(worker) != 0) {
    known.own_reach = index_.reach(crowd_.groups().own(worker));
    if (by_class_) known.own_index = index_.prepare(crowd_.groups().own(worker));
  }
  return known;
}

double MulticlassItemSearch::value(const index::MulticlassItemView& item, WorkerId worker) const {
  return quantised(by_class_ ? prepared(worker).index->value(item.classes)
                             : index_.value(item, crowd_[worker]));
}

double MulticlassItemSearch::value(const Pair& pair) const {
  if (!is_viewed(pair.item, pair.worker)) return value(view(pair.item), pair.worker);
  return quantised(
      index_.value(view(pair.item), crowd_.table(pair.item, pair.worker, table_memory_)));
}

double MulticlassItemSearch::potential_of(const index::MulticlassItemView& item) const {
  return with_slack(index_.potential(item));
}

double MulticlassItemSearch::ItemBounds::operator()(WorkerId worker) {
  if (!potential_) {
    const auto slot =
        search_.offers_.is_recorded() ? std::nullopt : search_.slots_.slot_of(position(item_));
    potential_ =
        slot ? search_.trees_[0].potential(*slot) : search_.potential_of(search_.view(item_));
  }
  return search_.is_viewed(item_, worker) ? *potential_
                                          : search_.prepared(worker).reach * *potential_;
}

void MulticlassItemSearch::enter(std::uint32_t item) {
  if (offers_.is_finished(ItemId{item})) return;
  if (const auto used = slots_.insert(item, state_of(ItemId{item}))) {
    const double potential = potential_of(slots_[*used].state.view().item);
    trees_[0].enter(*used, potential, place());
    for (std::uint32_t group = 1; group < trees_.size(); ++group) {
      auto& has = in_tree_[group - 1];
      if (has.size() <= *used) has.resize(*used + 1);
      has[*used] = is_without_view(group, *used);
      if (has[*used]) trees_[group].enter(*used, potential, place());
    }
  }
  if (!viewed_.empty()) list_views(item, trees_[0].potential(*slots_.slot_of(item)));
}

void MulticlassItemSearch::list_views(std::uint32_t item, double potential) {
  for (std::uint32_t group = 1; group <= viewed_.size(); ++group) {
    if (!crowd_.groups().has_view(group, ItemId{item})) continue;
    const std::span<const double> shared = crowd_.groups().view(group, ItemId{item});
    const double by_view =
        index_.reach ? with_slack(index_.value(view(ItemId{item}), shared)) : potential;
    viewed_[group - 1].set({item, by_view, potential});
  }
}

void MulticlassItemSearch::leave(std::uint32_t item) {
  for (ViewedItems& list : viewed_) list.erase(item);
  const auto unused = slots_.erase(item);
  if (!unused) return;
  trees_[0].leave(*unused, place());
  for (std::size_t group = 1; group < trees_.size(); ++group) {
    if (in_tree_[group - 1][*unused]) trees_[group].leave(*unused, place());
  }
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
    return offers_.is_finished(ItemId{item}) ? std::nullopt : std::optional(state_of(ItemId{item}));
  };
  slots_.rebuild(offers_.item_count(), open_state,
                 [&](std::uint32_t slot) { used.push_back(slot); });
  trees_[0].rebuild(used, place(), [&](std::uint32_t slot) {
    return potential_of(slots_[slot].state.view().item);
  });
  for (std::uint32_t group = 1; group < trees_.size(); ++group) rebuild_group(group, used);
  if (viewed_.empty()) return;
  for (std::uint32_t item = 0; item < offers_.item_count(); ++item) {
    if (const auto slot = slots_.slot_of(item)) list_views(item, trees_[0].potential(*slot));
  }
}

void MulticlassItemSearch::rebuild_group(std::uint32_t group,
                                         const std::vector<std::uint32_t>& used) {
  auto& has = in_tree_[group - 1];
  has.clear();
  viewed_[group - 1].clear();
  std::vector<std::uint32_t> without;
  for (const std::uint32_t slot : used) {
    if (has.size() <= slot) has.resize(slot + 1);
    has[slot] = is_without_view(group, slot);
    if (has[slot]) without.push_back(slot);
  }
  trees_[group].rebuild(std::move(without), place(),
                        [&](std::uint32_t slot) { return trees_[0].potential(slot); });
}

double MulticlassItemSearch::find_bound(const StateTree& tree, index::WorkerIndex& worker,
                                        std::uint32_t node, double least) {
  const double offset = worker.bound(tree.low(node), tree.high(node), least, slope_);
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
double MulticlassItemSearch::most_in_box(const StateTree& tree, std::uint32_t node) const {
  const auto low = tree.low(node), high = tree.high(node);
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
/// `least`, which grows with the values that `visit` finds. Where single items have bounds, leaves
/// are looked at with the bound of their parent, because one of their own would cost more.
template <typename Visit>
void MulticlassItemSearch::walk(Team team, const double& least, Visit visit) {
  const WorkerId worker{team.front()};
  const Prepared& known = prepared(worker);
  const std::uint32_t group = crowd_.groups().group_of(worker);
  const StateTree& tree = trees_[group];
  double offset = 0;
  const auto can_reach = [&](std::span<const double> place) {
    return with_slack(offset + index::quick_product(place, slope_.data())) >= least &&
           with_slack(known.index->bound_at(place, least)) >= least;
  };
  const auto look = [&](std::uint32_t leaf) {
    const auto& candidates = tree.candidates(leaf);
    for (std::size_t n = 0; n < candidates.size(); ++n) {
      if (known.reach * tree.potential(leaf, n) < least) continue;
      if (by_class_ && !can_reach(tree.place(leaf, n))) continue;
      const auto& slot = slots_[candidates[n]];
      if (is_closed_single(slot, team)) continue;
      const double here = value(slot.state.view().item, worker);
      if (here >= least) visit(slot, here);
    }
  };
  const auto look_or_wait = [&](std::uint32_t node) {
    if (tree.is_empty(node)) return;
    double bound = known.reach * tree.most(node);
    if (bound < least) return;
    if (by_class_) bound = std::min(bound, with_slack(offset + most_in_box(tree, node)));
    if (bound < least) return;
    if (tree.is_leaf(node) && index_.has_item_bounds) return look(node);
    waiting_.push_back({bound, node});
    std::push_heap(waiting_.begin(), waiting_.end());
  };
  waiting_.assign(1, {std::numeric_limits<double>::infinity(), StateTree::kRoot});
  while (!waiting_.empty() && waiting_.front().bound >= least) {
    const std::uint32_t node = waiting_.front().node;
    std::pop_heap(waiting_.begin(), waiting_.end());
    waiting_.pop_back();
    if (by_class_ && !tree.is_empty(node)) offset = find_bound(tree, *known.index, node, least);
    if (offset == kNoValue) continue;
    if (tree.is_leaf(node)) {
      look(node);
    } else {
      look_or_wait(tree.left(node));
      look_or_wait(tree.right(node));
    }
  }
  if (group != 0) walk_viewed(team, least, visit);
}

/// The items with the largest bounds come first, so that few are evaluated.
template <typename Visit>
void MulticlassItemSearch::walk_viewed(Team team, const double& least, Visit visit) {
  const WorkerId worker{team.front()};
  const Prepared& known = prepared(worker);
  const double repeats = index_.reach ? crowd_.groups().repeats(worker) : 0;
  const ViewedItems& list = viewed_[crowd_.groups().group_of(worker) - 1];
  waiting_.clear();
  for (const auto& [item, by_view, potential] : list.entries()) {
    const double bound =
        with_slack(repeats * by_view + (1 - repeats) * known.own_reach * potential);
    if (bound >= least) waiting_.push_back({bound, item});
  }
  std::make_heap(waiting_.begin(), waiting_.end());
  while (!waiting_.empty() && waiting_.front().bound >= least) {
    const ItemId item{waiting_.front().node};
    std::pop_heap(waiting_.begin(), waiting_.end());
    waiting_.pop_back();
    const auto& slot = slots_[*slots_.slot_of(position(item))];
    if (is_closed_single(slot, team)) continue;
    if (known.own_index) {
      const double own = known.own_index->value(slot.state.classes);
      if (with_slack(repeats * list.of(position(item)).by_view + (1 - repeats) * own) < least)
        continue;
    }
    const double here = value({item, worker});
    if (here >= least) visit(slot, here);
  }
}

template <typename Visit>
void MulticlassItemSearch::each_open(WorkerId worker, std::uint32_t from, const double& least,
                                     Visit visit) {
  const double reach = prepared(worker).reach;
  each_recorded(worker, from, [&](ItemId item) {
    double& potential = item_potential_[position(item)];
    if (std::isnan(potential)) potential = potential_of(view(item));
    if ((is_viewed(item, worker) ? 1 : reach) * potential < least) return false;
    const double here = value({item, worker});
    return here >= least && visit(item, here);
  });
}

template class BestItemSearch<MulticlassItemSearch>;

}  // namespace allot::policy
