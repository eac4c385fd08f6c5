// Message passing of Karger, Oh and Shah, for two classes [KOS11].
//
// With A_ij = +1 for a label of the second class and -1 for one of the first, messages run back and
// forth along the labels:
//   x_ij = sum of A_ij' y_ij' over the item's other workers j'
//   y_ij = sum of A_i'j x_i'j over the worker's other items i'
// from y ~ Normal(1,1); the answer is the sign of sum_j A_ij y_ij. This finds the leading direction
// of the label matrix, so a worker counts by how well their labels fit the rest of the crowd.
#pragma once

#include "allot/aggregate/class_answers.hpp"

namespace allot::aggregate {

/// Settings of `kos`.
struct KosOptions {
  /// Number of times x and y are updated; at least 1.
  std::uint32_t rounds = 10;
  /// Seed of the first messages.
  std::uint64_t seed = 1;
};

/// Messages are scaled to mean square 1 after each round, which changes no sign. Labels look the
/// same if everybody is right and if everybody is wrong, and in a small set the first messages can
/// lead to the wrong side. So answers are reversed if fewer than half of the labels agree with
/// them. A sum that is zero up to rounding is decided by majority, and so are
/// all items if exactly half of the labels agree. There are no probabilities;
/// reliability is the share of labels that agree with the answers. A round costs O(labels).
Result<Aggregation> kos(const model::LabelSet& labels, const KosOptions& options = {});

}  // namespace allot::aggregate
