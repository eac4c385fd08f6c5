// Answers from beliefs about multi-class items: the most probable class of every item [CLZ
// eq:multi_H], which is the plurality with the prior counted. No other answers are right more often
// on average.
#pragma once

#include "allot/aggregate/class_answers.hpp"
#include "allot/model/multiclass_belief.hpp"

namespace allot::aggregate {

/// Answers (ties by model/best_class.hpp) and the probabilities of all classes. Cost: one
/// win_outlook per state; items in the same state, up to the order of classes, share it.
ClassAnswers multiclass_vote(const model::MulticlassBeliefs& beliefs);

}  // namespace allot::aggregate
