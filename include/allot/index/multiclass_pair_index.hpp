// Indices of pairs where items have several classes: one number for asking a given worker about a
// given item.
//
// A label is read through the worker's table of chances. The knowledge-gradient family over the
// C-point reward it may bring [CLZ sec:multi, eq:opt_KG_worker], and the expected information gain;
// with two classes and one coin those of index/pair_index.hpp.
//
// No label is worth more than a perfect worker's: no reward exceeds the probability that the answer
// is wrong, and no information the entropy of the answer. These potentials belong to the item
// alone; a choice looks at items in descending order of them and stops at the first that cannot
// win.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "allot/index/multiclass_reward.hpp"

namespace allot::index {

/// An item as an index sees it.
struct MulticlassItemView {
  /// Dirichlet pseudo-counts if there are soft labels, else probabilities of the classes.
  std::span<const double> classes;
  bool soft;
  std::uint32_t labels;  // received so far
};

/// The reward of a label through a table of chances, row by row (true class by true class). A
/// worker whose rows are all the same brings exactly 0. Cost: O(C^2), for soft labels C + 1
/// win_outlooks.
MulticlassReward multiclass_reward(const MulticlassItemView& item, std::span<const double> table);

/// Expected fall of the entropy (nats) of the item's class by one label, by Bayes' rule; never
/// negative. Same cost.
double information_gain(const MulticlassItemView& item, std::span<const double> table);

/// Must not change its values once made; several threads may call it.
struct MulticlassPairIndex {
  std::function<double(const MulticlassItemView&, std::span<const double> table)> value;
  /// Never below the value, whoever is asked.
  std::function<double(const MulticlassItemView&)> potential;
  /// As in PairIndex.
  bool is_gain = true;
};

MulticlassPairIndex multiclass_pair_kg();
MulticlassPairIndex multiclass_pair_opt_kg();
MulticlassPairIndex multiclass_pair_pessimistic_kg();
MulticlassPairIndex multiclass_pair_cvar_kg(double alpha);
MulticlassPairIndex multiclass_pair_information_gain();
/// The probability that the item's answer is wrong, whoever is asked.
MulticlassPairIndex multiclass_pair_label_uncertainty();
/// The fewest labels first, whoever is asked.
MulticlassPairIndex multiclass_pair_least_labelled();

}  // namespace allot::index
