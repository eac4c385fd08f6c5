// The belief about one worker, as far as decisions need it.
#pragma once

#include "allot/model/channel.hpp"

namespace allot::model {

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
