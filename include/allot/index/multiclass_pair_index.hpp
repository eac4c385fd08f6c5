// Indices of pairs for multi-class items: one number for asking a given worker about a given item.
//
// A label is read through the worker's confusion table. The indices are the knowledge-gradient
// family over the C possible rewards of a label [CLZ sec:multi, eq:opt_KG_worker], and the expected
// information gain. With two classes and one coin they equal those of index/pair_index.hpp.
//
// No label is worth more than a perfect worker's: no reward exceeds the probability that the answer
// is wrong, and no information the entropy of the answer. These potentials depend on the item
// alone. For items of one class there are sharper bounds for one worker and many items at once: a
// linear function of the class probabilities (WorkerIndex). A choice visits only items that can
// still win.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "allot/index/multiclass_reward.hpp"

namespace allot::index {

/// An item as an index sees it.
struct MulticlassItemView {
  /// Dirichlet pseudo-counts of soft labels, or probabilities of hard classes.
  std::span<const double> classes;
  /// True if `classes` holds pseudo-counts of soft labels.
  bool soft;
  std::uint32_t labels;  ///< received so far
};

/// The reward of a label read through a confusion table (one row per true class). A worker whose
/// rows are all equal brings exactly 0. Cost: O(C^2); with soft labels C + 1 win_outlooks.
MulticlassReward multiclass_reward(const MulticlassItemView& item, std::span<const double> table);

/// Expected fall of the entropy (nats) of the item's class after one label, by Bayes' rule; never
/// negative. Cost: as for multiclass_reward.
double information_gain(const MulticlassItemView& item, std::span<const double> table);

/// An index for one worker, prepared for many items of one class each. An item is given by the
/// probabilities p of its classes. Calls share working memory: one thread at a time.
class WorkerIndex {
 public:
  virtual ~WorkerIndex() = default;
  /// The index, with the same bits as MulticlassPairIndex::value.
  virtual double value(std::span<const double> p) = 0;
  /// Upper bound inside a box, a linear function: fills `slope` and returns an offset so that
  ///   value(p) <= offset + sum_k slope_k p_k   wherever low <= p <= high and sum_k p_k = 1,
  /// up to a relative 1e-9, for values of at least `least`. The smaller the box, the closer the
  /// bound.
  virtual double bound(std::span<const double> low, std::span<const double> high, double least,
                       std::span<double> slope) = 0;
  /// Upper bound of value(p), for p in the box of the last call of `bound`, up to a relative 1e-9:
  /// closer than the linear function where that is loose, and cheaper than the value. It may be
  /// anything below `least` if that is known to exceed the value.
  virtual double bound_at(std::span<const double> p, double least);
};

/// An index and its upper bounds. The functions must be pure; several threads may call them.
struct MulticlassPairIndex {
  /// The index of a pair; larger is asked first.
  std::function<double(const MulticlassItemView&, std::span<const double> table)> value;
  /// Upper bound of the value over all workers.
  std::function<double(const MulticlassItemView&)> potential;
  /// Whether the value is a gain that can be divided by the price of a label, or only an order.
  bool is_gain = true;
  /// The index of a worker with this table, for items of one class; null if there is none. The
  /// table must outlive the result.
  std::function<std::unique_ptr<WorkerIndex>(std::span<const double> table)> prepare = nullptr;
  /// Share of the potential that no label of a worker with this table exceeds; null if it is 1.
  std::function<double(std::span<const double> table)> reach = nullptr;
  /// Whether workers' indices have bounds of single items (WorkerIndex::bound_at) that are closer
  /// than those of large boxes.
  bool has_item_bounds = false;
};

/// The index of an item alone, the same for every worker: `function(item)`.
template <typename Function>
MulticlassPairIndex multiclass_by_item(Function function) {
  return {[=](const MulticlassItemView& item, std::span<const double>) { return function(item); },
          function};
}

/// Expected reward R.
MulticlassPairIndex multiclass_pair_kg();
/// Optimistic reward, the largest R_y.
MulticlassPairIndex multiclass_pair_opt_kg();
/// Pessimistic reward, the smallest R_y.
MulticlassPairIndex multiclass_pair_pessimistic_kg();
/// Mean of the best share alpha of the reward's distribution.
MulticlassPairIndex multiclass_pair_cvar_kg(double alpha);
/// Expected information gain.
MulticlassPairIndex multiclass_pair_information_gain();
/// Expected reward + kInformationWorth * expected information gain.
MulticlassPairIndex multiclass_pair_kg_eig();
/// Probability that the item's answer is wrong; the same for every worker.
MulticlassPairIndex multiclass_pair_label_uncertainty();
/// Minus the number of labels of the item; the same for every worker.
MulticlassPairIndex multiclass_pair_least_labelled();

}  // namespace allot::index
