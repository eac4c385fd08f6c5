// The belief about one worker, as far as decisions need it.
#pragma once

#include "allot/model/channel.hpp"

namespace allot::model {

/// How many coins a worker has: one reliability, or one for either class.
enum class Coins { one, two };

struct WorkerState {
  /// Means of the two coins, through which the next label is read.
  Channel mean;
  /// Second moments of the coins: E(s^2), E(s t), E(t^2). They say how much there is to learn.
  double sensitivity_squared = 1;
  double product = 1;
  double specificity_squared = 1;

  bool operator==(const WorkerState&) const = default;
};

/// Means of the coins after a label of an item that is positive with probability `positive`, by
/// Bayes' rule:
///   E(s | label) = E(s Pr(label | s, t)) / Pr(label),  and likewise for t.
Channel mean_after(const WorkerState& worker, double positive, Label label);

}  // namespace allot::model
