// The gain in expected accuracy from one label where items have features. It is a sum over ALL
// items, because every label informs about all of them [CLZ eq:reward_feature].
//
//   R_y(i) = sum over l of h(P_l after label y of item i) - h(P_l),   P_l = Phi(m_l / s_l).
// Only g_l = x_l' Sigma x_i is needed, and the result is exact: no optimisation in p dimensions and
// no new covariance per candidate. Items with the same features share a row and a reward.
//
// The probit approximation predicts the label, and the Laplace method absorbs it. So, unlike with
// counts, the expected reward can be slightly below 0.
//
// Cost per candidate: one product with the design, K p multiply-adds, and two normal tails per row:
// at K = 10,000 and p = 100 about 0.13 ms. Memory: O(K), plus O(p) per candidate.
#pragma once

#include <span>
#include <vector>

#include "allot/index/knowledge_gradient.hpp"
#include "allot/index/multiclass_reward.hpp"
#include "allot/model/contextual.hpp"

namespace allot::index {

/// The rewards of asking a worker with the given channel about an item of each of the given rows.
std::vector<Reward> contextual_rewards(const model::Contextual& belief,
                                       std::span<const std::uint32_t> rows,
                                       const model::Channel& worker = {});

/// The rewards of multi-class items; h is the largest class probability. Cost: C products and 2 C
/// logistic functions per row.
std::vector<MulticlassReward> contextual_rewards(const model::ContextualClasses& belief,
                                                 std::span<const std::uint32_t> rows);

/// Probability that the answer for the items of a row is wrong.
double contextual_uncertainty(const model::Contextual& belief, std::uint32_t row);
/// Probability that the answer for the multi-class items of a row is wrong.
double contextual_uncertainty(const model::ContextualClasses& belief, std::uint32_t row);

}  // namespace allot::index
