// The best multi-class item for a worker, or for any of a team of workers in the same state, found
// without looking at all items.
//
// Items in the same state share a slot (slot_table): all untouched items have one. A tree holds the
// slots by their class probabilities and potentials (state_tree). A search visits the node with the
// largest bound first, from the root on, until no bound reaches the best value found. The bounds
// (index/multiclass_pair_index.hpp):
//   items of one class  a linear function of the probabilities, made for this worker and the box
//                       around a node. Its largest value in the boxes of the children bounds them.
//                       Some indices also bound single items closely (bound_at).
//   all items           the largest potential below a node, times the share of it that the worker
//                       can reach. It is all there is for soft labels.
//   recorded pairs      a worker has few open items. They are looked at one by one, potential
//                       first, without the tree.
//
// Workers of a group read an item that the group has labelled through a table of its own. Such an
// item has a slot of its own. Members search a tree without it, and a list of such items
// (viewed_items), which takes two products per item.
//
// Cost: a label changes one slot, O(C log K) steps. A refit takes one step per item and O(C log K)
// per slot. A search visits O(log K) nodes, times the number of places where the best could be;
// a node or a slot takes O(C^2) steps, with soft labels a slot takes C + 1 win_outlooks. Memory:
// about 50 bytes per item, and per slot 200 bytes and 20 C. A group of workers has a
// tree more.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "allot/index/multiclass_pair_index.hpp"
#include "allot/model/multiclass_crowd.hpp"
#include "policy/open_item_search.hpp"
#include "policy/slot_table.hpp"
#include "policy/state_tree.hpp"
#include "policy/viewed_items.hpp"

namespace allot::policy {

class MulticlassItemSearch : public BestItemSearch<MulticlassItemSearch> {
  friend BestItemSearch;

 public:
  MulticlassItemSearch(const model::MulticlassCrowd& crowd, const Offers& offers,
                       index::MulticlassPairIndex index);

  double value(const Pair& pair) const;
  void refresh(const Pair& asked);
  void refresh_all();
  void exclude(ItemId item);
  void update(ItemId item);
  void grow();

  class ItemBounds {
   public:
    ItemBounds(const MulticlassItemSearch& search, ItemId item) : search_(search), item_(item) {}
    double operator()(WorkerId worker);

   private:
    const MulticlassItemSearch& search_;
    const ItemId item_;
    std::optional<double> potential_;
  };

 private:
  /// What is prepared for one worker, until they change.
  struct Prepared {
    bool is_ready = false;
    std::unique_ptr<index::WorkerIndex> index;  // none for soft labels
    double reach = 1;
    // Of the table of a member who speaks for themselves; no index unless it is convex.
    double own_reach = 1;
    std::unique_ptr<index::WorkerIndex> own_index = nullptr;
  };
  /// A node of the tree, or an item of a group's list, that may have the best.
  struct Waiting {
    double bound;
    std::uint32_t node;

    bool operator<(const Waiting& other) const {
      return bound != other.bound ? bound < other.bound : node < other.node;
    }
  };

  index::MulticlassItemView view(ItemId item) const;
  MulticlassStateView state_of(ItemId item) const;
  /// Whether a label of the worker about the item is read through a table for this item.
  bool is_viewed(ItemId item, WorkerId worker) const {
    const std::uint32_t group = crowd_.groups().group_of(worker);
    return group != 0 && crowd_.groups().has_view(group, item);
  }
  double value(const index::MulticlassItemView& item, WorkerId worker) const;
  double potential_of(const index::MulticlassItemView& item) const;
  const Prepared& prepared(WorkerId worker) const;
  /// The place of a slot in the tree.
  auto place() const {
    return
        [this](std::uint32_t slot) { return std::span<const double>(slots_[slot].state.classes); };
  }
  /// Puts the item into the slot of its state, unless it is finished; takes it out of its slot.
  void enter(std::uint32_t item);
  void leave(std::uint32_t item);
  /// Puts the item into the lists of the groups that have a view of it.
  void list_views(std::uint32_t item, double potential);
  /// Makes the tree of a group again, of these slots, and empties its list.
  void rebuild_group(std::uint32_t group, const std::vector<std::uint32_t>& used);
  /// Whether the tree of a group has the slot: the group has no view of its items.
  bool is_without_view(std::uint32_t group, std::uint32_t slot) const {
    const std::uint32_t single = slots_[slot].state.single;
    return single == 0 || !crowd_.groups().has_view(group, ItemId{single - 1});
  }
  /// Makes `slope_` and the returned offset the bound inside the box of a node, for values of at
  /// least `least`, and `by_slope_` the classes in descending order of slope.
  double find_bound(const StateTree& tree, index::WorkerIndex& worker, std::uint32_t node,
                    double least);
  /// The largest value of that linear function inside the box of a node.
  double most_in_box(const StateTree& tree, std::uint32_t node) const;
  /// Calls visit(slot, value) for the slots whose value for the team's workers is at least `least`.
  /// `visit` can raise `least` meanwhile.
  template <typename Visit>
  void walk(Team team, const double& least, Visit visit);
  /// The part of a walk over the items of which the worker's group has a view.
  template <typename Visit>
  void walk_viewed(Team team, const double& least, Visit visit);
  /// As best_recorded_by expects it.
  template <typename Visit>
  void each_open(WorkerId worker, std::uint32_t from, const double& least, Visit visit);

  const model::MulticlassCrowd& crowd_;
  const index::MulticlassPairIndex index_;
  const bool by_class_;                         // whether the index can be prepared for workers
  mutable std::vector<Prepared> prepared_;      // by worker
  mutable std::vector<double> item_potential_;  // of recorded pairs: by item, NaN if not known
  SlotTable<MulticlassState> slots_;
  std::vector<StateTree> trees_;              // of all slots, then by group of those without a view
  std::vector<std::vector<bool>> in_tree_;    // by group and slot: whether its tree has it
  std::vector<ViewedItems> viewed_;           // by group
  mutable std::vector<double> table_memory_;  // of one pair
  std::vector<Waiting> waiting_;              // nodes or items of a walk, a heap
  std::vector<double> slope_;                 // of a bound
  std::vector<std::uint32_t> by_slope_;       // classes
};

extern template class BestItemSearch<MulticlassItemSearch>;

}  // namespace allot::policy
