// The best item for a given worker, or for any of a team of workers in the same state, found
// without looking at all items.
//
// Items in the same state share a slot: an index cannot tell them apart. For a worker, slots are
// walked in descending order of a bound that holds for all workers of at most some reliability, one
// of some steps from 1/2 to 1, each with a tree of its own; the walk ends where the next bound
// falls below the best value found. Where only recorded pairs may be asked, a worker's open items
// are few and are looked at one by one.
//
// Cost: a label changes one slot, O(log K) steps for every tree in use; a search evaluates the
// slots whose bound exceeds the best value: few while many items share a state, up to all of them
// once a campaign has made its items about equally worth asking. Memory: about 200 bytes an item
// and 16 to 32 for every tree in use.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "allot/index/pair_index.hpp"
#include "allot/model/crowd.hpp"
#include "allot/policy/offers.hpp"
#include "policy/bound_tree.hpp"

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
  ItemSearch(const model::Crowd& crowd, const Offers& offers, index::PairIndex index);

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
    std::vector<double> by_cell_;
  };

  /// To be called after a label, before the next search; and after a refit.
  void refresh(const Pair& asked);
  void refresh_all();

 private:
  struct StateHash {
    std::size_t operator()(const State& state) const;
  };
  /// What bounds for a worker are made of.
  struct Reach {
    std::size_t cell;
    double extra;
  };
  struct Slot {
    State state;
    std::set<std::uint32_t> items;
  };

  State state_of(std::uint32_t item) const;
  double value(const State& state, WorkerId worker) const;
  Reach reach_of(WorkerId worker) const;
  void enter(std::uint32_t item);
  void leave(std::uint32_t item);
  double cell_bound(const State& state, std::size_t cell) const;
  const BoundTree& tree(std::size_t cell);
  /// Calls visit(slot) for slots whose bound for the worker reaches `least`, which may grow.
  template <typename Visit>
  void walk(WorkerId worker, const double& least, Visit visit);
  /// Calls visit(item, value) for the open items of a worker, in order.
  template <typename Visit>
  void each_open(WorkerId worker, Visit visit) const;
  std::uint32_t next_open_of(const Slot& slot, Team team, std::uint32_t from) const;
  std::size_t cell_of(const model::Channel& channel) const;
  double reliability_of(std::size_t cell) const;
  std::uint32_t distance(std::uint32_t item, std::uint32_t from) const {
    return item >= from ? item - from : item + offers_.item_count() - from;
  }

  const model::Crowd& crowd_;
  const Offers& offers_;
  const index::PairIndex index_;
  const std::size_t cells_;
  const std::uint32_t most_left_;
  std::vector<Reach> reach_;  // by worker
  std::vector<std::uint32_t> slot_of_item_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::unordered_map<State, std::uint32_t, StateHash> slot_of_state_;
  std::map<std::size_t, BoundTree> trees_;  // by cell, those in use
};

}  // namespace allot::policy
