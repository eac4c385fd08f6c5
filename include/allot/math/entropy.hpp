// The entropy of an answer, in nats. Inline, because indices of pairs call it once per label.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace allot::math {

/// Entropy of a yes/no answer from the smaller of its two probabilities; accurate to the last
/// digits however small that is.
inline double entropy(double error) {
  return error <= 0 ? 0 : -error * std::log(error) - (1 - error) * std::log1p(-error);
}

/// Entropy of shares that sum to `all`:  - sum_k s_k log s_k,  s_k = shares[k] / all.
inline double entropy(std::span<const double> shares, double all = 1) {
  double result = 0;
  for (const double part : shares) {
    const double share = part / all;
    result -= share > 0 ? share * std::log(share) : 0;
  }
  return std::max(result, 0.0);
}

}  // namespace allot::math
