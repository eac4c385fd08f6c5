// Workers and classes estimated together by expectation maximisation (EM).
//
// The models: item i has class k with probability p_k. With one coin [one_coin] worker j then gives
// the true class with probability q_j and each of the C - 1 others with (1 - q_j) / (C - 1). With a
// confusion table each [dawid_skene, DS79] worker j gives label l with probability pi_j(k, l),
// which covers workers who favour or confuse classes and needs more labels per worker.
#pragma once

#include <cstdint>

#include "allot/aggregate/class_answers.hpp"

namespace allot::aggregate {

/// Settings of EM. One iteration estimates workers and class shares from the items' class
/// probabilities, then the probabilities from the estimates. The first starts from the vote shares.
struct EmOptions {
  /// Iterations at most; at least 1.
  std::uint32_t most_iterations = 500;
  /// Stops when no class probability of any item moves by more than this; not negative.
  double tolerance = 1e-7;
  /// Pseudo-count added to every count of a worker; positive. Nobody is then trusted entirely.
  double smoothing = 0.01;
};

/// Smoothing is added to a worker's counts of right and wrong labels. An item without labels gets
/// the class shares p. One iteration costs O(labels + items * classes). Deterministic.
Result<Aggregation> one_coin(const model::LabelSet& labels, const EmOptions& options = {});

/// Smoothing is added to each cell of every table. A worker's reliability is sum_k p_k pi_j(k, k).
/// An item without labels gets the class shares p. One iteration costs O(labels * classes + workers
/// * classes^2). Deterministic.
Result<Aggregation> dawid_skene(const model::LabelSet& labels, const EmOptions& options = {});

}  // namespace allot::aggregate
