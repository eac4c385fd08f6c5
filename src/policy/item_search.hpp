// The best item for a worker, or for any of a team of workers in the same state, found without
// looking at all items.
//
// Binary items (ItemSearch) in the same state share a slot (slot_table). A tree holds the slots by
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
//
// Multi-class items (MulticlassItemSearch) are sorted by their potentials
// (index/multiclass_pair_index.hpp): the value of a perfect worker's label. A search goes down that
// order until a potential falls below the best value found. Where only recorded pairs can be asked,
// a worker's open items are looked at one by one. Items in the same state are seldom evaluated
// twice. Cost: a label moves one item, O(log K). A search evaluates the items whose potential
// exceeds the best value, O(C^2) each: all items if the worker is far from perfect.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "allot/index/multiclass_pair_index.hpp"
#include "allot/index/pair_index.hpp"
#include "allot/model/binary_crowd.hpp"
#include "allot/model/multiclass_crowd.hpp"
#include "allot/policy/offers.hpp"
#include "policy/odds_tree.hpp"
#include "policy/slot_table.hpp"

namespace allot::policy {

/// What both searches share. The crowd and the offers must outlive a search. Each has
///   best(team)                     the largest quantised value among the items open for any of the
///                                  team, and an item that has it; nothing if none is open;
///   first_at_least(team, x, from)  the first item open for any of the team whose value is at least
///                                  x, counted from `from` to the end and then from the start;
///   first_of_the_best(team, from)  the first item, counted so, whose value is tied with the best;
///   value(pair)                    the quantised value of a pair;
///   ItemBounds(search, item)       upper bounds of the values of one item, worker by worker.
/// Must be called before the next search: refresh(pair) after a label, refresh_all() after a refit,
/// exclude(item) after an item was excluded, update(item) after one was withheld or restored,
/// grow() after items or workers were added.
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
  explicit OpenItemSearch(const Offers& offers) : offers_(offers) {}
  std::uint32_t distance(std::uint32_t item, std::uint32_t from) const {
    return item >= from ? item - from : item + offers_.item_count() - from;
  }

  const Offers& offers_;
};

class ItemSearch : public OpenItemSearch {
  using State = SlotTable::State;
  using Slot = SlotTable::Slot;

 public:
  ItemSearch(const model::BinaryCrowd& crowd, const Offers& offers, index::PairIndex index);

  std::optional<Best> best(Team team);
  std::optional<ItemId> first_at_least(Team team, double threshold, std::uint32_t from);
  std::optional<ItemId> first_of_the_best(Team team, std::uint32_t from);
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
  /// The first open item of the team in the slot, counted from `from`; item_count() if none.
  std::uint32_t first_open_of(const Slot& slot, Team team, std::uint32_t from) const;
  /// Calls visit(slot, value) for the slots whose value for the team's workers is at least `least`.
  /// `visit` can raise `least` meanwhile.
  template <typename Visit>
  void walk(Team team, const double& least, Visit visit);
  template <typename NodeBound, typename SlotBound, typename Visit>
  void walk_by(bool ranged, NodeBound node_bound, SlotBound slot_bound, const double& least,
               Visit visit);
  double item_bound(std::uint32_t item, const Reach& reach);
  /// Calls visit(item, value) for the open items of a worker whose value is at least `least`, from
  /// `from` to the end and then from the start, until it returns true. `visit` can raise `least`.
  template <typename Visit>
  void each_open(WorkerId worker, std::uint32_t from, const double& least, Visit visit);
  std::uint32_t next_open_of(const Slot& slot, Team team, std::uint32_t from) const;

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
  SlotTable slots_;
  bool by_odds_ = false;  // whether all items are hard ones, and the index has a hard_bound
  OddsTree tree_;
  std::map<std::uint32_t, OddsTree::Layer> layers_;  // by step, those in use
  std::vector<Waiting> waiting_;                     // nodes of a walk, a heap
};

class MulticlassItemSearch : public OpenItemSearch {
 public:
  MulticlassItemSearch(const model::MulticlassCrowd& crowd, const Offers& offers,
                       index::MulticlassPairIndex index);

  std::optional<Best> best(Team team);
  std::optional<ItemId> first_at_least(Team team, double threshold, std::uint32_t from);
  std::optional<ItemId> first_of_the_best(Team team, std::uint32_t from);
  double value(const Pair& pair) const;
  void refresh(const Pair& asked) { update(asked.item); }
  void refresh_all();
  void exclude(ItemId item);
  void update(ItemId item);
  void grow();

  class ItemBounds {
   public:
    ItemBounds(const MulticlassItemSearch& search, ItemId item)
        : potential_(search.potential_[position(item)]) {}
    double operator()(WorkerId) const { return potential_; }

   private:
    const double potential_;
  };

 private:
  index::MulticlassItemView view(ItemId item) const;
  double potential_of(ItemId item) const;
  bool is_listed(ItemId item) const;
  /// Calls visit(item, value) for the open items whose value may reach `least`, which can rise.
  template <typename Visit>
  void walk(Team team, const double& least, Visit visit) const;

  const model::MulticlassCrowd& crowd_;
  const index::MulticlassPairIndex index_;
  std::vector<double> potential_;                        // by item
  std::set<std::pair<double, std::uint32_t>> in_order_;  // empty where pairs are recorded
};

}  // namespace allot::policy
