// Workers with a confusion table each, which share what the crowd has in common.
//
// The default method, and the model by which allot decides and answers for several classes
// (Refit::pooled in model/crowd.hpp). Where the errors of a class go is counted over all workers; a
// worker with few labels who errs is believed to err as others do. Each label is read through a
// table it did not help to make. So a fit of few labels per worker stays close to the votes, where
// one_coin and dawid_skene can turn round. How far tables and the shares of labels are trusted, and
// whether features tell anything about the classes, is learned from the labels, which is how the
// answers of workers who are alike stay those of the vote (src/model/multiclass_answers.hpp). With
// two classes, answers are the mean with belief propagation (src/model/binary_answers.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "allot/aggregate/class_answers.hpp"
#include "allot/model/features.hpp"
#include "allot/model/prior.hpp"

namespace allot::aggregate {

/// Settings of `pooled`.
struct PooledOptions {
  /// Prior of the chance of a right label, whose mean is learned; must be proper.
  model::Prior worker_prior = model::Prior::beta(3, 0.9);
  /// Whether the classes have an order, so that errors go to neighbours more often.
  bool ordered = false;
  /// Group of each worker who errs together with others, from 1 on; 0 for workers alone. Members
  /// share a view of every item (model/group_views.hpp). Empty if there are no groups.
  std::vector<std::uint32_t> groups = {};
  /// Shares of the classes before any label; unknown if empty. Those given are believed, and labels
  /// move them slowly. Must have a positive share for each class.
  std::vector<double> shares = {};
  /// Features, one row per item of the labels; none if empty. They are left out where the labels do
  /// not favour them (src/model/feature_strength.hpp).
  std::shared_ptr<const model::Design> design = nullptr;
  /// Prior variance of each regression weight except the intercept; learned if empty.
  std::optional<double> weight_variance = {};
};

/// Confidences of labels are used as far as they tell right labels from wrong ones: what they mean
/// is learned, per worker if that predicts better (src/model/confidence_fit.hpp).
///
/// Refuses sets of fewer than two classes. A worker's reliability is sum_k m_k pi(k, k), m the mean
/// of the items' class probabilities. Cost: 6 to 56 fits, mostly about 30, of 8 rounds of O(labels
/// * classes + items * classes + workers * classes^2), about 10 from 200,000 labels on; with
/// columns of features also 8 rounds of O(items * columns * (columns + classes)) each. With two
/// classes also 40 rounds of belief propagation, of 100 multiplications per label, or 8 from 200,000
/// labels on.
/// Deterministic.
Result<Aggregation> pooled(const model::LabelSet& labels, const PooledOptions& options = {});

}  // namespace allot::aggregate
