// Indices of pairs for multi-class items: one number for asking a given worker about a given item.
//
// A label is read through the worker's confusion table. The indices are the knowledge-gradient
// family over the C possible rewards of a label [CLZ sec:multi, eq:opt_KG_worker], and the expected
// information gain. With two classes and one coin they equal those of index/pair_index.hpp.
//
// No label is worth more than a perfect worker's: no reward exceeds the probability that the answer
// is wrong, and no information the entropy of the answer. These potentials depend on the item
// alone. A choice visits items in descending order of potential, up to the first that cannot win.
#pragma once

#include <cstdint>
#include <functional>
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

/// An index and its upper bound. The functions must be pure; several threads may call them.
struct MulticlassPairIndex {
  /// The index of a pair; larger is asked first.
  std::function<double(const MulticlassItemView&, std::span<const double> table)> value;
  /// Upper bound of the value over all workers.
  std::function<double(const MulticlassItemView&)> potential;
  /// Whether the value is a gain that can be divided by the price of a label, or only an order.
  bool is_gain = true;
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
/// Probability that the item's answer is wrong; the same for every worker.
MulticlassPairIndex multiclass_pair_label_uncertainty();
/// Minus the number of labels of the item; the same for every worker.
MulticlassPairIndex multiclass_pair_least_labelled();

}  // namespace allot::index
