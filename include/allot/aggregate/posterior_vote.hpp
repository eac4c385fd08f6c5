// Answers from labels: the more probable side of every item [CLZ prop:H].
//
// Under a Beta prior that is the majority vote with the prior's pseudo-counts, H_T = {i : a_i >
// b_i} [CLZ cor:majority_vote]; under a mixture it is P > 1/2. No other answers are right more
// often on average. The paper answers ties positive; here they follow model/best_class.hpp.
#pragma once

#include <span>
#include <vector>

#include "allot/model/belief.hpp"

namespace allot::aggregate {

/// The answer for a binary item.
struct Answer {
  /// The more probable side.
  Label label;
  /// Probability that the answer is right, h(P): at least 1/2.
  double probability;
};

/// One answer per item, in order. Cost: one batched tail per item; states that repeat under a
/// mixture are shared.
std::vector<Answer> posterior_vote(const model::Beliefs& beliefs);

/// H_T: the items answered positive, in order.
std::vector<ItemId> positive_set(std::span<const Answer> answers);

/// (1/K) sum h(P_i): the expected share of right answers.
double expected_accuracy(std::span<const Answer> answers);

}  // namespace allot::aggregate
