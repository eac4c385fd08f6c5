// The belief about one worker, as far as decisions need it, and the chances of their labels.
//
// With two coins a worker labels a positive item as positive with probability `sensitivity`, and a
// negative item as negative with probability `specificity`. With one coin both are the reliability
// rho. The labels of a spammer do not depend on the item (sensitivity + specificity = 1). Below
// that a worker is mostly wrong, and useful once the labels are reversed.
#pragma once

#include "allot/base/ids.hpp"

namespace allot::model {

/// Chances of a worker's labels, given the label of a perfect worker, which is the default.
struct Channel {
  double sensitivity = 1;  ///< s = Pr(label positive | perfect worker says positive)
  double specificity = 1;  ///< t = Pr(label negative | perfect worker says negative)

  /// Channel of a worker who is right with probability `reliability`, whatever the class.
  static constexpr Channel one_coin(double reliability) { return {reliability, reliability}; }

  /// Probabilities of one label under both labels of a perfect worker.
  struct Likelihood {
    double positive,  ///< if a perfect worker says positive
        negative;     ///< if a perfect worker says negative
  };
  /// Likelihood of the label: s and 1 - t if it is positive, 1 - s and t if it is negative.
  constexpr Likelihood likelihood(Label label) const {
    return label == Label::positive ? Likelihood{sensitivity, 1 - specificity}
                                    : Likelihood{1 - sensitivity, specificity};
  }

  bool operator==(const Channel&) const = default;
};

/// The reliability, at least 1/2, of a single coin whose labels are at most as doubtful as those of
/// the channel: the coin with the larger of the two likelihood ratios. The channel is that coin
/// with some labels blurred, so no index that grows with information is larger for it.
double dominating_reliability(const Channel& channel);

/// Number of coins of a worker.
enum class Coins {
  one,  ///< one reliability for all classes
  two   ///< one reliability per class
};

/// First and second moments of a binary worker's coins: sensitivity s and specificity t.
struct WorkerState {
  /// Means of the two coins, through which the next label is read.
  Channel mean;
  double sensitivity_squared = 1;  ///< E(s^2); E(s^2) - E(s)^2 is left to learn
  double product = 1;              ///< E(s t)
  double specificity_squared = 1;  ///< E(t^2)

  bool operator==(const WorkerState&) const = default;
};

/// Means of the coins after a label of an item that is positive with probability `positive`, by
/// Bayes' rule:
///   E(s | label) = E(s Pr(label | s, t)) / Pr(label),  and likewise for t.
Channel mean_after(const WorkerState& worker, double positive, Label label);

}  // namespace allot::model
