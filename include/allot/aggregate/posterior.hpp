// The paper's posterior when any worker is as good as any other, for two classes [CLZ prop:H].
//
// Each item has a soft label theta, the chance that a worker says the second class; its answer is
// the more probable side of 1/2 and the probability that of this side, see posterior_vote.
#pragma once

#include "allot/aggregate/class_answers.hpp"
#include "allot/model/prior.hpp"

namespace allot::aggregate {

/// An item without labels has the probability of the prior. Equal sides are answered by the second
/// class. A worker's reliability is the share of labels that agree with the answers.
Result<Aggregation> posterior(const model::LabelSet& labels,
                              const model::Prior& prior = model::Prior::uniform());

}  // namespace allot::aggregate
