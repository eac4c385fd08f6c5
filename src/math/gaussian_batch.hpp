// The effect of one label on the answers of many items, summed up or item by item.
//
// The logits of items are N(mean, variance). A label of one item moves every logit along its
// covariance g with that item: mean + g t and variance - c g^2. The loops are written for the
// vectoriser. Sums are added up in eight lanes in a fixed order, so every processor gets the same
// bits.
#pragma once

#include <array>
#include <cstddef>

#include "allot/math/logistic_update.hpp"

namespace allot::math {

/// Many logits. `count` must be a multiple of eight.
struct Logits {
  const double* mean;
  const double* variance;
  std::size_t count;
};

/// The move of all logits after a label of an item with variance s2.
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

/// Sums in eight lanes; lane l adds up the entries l, l + 8, l + 16, ...
using LaneSums = std::array<double, 8>;

/// Sum of the lanes.
double total(const LaneSums& sums);

/// Probability that the better answer of each item is wrong: Phi(-|mean| / sqrt(variance)).
void error_probabilities(const Logits& logits, double* error);

/// Adds weight (error - error after the move) of each item to the sums. 3 to 4 ns per item.
void add_gains(const Logits& logits, const double* covariance, const LogitMove& move,
               const double* error, const double* weight, LaneSums& sums);

/// sigma(kappa mean) of each item after the move [math::predictive_logistic].
void predictive_after(const Logits& logits, const double* covariance, const LogitMove& move,
                      double* chance);

/// Moves the logits themselves.
void move_logits(const double* covariance, const LogitMove& move, double* mean, double* variance,
                 std::size_t count);

/// Arrays over items, for the share of one class in the chances of all classes. A label may name
/// the class or another one; `sum`, `best` and `second` are taken over the chances that all classes
/// have if the label does not name them.
struct ClassShares {
  const double* named;    // chance of the class if the label names it
  const double* unnamed;  // chance of the class if the label names another one
  const double* sum;      // of the chances of all classes
  const double* best;     // largest of these chances
  const double* second;   // second largest
  std::size_t count;      // items, a multiple of eight
};

/// Adds weight (largest share - `now`) of each item to the sums, for a label that names the class.
void add_class_gains(const ClassShares& shares, const double* now, const double* weight,
                     LaneSums& sums);

}  // namespace allot::math
