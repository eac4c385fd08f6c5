// The paper's posterior if all workers are alike [CLZ prop:H].
//
// With two classes each item has a soft label theta, the chance that a worker gives the second
// class. Its answer is the more probable side of 1/2, with the probability of this side; see
// posterior_vote. With more classes it has a share theta_c of labels for each class and belongs to
// the class with the largest share; see multiclass_vote [CLZ sec:multi].
#pragma once

#include "allot/aggregate/class_answers.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/model/prior.hpp"

namespace allot::aggregate {

/// For two classes. An item without labels has the probability of the prior. Ties follow
/// model/best_class.hpp. A worker's reliability is the share of labels that agree with the answers.
Result<Aggregation> posterior(const model::LabelSet& labels, const model::Prior& prior);

/// For two or more classes, as many as the prior has.
Result<Aggregation> posterior(const model::LabelSet& labels, const model::DirichletPrior& prior);

/// The posterior of two or more classes under the uniform prior.
Result<Aggregation> posterior(const model::LabelSet& labels);

}  // namespace allot::aggregate
