// Workers who differ in one number: how often they are right.
//
// The model: item i has class k with probability p_k; worker j gives the true class with
// probability q_j and each of the C - 1 others with (1 - q_j) / (C - 1). EM finds p and q. A worker
// who is mostly wrong is believed in reverse; one who leans to a class is not understood, see
// dawid_skene.
#pragma once

#include "allot/aggregate/class_answers.hpp"
#include "allot/aggregate/em_options.hpp"

namespace allot::aggregate {

/// Smoothing adds to the right and to the wrong labels of a worker. An item without labels has the
/// class shares p. One iteration costs O(labels + items * classes). Deterministic.
Result<Aggregation> one_coin(const model::LabelSet& labels, const EmOptions& options = {});

}  // namespace allot::aggregate
