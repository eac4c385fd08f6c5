// The paper's posterior when any worker is as good as any other [CLZ prop:H].
//
// Of two classes each item has a soft label theta, the chance that a worker says the second; its
// answer is the more probable side of 1/2 and the probability that of this side, see
// posterior_vote. Of several it has a share theta_c of labels for each class and belongs to the
// class with the largest, see multiclass_vote [CLZ sec:multi].
#pragma once

#include "allot/aggregate/class_answers.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/model/prior.hpp"

namespace allot::aggregate {

/// For two classes. An item without labels has the probability of the prior. Equal sides are
/// answered by the second class. A worker's reliability is the share of labels that agree with the
/// answers.
Result<Aggregation> posterior(const model::LabelSet& labels, const model::Prior& prior);

/// For two or more classes, as many as the prior has. Of equally probable ones the first is the
/// answer; of two the second, as above.
Result<Aggregation> posterior(const model::LabelSet& labels, const model::DirichletPrior& prior);

/// Under the uniform prior, for two or more classes.
Result<Aggregation> posterior(const model::LabelSet& labels);

}  // namespace allot::aggregate
