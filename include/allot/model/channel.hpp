// How far a worker's label can be trusted.
//
// With two coins a worker says positive of what a perfect worker calls positive with probability
// `sensitivity`, and negative of what is negative with probability `specificity`; one coin is the
// case in which both are the reliability rho. A spammer's two labels are equally likely either way
// (sensitivity + specificity = 1); below that a worker is mostly wrong, and useful reversed.
#pragma once

#include "allot/base/ids.hpp"

namespace allot::model {

struct Channel {
  double sensitivity = 1;
  double specificity = 1;

  static constexpr Channel one_coin(double reliability) { return {reliability, reliability}; }

  /// Probability of the label if a perfect worker says positive, and if negative.
  struct Likelihood {
    double positive, negative;
  };
  constexpr Likelihood likelihood(Label label) const {
    return label == Label::positive ? Likelihood{sensitivity, 1 - specificity}
                                    : Likelihood{1 - sensitivity, specificity};
  }

  bool operator==(const Channel&) const = default;
};

/// The one-coin reliability, at least 1/2, whose labels are at most as doubtful as those of the
/// channel: the one with the larger of the two likelihood ratios. The channel is that coin with
/// some of its labels blurred, so no index that gains from knowing more is larger for it.
double dominating_reliability(const Channel& channel);

}  // namespace allot::model
