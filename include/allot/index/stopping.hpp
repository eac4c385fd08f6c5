// One item, labels at a price: when to stop asking, and what the item is then worth.
//
//   V_lambda(S) = max( h(P), -lambda + p V_lambda(S + positive label) + (1-p) V_lambda(S + negative
//   label) ).
// Paying lambda a label as long as it pays raises the expected accuracy of the item from h(P) by
//   V_lambda(S) - h(P) = max over stopping rules tau of E sum_{t<tau} (R(S^t) - lambda),
// which is convex in lambda; minus the expected number of labels of the best rule is its slope.
//
// How. Backward induction over the band of states around the tie where going on pays, all states of
// a prior in one sweep. The sweep starts
//   - where no reward is above the price any more: beyond it nothing pays, the result is exact; or
//   - at a nearer horizon, twice: with no more beyond it than some rule earns, and with no less
//     than any can. The truth lies between; the horizon is doubled until both are close enough.
// Beyond the horizon rewards fall slowly and labels hardly drift. If neither happened, going on at
// margin d were worth lambda (m - d)^2, m = R / (2 lambda): the upper value (see gittins.hpp).
// Where rewards come at ties only (whole differences of pseudo-counts) a slightly flatter parabola
// is a lower value, see band_sweep.cpp; elsewhere it is 0. Under the uniform prior both differ by
// about 0.0005 / (lambda^4 n^4.5) at depth n, and the band ends where a step away from the tie one
// does not go on, R < 3 lambda or n = 0.018 / lambda^2: whatever lies deeper is never reached and
// the slack is 0.
//
// `labels` of a rule that goes on beyond the horizon counts those before it.
//
// Cost: 0.4 sqrt(n) / lambda steps of a nanosecond and some 20 nanoseconds a depth: 1 ms at price
// 0.001, 10 ms at 0.0001; several times that under priors without ties.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "allot/model/belief.hpp"

namespace allot::index {

struct StoppingValue {
  double gain;    // V - h(P), not above the truth
  double labels;  // its expected labels before the horizon
  double slack;   // the truth is at most gain + slack
};

/// The states of one depth at which going on pays: from `first` positive labels to `last`, none if
/// that is less.
struct StoppingBand {
  std::int64_t first = 0, last = -1;
};

/// All states under one prior. Not to be shared between threads.
class StoppingLattice {
 public:
  explicit StoppingLattice(model::Prior prior);
  ~StoppingLattice();
  StoppingLattice(StoppingLattice&&) noexcept;

  /// The values of several states at one price > 0, in their order. The slack is at most
  /// `tolerance`, unless more than a million labels ahead matter; 0 if nothing was cut off.
  std::vector<StoppingValue> values(double price, std::span<const model::Counts> states,
                                    double tolerance = 1e-10);

  /// Where going on pays at a price > 0: a band for each number of labels, up to the horizon of
  /// values(). Going on in these states alone is worth V to `tolerance`.
  std::vector<StoppingBand> bands(double price, double tolerance);

 private:
  class Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace allot::index
