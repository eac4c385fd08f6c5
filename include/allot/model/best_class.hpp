// The answer to an item, from the probabilities of its classes.
//
// One rule for ties, followed by every command and report: of the classes whose probability lies
// within a relative 1e-9 of the largest, the answer is the first in the order of classes. Rounding
// therefore never decides an answer. Binary items have the order negative, positive.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "allot/base/ids.hpp"

namespace allot::model {

/// The first class whose probability is within a relative 1e-9 of the largest, of at least one.
inline ClassId best_class(std::span<const double> probabilities) {
  constexpr double kTieTolerance = 1e-9;
  const double least = std::ranges::max(probabilities) * (1 - kTieTolerance);
  std::uint32_t best = 0;
  while (probabilities[best] < least) ++best;
  return ClassId{best};
}

/// The mean rank of an item whose classes have an order: sum_k k Pr(class k), the first being 1.
inline double expected_rank(std::span<const double> probabilities) {
  double rank = 0;
  for (std::size_t k = 0; k < probabilities.size(); ++k)
    rank += static_cast<double>(k + 1) * probabilities[k];
  return rank;
}

/// The answer to a binary item: `error` is the probability that the favoured label is wrong.
inline Label best_label(Label favoured, double error) {
  if (favoured == Label::negative) return favoured;
  const std::array probabilities{error, 1 - error};
  return best_class(probabilities) == ClassId{0} ? Label::negative : Label::positive;
}

}  // namespace allot::model
