// The paper's posterior if all workers are alike [CLZ prop:H].
//
// With two classes each item has a soft label theta, the chance that a worker gives the second
// class. Its answer is the more probable side of 1/2, with the probability of this side; see
// posterior_vote. With more classes it has a share theta_c of labels for each class and belongs to
// the class with the largest share; see multiclass_vote [CLZ sec:multi].
#pragma once

#include <span>
#include <vector>

#include "allot/aggregate/class_answers.hpp"
#include "allot/model/belief.hpp"
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

/// The answer for a binary item.
struct Answer {
  /// The more probable side.
  Label label;
  /// Probability that the answer is right, h(P): at least 1/2.
  double probability;
};

/// One answer per item, in order. Cost: a tail per item; per state under a mixture.
std::vector<Answer> posterior_vote(const model::Beliefs& beliefs);

/// H_T: the items answered positive, in order.
std::vector<ItemId> positive_set(std::span<const Answer> answers);

/// (1/K) sum h(P_i): the expected share of right answers.
double expected_accuracy(std::span<const Answer> answers);

/// Answers (ties by model/best_class.hpp) and the probabilities of all classes. Cost: one
/// win_outlook per state; items in the same state, up to the order of classes, share it.
ClassAnswers multiclass_vote(const model::MulticlassBeliefs& beliefs);

}  // namespace allot::aggregate
