// The best binary item for a worker, or for any of a team of workers in the same state, found
// without looking at all items.
//
// Items in the same state share a slot (slot_table). A tree holds the slots by
// their odds (odds_tree). A search visits the node with the largest bound first, from the root on,
// until no bound reaches the best value found. There are three kinds of bounds:
//   hard items      differ in their odds alone. The bound of a node is that of the index between
//                   two odds, for this very worker.
//   soft labels     have two numbers. Bounds are kept at steps of the reliability from 1/2 to 1,
//                   one layer of the tree per step. Between two steps the bound lies below the
//                   chord, in a scale in which it is convex; the chord is off by the square of a
//                   step.
//   recorded pairs  a worker has few open items. Their bounds, kept until the item changes, are
//                   looked at one by one, without the tree.
//
// Values are cached until the worker changes. A label changes one item and one worker, so most
// pairs that bounds cannot rule out have the value they had before. Cost: a label changes one slot,
// O(log K) steps per layer in use; a refit takes one step per item and O(log K) per slot. A search
// visits O(log K) nodes, times the number of places where the best could be. Memory: about 180
// bytes per item, and 12 per layer in use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "allot/index/pair_index.hpp"
#include "allot/model/binary_crowd.hpp"
#include "policy/odds_tree.hpp"
#include "policy/open_item_search.hpp"
#include "policy/slot_table.hpp"

namespace allot::policy {

class ItemSearch : public BestItemSearch<ItemSearch> {
  friend BestItemSearch;
  using State = BinaryState;

 public:
  ItemSearch(const model::BinaryCrowd& crowd, const Offers& offers, index::PairIndex index);

  double value(const Pair& pair) const;
  void refresh(const Pair& asked);
  void refresh_all();
  void exclude(ItemId item);
  void update(ItemId item);
  void grow();

  class ItemBounds {
   public:
    ItemBounds(const ItemSearch& search, ItemId item);
    double operator()(WorkerId worker);

   private:
    const ItemSearch& search_;
    const State state_;
    std::vector<double> by_step_;
  };

 private:
  /// The parts of the bounds for a worker: the layers at the next lower and the next higher step,
  /// the weight of the higher one, and a term that does not depend on the item.
  struct Reach {
    std::uint32_t lower, higher;
    double weight, extra;

    /// The bound from the bounds at steps.
    template <typename At>
    double bound(At at) const {
      const double low = at(lower);
      return low + weight * (at(higher) - low) + extra;
    }
  };
  /// A cached value. It is valid if the worker has not changed since `time`.
  struct Known {
    State state{};
    WorkerId worker{};
    std::uint64_t time = 0;
    double value = 0;
  };

  /// A node of the tree whose items may be the best.
  struct Waiting {
    double bound;
    std::uint32_t node;
    OddsTree::Range range;

    bool operator<(const Waiting& other) const {
      return bound != other.bound ? bound < other.bound : node < other.node;
    }
  };

  State state_of(std::uint32_t item) const;
  double value(const State& state, WorkerId worker) const;
  double computed_value(const State& state, WorkerId worker) const;
  void forget_values();
  std::uint32_t counted_left(WorkerId worker) const;
  Reach reach_of(WorkerId worker) const;
  void find_reaches();
  /// Puts the item into the slot of its state, unless it is finished; takes it out of its slot.
  void enter(std::uint32_t item);
  void leave(std::uint32_t item);
  /// Puts a slot that came into use into the tree and its layers.
  void add_to_tree(std::uint32_t slot);
  double reliability_at(std::uint32_t step) const;
  double step_bound(const State& state, std::uint32_t step) const;
  const OddsTree::Layer& layer(std::uint32_t step);
  /// Calls visit(slot, value) for the slots whose value for the team's workers is at least `least`.
  /// `visit` can raise `least` meanwhile.
  template <typename Visit>
  void walk(Team team, const double& least, Visit visit);
  template <typename NodeBound, typename SlotBound, typename Visit>
  void walk_by(bool ranged, NodeBound node_bound, SlotBound slot_bound, const double& least,
               Visit visit);
  double item_bound(std::uint32_t item, const Reach& reach);
  /// As best_recorded_by expects it.
  template <typename Visit>
  void each_open(WorkerId worker, std::uint32_t from, const double& least, Visit visit);

  const model::BinaryCrowd& crowd_;
  const index::PairIndex index_;
  std::uint32_t steps_;
  std::uint32_t most_left_;
  std::vector<Reach> reach_;            // by worker
  std::uint64_t time_ = 0;              // counts changes
  std::vector<std::uint64_t> changed_;  // by worker: the time of their last change
  mutable std::vector<Known> known_;    // by hash; a new value replaces an old one
  std::uint32_t made_for_;              // items that the tree and the steps were made for
  std::vector<double> item_bounds_;  // of recorded pairs: by item and step, kUnknown if not known
  SlotTable<State> slots_;
  bool by_odds_ = false;  // whether all items are hard ones, and the index has a hard_bound
  OddsTree tree_;
  std::map<std::uint32_t, OddsTree::Layer> layers_;  // by step, those in use
  std::vector<Waiting> waiting_;                     // nodes of a walk, a heap
};

extern template class BestItemSearch<ItemSearch>;

}  // namespace allot::policy
