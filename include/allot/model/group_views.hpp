// The views that groups of workers share, item by item.
//
// Workers of a group err together: language models of one family, a team at one desk. A group g has
// a view s of item i, which depends on the class y of the item like the label of a worker,
//   Pr(s | y) = V_g(y, s).
// Member j repeats the view with probability r_j, and else speaks for themselves:
//   Pr(z | y, s) = r_j [z = s] + (1 - r_j) P_j(y, z).
// Given the classes, groups and workers outside them are independent. After labels of the group the
// view is believed with q(y, s) = Pr(s | y, labels), and the next label of a member is read through
//   T_ij(y, z) = r_j q(y, z) + (1 - r_j) P_j(y, z).
// The first label of a group has q = V_g, so it is read through a plain confusion table. A member
// who repeats a view that is known already adds little.
//
// Cost: O(C^2) per label or table of C classes; C^2 numbers per item and group that labelled it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/ids.hpp"

namespace allot::model {

/// Beliefs about the shared views of groups; empty if no worker belongs to a group.
class GroupViews {
 public:
  /// Views of `groups`, the group of each worker from 1 on, 0 for workers alone; workers beyond its
  /// end are alone too. Every view starts from tables of zeros until `set_group` is called.
  GroupViews(std::uint32_t classes, std::vector<std::uint32_t> groups);

  /// Number of groups; 0 if every worker is alone.
  std::uint32_t group_count() const { return group_count_; }
  /// Group of a worker, from 1 to group_count(); 0 for a worker alone.
  std::uint32_t group_of(WorkerId worker) const {
    return position(worker) < groups_.size() ? groups_[position(worker)] : 0;
  }
  /// Groups of the workers, as given.
  const std::vector<std::uint32_t>& groups() const { return groups_; }

  /// Whether a label of the group has changed the belief about its view of the item.
  bool has_view(std::uint32_t group, ItemId item) const { return place_of(group, item) != 0; }
  /// q(y, s) row by row: the belief about the group's view of the item.
  std::span<const double> view(std::uint32_t group, ItemId item) const;
  /// Chance that the member repeats the view of the group.
  double repeats(WorkerId worker) const { return repeats_[position(worker)]; }
  /// P_j(y, z) row by row: the labels of a member who speaks for themselves.
  std::span<const double> own(WorkerId worker) const {
    return {&own_[position(worker) * cells_], cells_};
  }
  /// Writes to `out` the table through which the next label of the member about the item is read.
  void write_table(WorkerId worker, ItemId item, std::span<double> out) const;
  /// Writes to `out` the table of the member about items that the group has not labelled.
  void write_table(WorkerId worker, std::span<double> out) const;

  /// Sets V_g, row by row.
  void set_group(std::uint32_t group, std::span<const double> table);
  /// Sets r_j of a member.
  void set_repeats(WorkerId worker, double repeats) { repeats_[position(worker)] = repeats; }
  /// P_j of a member, to be written.
  std::span<double> own(WorkerId worker) { return {&own_[position(worker) * cells_], cells_}; }
  /// Sets the belief about the group's view of an item.
  void set_view(std::uint32_t group, ItemId item, std::span<const double> view);
  /// Moves the belief about the view by a label of a member.
  void absorb(ItemId item, WorkerId worker, ClassId label);
  /// Forgets the views of an item, as if no group had labelled it.
  void forget(ItemId item);
  /// Forgets all views.
  void forget_all();

  /// Writes all that changes with labels, for `load` in an object made with the same groups.
  void save(ByteWriter& to) const;
  /// Replaces the beliefs by saved ones.
  void load(ByteReader& from);

 private:
  std::uint32_t place_of(std::uint32_t group, ItemId item) const {
    const auto& places = places_[group - 1];
    return position(item) < places.size() ? places[position(item)] : 0;
  }
  std::span<double> new_view(std::uint32_t group, ItemId item);

  std::size_t classes_, cells_;
  std::vector<std::uint32_t> groups_;  // by worker
  std::uint32_t group_count_ = 0;
  std::vector<double> repeats_, own_;               // by worker
  std::vector<double> tables_;                      // V_g by group
  std::vector<std::vector<std::uint32_t>> places_;  // by group and item: 1 + place in `views_`
  std::vector<double> views_;
  std::vector<std::uint32_t> free_;  // places of forgotten views
};

/// Moves a view q(y, s) by a label that repeats it with probability `repeats`, and comes from
/// `own`, a chance per true class, else. Writes the chance of the label under each class.
void absorb_into_view(std::span<double> view, double repeats, std::span<const double> own,
                      std::uint32_t label, std::span<double> chance);

}  // namespace allot::model
