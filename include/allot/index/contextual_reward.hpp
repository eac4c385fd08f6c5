// The gain in expected accuracy from one label where items have features, and indices from it. It
// is a sum over ALL items, because every label informs about all of them [CLZ eq:reward_feature].
//
//   R_y(i) = sum over l of h(P_l after label y of item i) - h(P_l),   P_l = Phi(m_l / s_l).
// Only g_l = x_l' Sigma x_i is needed, and the result is exact: no optimisation in p dimensions and
// no new covariance per candidate. Items with the same features share a row and a reward. The
// probit approximation predicts the label, and the Laplace method absorbs it. So, unlike with
// counts, the expected reward can be slightly below 0.
//
// Cost per candidate: one product with the design, K p multiply-adds, and two normal tails per row:
// at K = 10,000 and p = 100 about 0.13 ms. Memory: O(K), plus O(p) per candidate.
#pragma once

#include <cstdint>
#include <functional>
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

/// The rewards of multi-class items; h is the largest class probability. Cost: C times as much.
std::vector<MulticlassReward> contextual_rewards(const model::ContextualClasses& belief,
                                                 std::span<const std::uint32_t> rows);

/// Probability that the answer for the items of a row is wrong.
double contextual_uncertainty(const model::Contextual& belief, std::uint32_t row);
/// Probability that the answer for the multi-class items of a row is wrong.
double contextual_uncertainty(const model::ContextualClasses& belief, std::uint32_t row);

/// An index of items with features, for many candidates at once: computing them row by row of the
/// design shares the work. The functions must be pure; several threads may call them.
struct FeatureIndex {
  /// Rows of the design.
  using Rows = std::span<const std::uint32_t>;

  /// One value per row, for a label by the worker.
  std::function<std::vector<double>(const model::Contextual&, Rows, const model::Channel& worker)>
      binary;
  /// One value per row of multi-class items.
  std::function<std::vector<double>(const model::ContextualClasses&, Rows)> multiclass;
  /// True if a value costs a pass over all items, so that candidates may have to be drawn.
  bool is_expensive;
};

/// An index from a function of Reward and of MulticlassReward.
template <typename Function>
FeatureIndex feature_index_of_rewards(Function function) {
  const auto apply = [function](const auto& rewards) {
    std::vector<double> values;
    for (const auto& reward : rewards) values.push_back(function(reward));
    return values;
  };
  return {
      [=](const model::Contextual& belief, FeatureIndex::Rows rows, const model::Channel& worker) {
        return apply(contextual_rewards(belief, rows, worker));
      },
      [=](const model::ContextualClasses& belief, FeatureIndex::Rows rows) {
        return apply(contextual_rewards(belief, rows));
      },
      true};
}

/// An index from a function of either belief and a row.
template <typename Function>
FeatureIndex feature_index_of_rows(Function function) {
  const auto apply = [function](const auto& belief, FeatureIndex::Rows rows) {
    std::vector<double> values;
    for (const std::uint32_t row : rows) values.push_back(function(belief, row));
    return values;
  };
  return {[=](const model::Contextual& belief, FeatureIndex::Rows rows, const model::Channel&) {
            return apply(belief, rows);
          },
          apply, false};
}

}  // namespace allot::index
