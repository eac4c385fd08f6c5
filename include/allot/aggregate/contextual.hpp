// Workers with a confusion table each, and items with features.
//
// The model is that of dawid_skene, but a regression of the classes on the features of items
// replaces the class shares. Both are fitted together (the refitted beliefs of
// model/multiclass_crowd.hpp, iterated to convergence). So items with few labels borrow from items
// like them, and items without labels are answered from their features.
#pragma once

#include "allot/aggregate/class_answers.hpp"
#include "allot/model/features.hpp"
#include "allot/model/prior.hpp"

namespace allot::aggregate {

/// Settings of `contextual`.
struct ContextualOptions {
  /// Iterations at most; at least 1.
  std::uint32_t most_iterations = 500;
  /// Stops when no class probability of any item moves by more than this; not negative.
  double tolerance = 1e-7;
  /// Prior of the chance of a right label; must be proper.
  model::Prior worker_prior = model::Prior::beta(3, 0.9);
  /// Prior variance of each regression weight except the intercept; 0 stands for 1 / columns.
  double weight_variance = 0;
};

/// Refuses sets of fewer than two classes; the design must have a row for every item of the set. A
/// worker's reliability is sum_k m_k pi(k, k), m the mean of the items' class probabilities. The
/// regression's predictions integrate over its weights, so no single objective rises. One iteration
/// costs O(labels * classes + items * columns * (columns + classes)). Deterministic.
Result<Aggregation> contextual(const model::LabelSet& labels,
                               const std::shared_ptr<const model::Design>& design,
                               const ContextualOptions& options = {});

}  // namespace allot::aggregate
