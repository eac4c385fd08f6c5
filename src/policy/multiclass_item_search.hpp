// The best multi-class item for a worker, or for any of a team of workers in the same state.
//
// Items are sorted by their potentials (index/multiclass_pair_index.hpp): the value of a perfect
// worker's label. A search goes down that order until a potential falls below the best value found.
// Where only recorded pairs can be asked, a worker's open items are looked at one by one. Items in
// the same state are seldom evaluated twice.
//
// Cost: a label moves one item, O(log K). A search evaluates the items whose potential exceeds the
// best value, O(C^2) each: all items if the worker is far from perfect. Memory: about 72 bytes per
// item.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "allot/index/multiclass_pair_index.hpp"
#include "allot/model/multiclass_crowd.hpp"
#include "allot/policy/offers.hpp"

namespace allot::policy {

class MulticlassItemSearch {
 public:
  /// The crowd and the offers must outlive the search.
  MulticlassItemSearch(const model::MulticlassCrowd& crowd, const Offers& offers,
                       index::MulticlassPairIndex index);

  struct Best {
    double value;
    ItemId item;  // one that has it
  };
  /// Workers in the same state (policy/teams.hpp). Not empty; in order.
  using Team = std::span<const std::uint32_t>;

  /// See ItemSearch for the following functions.
  std::optional<Best> best(Team team);
  std::optional<ItemId> first_at_least(Team team, double threshold, std::uint32_t from);
  std::optional<ItemId> first_of_the_best(Team team, std::uint32_t from);
  bool any_open(Team team, ItemId item) const;
  double value(const Pair& pair) const;
  void refresh(const Pair& asked);
  void refresh_all();
  void exclude(ItemId item);
  void update(ItemId item);
  void grow();

  /// Upper bounds of the values of one item, worker by worker: its potential.
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
  /// Calls visit(item, value) for the items open for the team whose value may reach `least`.
  /// `visit` can raise `least` meanwhile.
  template <typename Visit>
  void walk(Team team, const double& least, Visit visit) const;

  const model::MulticlassCrowd& crowd_;
  const Offers& offers_;
  const index::MulticlassPairIndex index_;
  std::vector<double> potential_;                        // by item
  std::set<std::pair<double, std::uint32_t>> in_order_;  // empty where pairs are recorded
};

}  // namespace allot::policy
