// The belief about one binary item where workers differ.
//
// There are two views of an item with one algebra. In the paper an item has a soft label theta with
// a Beta(a,b) belief, and is positive if theta >= 1/2 [CLZ sec:worker]. Where beliefs are refitted
// an item has a hard label: it is positive with probability p, the limit of a Beta whose
// pseudo-counts vanish in the proportion p : 1-p.
#pragma once

#include "allot/base/ids.hpp"
#include "allot/math/beta_match.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::model {

/// Belief about one binary item with a soft label (a Beta) or a hard label (a probability).
struct ItemState {
  /// Beta pseudo-counts of the soft label, or the probabilities of positive and negative.
  math::BetaShape shape;
  /// Whether the item has a soft label.
  bool soft = true;

  /// Item with a soft label theta ~ Beta(a, b).
  static ItemState soft_label(double a, double b) { return {{a, b}, true}; }
  /// A hard item from the log-odds of positive; both probabilities keep their digits.
  static ItemState hard_odds(double log_odds);

  /// Probability that a perfect worker says positive: E(theta), or p.
  double mean() const { return shape.mean(); }
  bool operator==(const ItemState&) const = default;
};

/// Probability that the item is positive: Pr(theta >= 1/2), or p.
double prob_positive(const ItemState& item);

/// Probability that the better answer is wrong; exact where it is small.
double error_probability(const ItemState& item);

/// The label of the larger probability, positive if both are equal: a side for the mathematics of
/// indices. Reported answers follow model/best_class.hpp.
Label favoured_label(const ItemState& item);

/// Probability that a worker's next label is positive [CLZ eq:Z_1].
double chance_positive(const ItemState& item, const Channel& channel);

/// The belief after a label [CLZ eq:a_worker, eq:b_worker]; unchanged if that is impossible.
ItemState after(const ItemState& item, const Channel& channel, Label label);

}  // namespace allot::model
