// Beliefs about multi-class items and their workers, stored as flat arrays of numbers.
//
// The base class of all multi-class crowds. It reads everything that a Crowd is asked about beliefs
// from the arrays; a derived class says how labels change them.
//
// A worker is a confusion table: a row per true class with the chances of the labels. With one coin
// the table has one number, the reliability rho; all wrong labels are equally likely. The labels of
// workers who err together are read through a table that also depends on the item (GroupViews).
#pragma once

#include <span>
#include <vector>

#include "allot/model/crowd.hpp"
#include "allot/model/group_views.hpp"

namespace allot::model {

/// Base class of multi-class crowds: C numbers per item, a C x C confusion table per worker.
class MulticlassCrowd : public Crowd {
 public:
  std::uint32_t item_count() const final {
    return static_cast<std::uint32_t>(items_.size() / classes_);
  }
  std::uint32_t worker_count() const final {
    return static_cast<std::uint32_t>(tables_.size() / classes_ / classes_);
  }
  std::uint32_t class_count() const final { return classes_; }
  bool has_soft_labels() const final { return soft_; }

  /// Dirichlet pseudo-counts of the item's soft label, or the probabilities of its classes.
  std::span<const double> operator[](ItemId item) const {
    return {&items_[std::size_t{position(item)} * classes_], classes_};
  }
  /// Mean of the worker's confusion table, one row of label chances per true class; of a member of
  /// a group, the table for items that the group has not labelled.
  std::span<const double> operator[](WorkerId worker) const {
    return {&tables_[std::size_t{position(worker)} * classes_ * classes_],
            std::size_t{classes_} * classes_};
  }

  /// The worker's table for this item: (*this)[worker], unless the worker's group has labelled the
  /// item. It is then written to `memory`, which has C x C places.
  std::span<const double> table(ItemId item, WorkerId worker, std::span<double> memory) const {
    const std::uint32_t group = groups_.group_of(worker);
    if (group == 0 || !groups_.has_view(group, item)) return (*this)[worker];
    groups_.write_table(worker, item, memory);
    return memory;
  }
  /// Groups of workers who err together, and their views of items.
  const GroupViews& groups() const { return groups_; }

  double error(ItemId item) const final;
  using Crowd::probabilities;
  void probabilities(ItemId item, std::span<double> out) const final;
  void likelihood(WorkerId worker, ClassId label, std::span<double> out) const final;
  double outcome(ItemId item, WorkerId worker, ClassId label, std::span<double> out) const final;
  Reliability reliability(WorkerId worker, std::uint32_t labels) const final;
  const MulticlassCrowd* multiclass() const final { return this; }

 protected:
  /// Crowd without items and workers; `soft` if items have soft labels.
  MulticlassCrowd(std::uint32_t classes, bool soft, std::vector<std::uint32_t> groups = {})
      : classes_(classes), soft_(soft), groups_(classes, std::move(groups)) {}

  std::uint32_t classes_;      ///< number of classes, C
  bool soft_;                  ///< whether items have soft labels
  std::vector<double> items_,  ///< C pseudo-counts or probabilities per item
      tables_;                 ///< C x C mean label chances per worker, row by row
  GroupViews groups_;          ///< no groups if every worker is alone
};

}  // namespace allot::model
