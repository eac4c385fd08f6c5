// The entropy of an answer, in nats.
#pragma once

#include <span>

namespace allot::math {

/// Entropy of a yes/no answer from the smaller of its two probabilities; accurate to the last
/// digits however small that is.
double entropy(double error);

/// Entropy of shares that sum to `all`:  - sum_k s_k log s_k,  s_k = shares[k] / all.
double entropy(std::span<const double> shares, double all = 1);

}  // namespace allot::math
