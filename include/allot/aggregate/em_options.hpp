// When expectation maximisation (EM) stops and how it smooths.
#pragma once

#include <cstdint>

namespace allot::aggregate {

/// One iteration estimates workers and class shares from the items' class probabilities, then those
/// from the estimates. The first starts from the vote shares.
struct EmOptions {
  /// At least 1.
  std::uint32_t most_iterations = 500;
  /// Stop when no class probability of any item moves by more than this; not negative.
  double tolerance = 1e-7;
  /// Added to every count from which a worker's chances are estimated, as if seen before; positive.
  /// Keeps a worker who was never wrong from being believed entirely.
  double smoothing = 0.01;
};

}  // namespace allot::aggregate
