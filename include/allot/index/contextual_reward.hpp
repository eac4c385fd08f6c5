// What one label would add to the expected accuracy where items have features: the sum over ALL
// items, as every label teaches about all [CLZ eq:reward_feature].
//
//   R_y(i) = sum over l of h(P_l after label y of item i) - h(P_l),   P_l = Phi(m_l / s_l).
// By g_l = x_l' Sigma x_i alone, exactly: no optimisation in p dimensions and no new covariance for
// a candidate. Items with the same features have one row and one reward.
//
// The label is foreseen by the probit approximation and taken in by the Laplace method, so, unlike
// with counts, the expected reward can be a little below 0.
//
// Cost of a candidate: one product with the design, K p multiply-adds, and two normal tails a row:
// at K = 10,000 and p = 100 about 0.13 ms. Memory: O(K), plus O(p) a candidate.
#pragma once

#include <span>
#include <vector>

#include "allot/index/knowledge_gradient.hpp"
#include "allot/index/multiclass_reward.hpp"
#include "allot/model/contextual.hpp"
#include "allot/model/contextual_classes.hpp"

namespace allot::index {

/// The rewards of asking an item of each of the given rows, by a worker of the given kind.
std::vector<Reward> contextual_rewards(const model::Contextual& belief,
                                       std::span<const std::uint32_t> rows,
                                       const model::Channel& worker = {});

/// The same with several classes, h being the largest probability of a class. Cost: C products and
/// 2 C logistic functions a row.
std::vector<MulticlassReward> contextual_rewards(const model::ContextualClasses& belief,
                                                 std::span<const std::uint32_t> rows);

/// Probability that the answer of a row's items is wrong.
double contextual_uncertainty(const model::Contextual& belief, std::uint32_t row);
double contextual_uncertainty(const model::ContextualClasses& belief, std::uint32_t row);

}  // namespace allot::index
