// Indices of items with features, for many candidates at once: computing them row by row of the
// design shares the work.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "allot/index/contextual_reward.hpp"

namespace allot::index {

/// An index of items with features. The functions must be pure; several threads may call them.
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
