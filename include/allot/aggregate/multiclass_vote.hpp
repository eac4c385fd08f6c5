// From beliefs about items of several classes to answers: the most probable class of every item
// [CLZ eq:multi_H], which is the plurality with the prior counted. No other answers are right more
// often on average.
#pragma once

#include "allot/aggregate/class_answers.hpp"
#include "allot/model/multiclass_belief.hpp"

namespace allot::aggregate {

/// Answers (the smallest of equally probable classes) and the probabilities of all classes. Cost:
/// one win_outlook a state; items in the same state, whatever the order of its classes, share it.
ClassAnswers multiclass_vote(const model::MulticlassBeliefs& beliefs);

}  // namespace allot::aggregate
