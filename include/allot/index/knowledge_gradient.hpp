// The knowledge-gradient family: indices built from the gain in expected accuracy after one label.
//
// With h(P) = max(P, 1-P) the probability that the better answer is right [CLZ eq:R_1, eq:R_2,
// eq:exp_reward_R]:
//   R_1 = h(P after a positive label) - h(P),   R_2 = h(P after a negative label) - h(P),
//   R   = p_1 R_1 + p_2 R_2,                    p_1 the chance of a positive label.
// R is never negative, and exactly 0 wherever no single label can change the answer [CLZ
// lem:reward]. That is why plain KG gets stuck and the optimistic index, which is positive
// everywhere [CLZ thm:opt_KG], does not.
#pragma once

#include <algorithm>

#include "allot/model/belief.hpp"

namespace allot::index {

/// The reward of one more label, a two-point random variable.
struct Reward {
  double if_positive;      ///< R_1
  double if_negative;      ///< R_2
  double expected;         ///< R
  double chance_positive;  ///< p_1
};

/// The reward of one more label in a state with this outlook.
Reward reward(const model::Outlook& outlook);
/// The reward of one more label about an item.
inline Reward reward(const model::ItemBelief& belief) { return reward(model::outlook(belief)); }

/// KG as a function of the reward, for any kind of belief.
inline double kg(const Reward& reward) { return reward.expected; }
/// Opt-KG as a function of the reward, for any kind of belief.
inline double opt_kg(const Reward& reward) {
  return std::max(reward.if_positive, reward.if_negative);
}
/// Pessimistic KG as a function of the reward, for any kind of belief.
inline double pessimistic_kg(const Reward& reward) {
  return std::min(reward.if_positive, reward.if_negative);
}
/// CVaR-KG as a function of the reward, for any kind of belief.
double cvar_kg(const Reward& reward, double alpha);

/// Expected reward R: looks one label ahead, optimal with one label left [CLZ sec:Opt-KG].
double kg(const model::ItemBelief& belief);

/// Optimistic reward R+ = max(R_1, R_2) [CLZ eq:opt_KG, Algorithm 1].
double opt_kg(const model::ItemBelief& belief);

/// Pessimistic reward R- = min(R_1, R_2), for comparison [CLZ prop:pessimistic_KG].
double pessimistic_kg(const model::ItemBelief& belief);

/// Mean of the best share alpha of the reward's distribution, 0 <= alpha <= 1 [CLZ, linear program
/// after fig:cvar]:
///   max q_1 R_1 + q_2 R_2   over  q_1 + q_2 = 1,  0 <= q_c <= p_c / alpha.
/// alpha = 1 gives KG; alpha up to the chance of the better label gives Opt-KG, bit for bit.
double cvar_kg(const model::ItemBelief& belief, double alpha);

/// What a nat of information counts for in kg-eig and even-kg, in right answers.
inline constexpr double kInformationWorth = 0.1;

}  // namespace allot::index
