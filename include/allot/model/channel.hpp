// The chances of a worker's labels, given the label of a perfect worker.
//
// With two coins a worker labels a positive item as positive with probability `sensitivity`, and a
// negative item as negative with probability `specificity`. With one coin both are the reliability
// rho. The labels of a spammer do not depend on the item (sensitivity + specificity = 1). Below
// that a worker is mostly wrong, and useful once the labels are reversed.
#pragma once

#include "allot/base/ids.hpp"

namespace allot::model {

struct Channel {
  double sensitivity = 1;
  double specificity = 1;

  static constexpr Channel one_coin(double reliability) { return {reliability, reliability}; }

  /// Probability of the label if a perfect worker says positive, and if one says negative.
  struct Likelihood {
    double positive, negative;
  };
  constexpr Likelihood likelihood(Label label) const {
    return label == Label::positive ? Likelihood{sensitivity, 1 - specificity}
                                    : Likelihood{1 - sensitivity, specificity};
  }

  bool operator==(const Channel&) const = default;
};

/// The reliability, at least 1/2, of a single coin whose labels are at most as doubtful as those of
/// the channel: the coin with the larger of the two likelihood ratios. The channel is that coin
/// with some of its labels blurred, so no index that grows with information is larger for the
/// channel.
double dominating_reliability(const Channel& channel);

}  // namespace allot::model
