// The best item for a given worker, or for any of a team of workers in the same state, found
// without looking at all items.
//
// Items in the same state share a slot: an index cannot tell them apart. Slots stand in a tree by
// their odds (odds_tree), which is searched from the root, the node of the largest bound first,
// until no bound reaches the best value found. Items that are positive or not differ in nothing but
// their odds, and the bound of a node is that of the index between two odds for this very worker.
// Soft labels have two numbers, and bounds at some steps of the reliability from 1/2 to 1, a layer
// of the tree for each; between two steps a bound lies below the chord, in a scale in which it is
// convex, which is off by the square of a step. Where only recorded pairs may be asked, a worker's
// open items are few: their bounds, kept until the item changes, are looked at one by one.
//
// Values are kept until the worker changes: a label changes one item and one worker, so that most
// pairs that bounds cannot rule out have the value they had before.
//
// Cost: a label changes one slot, O(log K) steps for every layer in use; a refit one step an item
// and O(log K) a slot; a search looks at O(log K)
// nodes, times the number of places in which the best could be. Memory: about 180 bytes an item
// and 12 for every layer in use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "allot/index/pair_index.hpp"
#include "allot/model/binary_crowd.hpp"
#include "allot/policy/offers.hpp"
#include "policy/odds_tree.hpp"

namespace allot::policy {

class ItemSearch {
  /// All that an index may look at in an item.
  struct State {
    model::ItemState item;
    std::uint32_t labels;

    bool operator==(const State&) const = default;
  };

 public:
  /// The crowd and the offers must outlive the search.
  ItemSearch(const model::BinaryCrowd& crowd, const Offers& offers, index::PairIndex index);

  struct Best {
    double value;
    ItemId item;  // one that has it
  };
  /// Workers of whom the same is believed and who gave as many labels and have as many left. Not
  /// empty; in order.
  using Team = std::span<const std::uint32_t>;

  /// The largest steady value among the items open for any of the team; nothing if none is open.
  std::optional<Best> best(Team team);

  /// The first item open for any of the team, at or after `from` and round from the start, whose
  /// value is at least `threshold`; nothing if there is none.
  std::optional<ItemId> first_at_least(Team team, double threshold, std::uint32_t from);

  /// The first item, counted in the same way, whose value is tied with the best; nothing if none is
  /// open.
  std::optional<ItemId> first_of_the_best(Team team, std::uint32_t from);

  /// Whether any of the team may be asked about the item.
  bool any_open(Team team, ItemId item) const;

  /// The steady value of a pair.
  double value(const Pair& pair) const;

  /// Numbers not below the values of one item, worker by worker.
  class ItemBounds {
   public:
    ItemBounds(const ItemSearch& search, ItemId item);
    double operator()(WorkerId worker);

   private:
    const ItemSearch& search_;
    const State state_;
    double at(std::uint32_t step);

    std::vector<double> by_step_;
  };

  /// To be called after a label, before the next search; after a refit; and after an item was
  /// excluded from the offers.
  void refresh(const Pair& asked);
  void refresh_all();
  void exclude(ItemId item);
  /// After an item was withheld or restored; after items or workers were added.
  void update(ItemId item);
  void grow();

 private:
  struct StateHash {
    std::size_t operator()(const State& state) const;
  };
  /// What bounds for a worker are made of: the layers at the next lower and the next higher step,
  /// the weight of the higher, and what is to be added whatever the item.
  struct Reach {
    std::uint32_t lower, higher;
    double weight, extra;
  };
  struct Slot {
    State state;
    std::set<std::uint32_t> items;
  };
  /// A value that was computed, for a worker as of some time.
  struct Known {
    State state{};
    WorkerId worker{};
    std::uint64_t time = 0;
    double value = 0;
  };

  static constexpr std::uint32_t kNoSlot = UINT32_MAX;

  /// A node of the tree with items that may be the best.
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
  void enter(std::uint32_t item);
  void leave(std::uint32_t item);
  /// Where slot_of_state_ has the state, or would have it.
  std::size_t place_of(const State& state) const;
  std::uint32_t new_slot(const State& state);
  void file(std::uint32_t number);
  void file_or_merge(std::uint32_t number);
  std::vector<std::uint32_t> move_slots();
  void free_slot(std::uint32_t number);
  double reliability_at(std::uint32_t step) const;
  double step_bound(const State& state, std::uint32_t step) const;
  const OddsTree::Layer& layer(std::uint32_t step);
  /// The first item of the team in the slot, in the order from `from`; item_count() if none.
  std::uint32_t first_open_of(const Slot& slot, Team team, std::uint32_t from) const;
  /// Calls visit(slot, value) for slots whose bound for the team's workers reaches `least`, which
  /// may grow, and that have an open item.
  template <typename Visit>
  void walk(Team team, const double& least, Visit visit);
  template <typename NodeBound, typename SlotBound, typename Visit>
  void walk_by(bool ranged, NodeBound node_bound, SlotBound slot_bound, const double& least,
               Visit visit);
  double item_bound(std::uint32_t item, const Reach& reach);
  /// Calls visit(item, value) for the open items of a worker whose value is at least `least`, which
  /// may grow, in order from `from` and round from the start, until it returns true.
  template <typename Visit>
  void each_open(WorkerId worker, std::uint32_t from, const double& least, Visit visit);
  std::uint32_t next_open_of(const Slot& slot, Team team, std::uint32_t from) const;
  std::uint32_t distance(std::uint32_t item, std::uint32_t from) const {
    return item >= from ? item - from : item + offers_.item_count() - from;
  }

  const model::BinaryCrowd& crowd_;
  const Offers& offers_;
  const index::PairIndex index_;
  std::uint32_t steps_;
  std::uint32_t most_left_;
  std::vector<Reach> reach_;            // by worker
  std::uint64_t time_ = 0;              // counts changes
  std::vector<std::uint64_t> changed_;  // when each worker last was
  mutable std::vector<Known> known_;    // by hash; a new value takes the place of an old one
  std::uint32_t made_for_;              // items, when the tree was made
  std::vector<double> item_bounds_;     // where pairs are recorded, by item and step, those known
  std::vector<std::uint32_t> slot_of_item_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  // Linear probing: a slot's number plus 1, or 0.
  std::vector<std::uint32_t> slot_of_state_ = std::vector<std::uint32_t>(64);
  std::uint32_t state_count_ = 0;
  bool by_odds_ = false;  // whether all items are positive or not, and the index has a hard_bound
  OddsTree tree_;
  std::map<std::uint32_t, OddsTree::Layer> layers_;  // by step, those in use
  std::vector<Waiting> waiting_;                     // nodes of a walk, a heap
};

}  // namespace allot::policy
