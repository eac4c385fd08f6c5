// The states that a handful of items can reach with a few labels, numbered without gaps.
//
// An item that started from a given belief is described by the labels it got since: its type. Items
// that started alike are interchangeable, so a state keeps the sorted types of each such group;
// where a belief is symmetric, a type and its mirror image are one. A layer is the set of states
// with t labels in total; its states are ordered like words, and the number of a state is the
// number of smaller words, summed from a table of counts. Eight items with 24 labels under the
// uniform prior have 263,873 states instead of 6.3e10.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/model/belief.hpp"

namespace allot::policy {

/// Labels that an item got since the start, and the numbers that follow from them.
struct ItemType {
  model::Counts counts;  // all labels, those before the start included
  std::uint32_t labels;  // since the start
  std::uint32_t after_positive;
  std::uint32_t after_negative;
  double chance_positive;
  double confidence;       // h(P)
  double expected_reward;  // R
};

/// The symmetries by which states are the same.
struct Sharing {
  /// Whether items that started alike are interchangeable; they are not under the tie rule `first`.
  bool items = true;
  /// Whether labels can be swapped where a belief is symmetric; not if an index tells them apart.
  bool labels = true;
};

class StateSpace {
 public:
  /// The types of the items, position by position; items of one group are sorted.
  using State = std::vector<std::uint32_t>;

  /// Refuses a problem whose states do not fit a table of 512 MiB.
  static Result<StateSpace> create(const model::Beliefs& start, std::uint64_t budget,
                                   Sharing sharing);

  std::uint32_t item_count() const { return static_cast<std::uint32_t>(group_of_.size()); }
  std::uint64_t budget() const { return budget_; }
  /// Number of states with t labels; saturates at 2^62.
  std::uint64_t size(std::uint64_t t) const { return count(0, t, 0); }

  std::uint32_t group_count() const { return static_cast<std::uint32_t>(groups_.size()); }
  std::uint32_t group_of(std::uint32_t place) const { return group_of_[place]; }
  bool continues_group(std::uint32_t place) const {
    return place > 0 && group_of_[place] == group_of_[place - 1];
  }
  const model::Prior& prior(std::uint32_t group) const { return groups_[group].prior; }
  std::span<const ItemType> types(std::uint32_t group) const { return groups_[group].types; }
  const ItemType& type(std::uint32_t place, const State& state) const {
    return groups_[group_of_[place]].types[state[place]];
  }

  /// The number of a state within its layer of t labels. Cost: O(items).
  std::uint64_t rank(const State& state, std::uint64_t t) const;
  /// The number, in layer t + 1, of the state after the item at `place` changed to `type`.
  std::uint64_t rank_after(const State& state, std::uint64_t t, std::uint32_t place,
                           std::uint32_t type) const;
  /// The state with these labels of the items, and where each item stands in it.
  State state_of(std::span<const model::Counts> counts, std::vector<std::uint32_t>& place_of) const;

  /// The first state of layer t, and the next in order of ranks; false after the last.
  State first(std::uint64_t t) const;
  bool next(State& state) const;

 private:
  struct Group {
    model::Prior prior;
    model::Counts start;
    bool mirrored;  // a type and its mirror image are one
    std::vector<ItemType> types;
    std::vector<std::uint32_t> first_with;  // first_with[m]: the first type with m labels
  };

  StateSpace() = default;
  static Result<void> check_table(const std::vector<Group>& groups, std::uint32_t items,
                                  std::uint64_t budget);
  void add_types(Group& group) const;
  void count_states();
  static std::uint32_t type_of(const Group& group, model::Counts since_start);
  /// Ways to fill the places from `place` on with t labels, the first with `type` or later.
  std::uint64_t count(std::uint32_t place, std::uint64_t t, std::uint32_t type) const {
    return ways_[(place * (budget_ + 1) + t) * stride_ + type];
  }
  void fill(State& state, std::uint32_t place, std::uint64_t t) const;

  std::uint64_t budget_ = 0;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> group_of_;
  std::vector<ItemId> item_at_;
  std::uint64_t stride_ = 0;
  std::vector<std::uint64_t> ways_;
};

}  // namespace allot::policy
