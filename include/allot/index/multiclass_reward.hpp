// The gain in expected accuracy from one label of a multi-class item, and the indices built from it
// [CLZ sec:multi].
//
// With h(P) the largest of the class probabilities,
//   R_y = h(P after a label y) - h(P),   R = sum_y p_y R_y,   p_y the chance of a label y.
// The mean of P after a label is P, so R is the sum of p_y times the overshoot of
// math/dirichlet_win. It is never negative, and exactly 0 wherever no single label can change the
// answer, as for two classes [CLZ lem:reward]. Where the answer stays, R_y is a sum of terms of one
// sign, accurate even where it is tiny. With three or more classes, permuted classes give the same
// indices to the last bit; two classes give the bits of knowledge_gradient.
//
// Cost: one win_outlook, about 10 us for whole counts.
#pragma once

#include <functional>
#include <vector>

#include "allot/model/multiclass_belief.hpp"

namespace allot::index {

/// The reward of one more label, a random variable of C points.
struct MulticlassReward {
  std::vector<double> if_label;  ///< R_y
  std::vector<double> chance;    ///< p_y
  double expected;               ///< R
};

/// The reward of one more label about an item.
MulticlassReward multiclass_reward(const model::DirichletBelief& belief);

/// Expected reward R.
double kg(const MulticlassReward& reward);
/// Optimistic reward, the largest R_y: Opt-KG for several classes.
double opt_kg(const MulticlassReward& reward);
/// Pessimistic reward, the smallest R_y.
double pessimistic_kg(const MulticlassReward& reward);
/// Mean of the best share alpha of the reward's distribution, 0 <= alpha <= 1 [CLZ, linear program
/// after fig:cvar]:
///   max sum_y q_y R_y   over  sum_y q_y = 1,  0 <= q_y <= p_y / alpha,
/// solved by filling the best outcomes first. alpha = 1 is KG; alpha <= the chance of the best
/// outcome is Opt-KG, bit for bit.
double cvar_kg(const MulticlassReward& reward, double alpha);

/// An index of multi-class items, equal for permuted classes. Pure; several threads may call it.
using MulticlassIndex = std::function<double(const model::DirichletBelief&)>;

}  // namespace allot::index
