// Workers described by one number: how often they are right.
//
// The model: item i has class k with probability p_k; worker j gives the true class with
// probability q_j and each of the C - 1 others with (1 - q_j) / (C - 1). EM finds p and q. The
// labels of a worker who is mostly wrong count in reverse. The model does not cover workers who
// favour a class; see dawid_skene.
#pragma once

#include "allot/aggregate/class_answers.hpp"
#include "allot/aggregate/em_options.hpp"

namespace allot::aggregate {

/// Smoothing is added to a worker's counts of right and wrong labels. An item without labels gets
/// the class shares p. One iteration costs O(labels + items * classes). Deterministic.
Result<Aggregation> one_coin(const model::LabelSet& labels, const EmOptions& options = {});

}  // namespace allot::aggregate
