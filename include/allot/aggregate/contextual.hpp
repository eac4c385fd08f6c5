// Workers with a table each, and items with features: an item's neighbours speak along.
//
// As dawid_skene, but the shares of classes give way to a regression of the classes on the features
// of items, fitted along (model/multiclass_crowd.hpp: the refitted beliefs of that model, brought
// to rest). So items with few labels lean on items like them, and items that nobody labelled are
// answered from their features. Where labels are many, features change little.
#pragma once

#include "allot/aggregate/class_answers.hpp"
#include "allot/model/features.hpp"
#include "allot/model/prior.hpp"

namespace allot::aggregate {

struct ContextualOptions {
  /// At least 1.
  std::uint32_t most_iterations = 500;
  /// Stop when no class probability of any item moves by more than this; not negative.
  double tolerance = 1e-7;
  /// Of the chance of a right label; proper.
  model::Prior worker_prior = model::Prior::beta(3, 0.9);
  /// Of each regression weight but the intercept; 0 stands for 1 / columns.
  double weight_variance = 0;
};

/// Refuses sets of fewer than two classes; the design must have a row for every item of the set. A
/// worker's reliability is sum_k m_k pi(k, k), m the mean of the items' class probabilities. The
/// regression's predictions integrate over its weights, so there is no one objective that climbs.
/// One iteration costs O(labels * classes + items * columns * (columns + classes)). Deterministic.
Result<Aggregation> contextual(const model::LabelSet& labels,
                               const std::shared_ptr<const model::Design>& design,
                               const ContextualOptions& options = {});

}  // namespace allot::aggregate
