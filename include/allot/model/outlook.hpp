// What the next label would do to one item.
//
// With P = Pr(theta >= 1/2), a positive label lifts P by `rise`, a negative one lowers it by
// `fall`. Only a label against the present answer can carry P across 1/2; `overshoot` says how far
// beyond. Everything that the policies need follows from these three without taking differences of
// nearly equal probabilities:
//   Beta(a,b):   rise = c/a,  fall = c/b,  c = 2^-(a+b) / B(a,b)           [CLZ eq:I_a_1, eq:I_b_1]
//                overshoot = 0 wherever |a-b| >= 1, exactly, so always for integers that differ
//                [CLZ lem:reward]
//   mixtures:    the same sums weighted by how each component foresees the label, plus the move of
//   the weights.
#pragma once

#include "allot/model/belief.hpp"

namespace allot::model {

struct Outlook {
  /// Probability of a positive label.
  double chance_positive;
  /// The present answer: whether P >= 1/2.
  Label answer;
  double rise;
  double fall;
  /// Distance beyond 1/2 after a label against the answer; 0 if the answer would stand or both were
  /// equal.
  double overshoot;
};

/// Cost: one kernel (about 0.2 us) for a Beta belief, a kernel and a tail for each component of a
/// mixture.
Outlook outlook(const ItemBelief& belief);

/// The same for a Beta(a,b) belief with any parameters, not negative.
Outlook beta_outlook(double a, double b);

}  // namespace allot::model
