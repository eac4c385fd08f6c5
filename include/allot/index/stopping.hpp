// Optimal stopping for one item where labels have a price: when to stop, and the item's worth.
//
//   V_lambda(S) = max( h(P), -lambda + p V_lambda(S + positive label)
//                                    + (1-p) V_lambda(S + negative label) ).
// Paying lambda per label as long as it pays raises the expected accuracy of the item from h(P) by
//   V_lambda(S) - h(P) = max over stopping rules tau of E sum_{t<tau} (R(S^t) - lambda),
// which is convex in lambda; its slope is minus the expected number of labels of the best rule.
//
// Backward induction runs over the band of states around the tie where going on pays, all states of
// a prior in one sweep. The sweep starts where no reward is above the price any more, which is
// exact, or at a nearer horizon, twice: with a worth beyond it that some rule earns, and with one
// that no rule can exceed. The horizon doubles until both are close. The upper value is lambda
// (m - d)^2 (see gittins.hpp). Where rewards come at ties only (whole differences of pseudo-counts)
// a slightly flatter parabola is a lower value, see band_sweep.cpp; elsewhere the lower value is 0.
// Under the uniform prior both differ by about 0.0005 / (lambda^4 n^4.5) at depth n. The band ends
// where the best rule stops one step away from the tie, R < 3 lambda or n = 0.018 / lambda^2; the
// slack of deeper states, which are never reached, is 0. `labels` counts those before the horizon.
//
// Cost: 0.4 sqrt(n) / lambda steps of a nanosecond and some 20 nanoseconds per depth: 1 ms at price
// 0.001, 10 ms at 0.0001; several times that under priors without ties.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "allot/model/belief.hpp"

namespace allot::index {

/// The worth of going on from a state.
struct StoppingValue {
  double gain;    ///< V - h(P), not above the truth
  double labels;  ///< expected labels before the horizon
  double slack;   ///< the truth is at most gain + slack
};

/// The states of one depth at which going on pays; empty if `last` is less than `first`.
struct StoppingBand {
  std::int64_t first = 0;  ///< fewest positive labels
  std::int64_t last = -1;  ///< most positive labels
};

/// All states under one prior. Not safe to share between threads.
class StoppingLattice {
 public:
  /// The lattice of states that follow from this prior.
  explicit StoppingLattice(model::Prior prior);
  /// Destroys the lattice.
  ~StoppingLattice();
  /// Moves the lattice.
  StoppingLattice(StoppingLattice&&) noexcept;

  /// The values of several states at one price > 0, in their order. The slack is at most
  /// `tolerance`, unless more than a million labels ahead matter; 0 if nothing was cut off.
  std::vector<StoppingValue> values(double price, std::span<const model::Counts> states,
                                    double tolerance = 1e-10);

  /// The states where going on pays at a price > 0: one band per number of labels, up to the
  /// horizon of values(). Going on in these states alone is worth V to `tolerance`.
  std::vector<StoppingBand> bands(double price, double tolerance);

 private:
  class Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace allot::index
