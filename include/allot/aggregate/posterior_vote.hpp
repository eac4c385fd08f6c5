// From labels to answers: the more probable side of every item [CLZ prop:H].
//
// Under a Beta prior that is the majority vote with the prior's pseudo-counts, H_T = {i : a_i >=
// b_i} [CLZ cor:majority_vote]; under a mixture it is P >= 1/2. No other answers are right more
// often on average.
#pragma once

#include <span>
#include <vector>

#include "allot/model/belief.hpp"

namespace allot::aggregate {

struct Answer {
  Label label;
  /// Probability that the answer is right, h(P): at least 1/2.
  double probability;
};

/// One answer an item, in order. Cost: one batched tail an item; states that repeat under a mixture
/// are shared.
std::vector<Answer> posterior_vote(const model::Beliefs& beliefs);

/// H_T: the items answered positive, in order.
std::vector<ItemId> positive_set(std::span<const Answer> answers);

/// (1/K) sum h(P_i): the share of answers expected to be right.
double expected_accuracy(std::span<const Answer> answers);

}  // namespace allot::aggregate
