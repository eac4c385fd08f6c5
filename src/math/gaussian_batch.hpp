// What one label does to the answers of many items, summed up or item by item.
//
// The logits of items are N(mean, variance). A label of one of them moves each along its covariance
// g with that item: mean + g t and variance - c g^2. The loops are written for the vectoriser; sums
// are added up in eight lanes in a fixed order, so they are the same on every processor.
#pragma once

#include <array>
#include <cstddef>

#include "allot/math/logistic_update.hpp"

namespace allot::math {

/// Several logits, in arrays of one size that is a multiple of eight.
struct Logits {
  const double* mean;
  const double* variance;
  std::size_t count;
};

/// How a label of an item with variance s2 moves logits.
struct LogitMove {
  double step = 0;    // t
  double shrink = 0;  // c = k / (1 + k s2)
  double floor = 1;   // 1 / (1 + k s2): no variance falls by a larger factor (Cauchy-Schwarz)

  LogitMove() = default;
  LogitMove(const LogisticUpdate& update, double variance)
      : step(update.step),
        shrink(update.curvature / (1 + update.curvature * variance)),
        floor(1 / (1 + update.curvature * variance)) {}
};

using LaneSums = std::array<double, 8>;

double total(const LaneSums& sums);

/// Probability that the better answer of each is wrong: Phi(-|mean| / sqrt(variance)).
void error_probabilities(const Logits& logits, double* error);

/// Adds weight (error - error after the move) of each to the sums. 3 to 4 ns an item.
void add_gains(const Logits& logits, const double* covariance, const LogitMove& move,
               const double* error, const double* weight, LaneSums& sums);

/// sigma(kappa mean) of each after the move [math::predictive_logistic].
void predictive_after(const Logits& logits, const double* covariance, const LogitMove& move,
                      double* chance);

/// Moves the logits themselves.
void move_logits(const double* covariance, const LogitMove& move, double* mean, double* variance,
                 std::size_t count);

/// Adds weight (largest share - `now`) of each to the sums, the share being that of one class among
/// all. `told` are the class's own chances if the label names it, `untold` if it does not; the
/// others' are in `sum`, `best` and `second`, of the chances of all classes if the label does not
/// name them.
void add_class_gains(const double* told, const double* untold, const double* sum,
                     const double* best, const double* second, const double* now,
                     const double* weight, std::size_t count, LaneSums& sums);

}  // namespace allot::math
