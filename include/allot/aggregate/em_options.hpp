// Stopping rule and smoothing of expectation maximisation (EM).
#pragma once

#include <cstdint>

namespace allot::aggregate {

/// Settings of EM. One iteration estimates workers and class shares from the items' class
/// probabilities, then the probabilities from the estimates. The first starts from the vote shares.
struct EmOptions {
  /// Iterations at most; at least 1.
  std::uint32_t most_iterations = 500;
  /// Stops when no class probability of any item moves by more than this; not negative.
  double tolerance = 1e-7;
  /// Pseudo-count added to every count from which a worker's chances are estimated; positive. It
  /// keeps EM from trusting a worker entirely who was never wrong.
  double smoothing = 0.01;
};

}  // namespace allot::aggregate
