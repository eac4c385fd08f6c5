// Workers with a full confusion table each [DS79].
//
// The model: item i has class k with probability p_k; worker j then gives label l with probability
// pi_j(k, l). EM finds p and all pi. The model covers workers who favour a class or confuse two
// classes. For that it needs more labels per worker than one_coin.
#pragma once

#include "allot/aggregate/class_answers.hpp"
#include "allot/aggregate/em_options.hpp"

namespace allot::aggregate {

/// Smoothing is added to each cell of every table. A worker's reliability is sum_k p_k pi_j(k, k).
/// An item without labels gets the class shares p. One iteration costs O(labels * classes + workers
/// * classes^2), memory is linear in labels, items * classes and workers * classes^2.
/// Deterministic.
Result<Aggregation> dawid_skene(const model::LabelSet& labels, const EmOptions& options = {});

}  // namespace allot::aggregate
