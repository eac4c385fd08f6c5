// The effect of the next label on one item.
//
// With P = Pr(theta >= 1/2), a positive label lifts P by `rise`, a negative one lowers it by
// `fall`. Only a label against the present answer can carry P across 1/2; `overshoot` is the
// distance beyond. Everything that policies need follows from these three, without differences of
// nearly equal probabilities:
//   Beta(a,b):   rise = c/a,  fall = c/b,  c = 2^-(a+b) / B(a,b)           [CLZ eq:I_a_1, eq:I_b_1]
//                overshoot = 0 wherever |a-b| >= 1, exactly, so always for integers that differ
//                [CLZ lem:reward]
//   mixtures:    these sums, weighted by how each component predicts the label, plus the change of
//                the weights.
#pragma once

#include "allot/model/belief.hpp"

namespace allot::model {

/// Change of P = Pr(theta >= 1/2) that the next label of one item brings.
struct Outlook {
  /// Probability of a positive label.
  double chance_positive;
  /// The present answer: whether P >= 1/2.
  Label answer;
  double rise;  ///< increase of P after a positive label
  double fall;  ///< decrease of P after a negative label
  /// Distance beyond 1/2 after a label against the answer; 0 if the answer stays, or if both
  /// answers were equally probable.
  double overshoot;
};

/// The outlook of an item. Cost: one kernel (about 0.2 us) for a Beta belief; a kernel and a tail
/// per component of a mixture.
Outlook outlook(const ItemBelief& belief);

/// The outlook of a Beta(a,b) belief with any parameters that are not negative.
Outlook beta_outlook(double a, double b);

}  // namespace allot::model
