// Optimal stopping for one item whose workers differ: each can label it at most once.
//
// The item is positive or negative, with log-odds L. Worker n of a sequence is right with
// probability q_n >= 1/2 and costs c_n, the next one to ask comes first, and asking can stop at any
// time:
//   V_n(p) = max( max(p, 1-p), -c_n + E V_{n+1}(p after the label of worker n) ).
// Workers who are mostly wrong count with 1-q: their labels read the other way round.
//
// Best first is the best order. Let the n-th label asked for cost c_n, whoever gives it, with
// any costs >= 0. Then no rule that may ask the workers in any order is worth more than V_1 of the
// sequence sorted by q, most reliable first. Proof by induction over the number of workers.
// Suppose a rule asks k first although j is better. After k the rule stops or, by induction, asks
// j. If it stops after both labels of k, j says no less than k (Blackwell). If it asks j after
// both, the order does not matter. So let it stop after one label of k only. Write h = max(p, 1-p)
// and W for the value with all workers but j and k. Every V is symmetric in p and 1-p, convex, and
// V = h at p = 1, so V - h falls from p = 1/2 to 1: a rule goes on nearer to 1/2. Say p >= 1/2;
// then the rule goes on if k says no. Compare it with: ask j, go on to k if j says no.
//   Cost: j says no at most as often as k, since p >= 1/2 and j is more reliable.
//   Value: after "j no, k yes" instead of "k no, j yes" the probabilities of the two classes, not
//   normalised, are (pi v, (1-pi) u) instead of (pi u, (1-pi) v), with pi = p, u = q_j (1 - q_k),
//   v = q_k (1 - q_j), u >= v. The larger of the two is not larger, the smaller one not smaller,
//   and W - h (as a function of both, homogeneous) falls in the larger and rises in the smaller.
//   The values of the answers themselves have at least the same sum: pi (v + q_j) = pi (u + q_k).
// The tests compare with all orders and rules of up to five workers.
//
// Numbers: V is kept on a grid of log-odds, 0.05 apart up to 12.8, as W = V (e^(L/2) + e^(-L/2)).
// On it a label is W(L) = (W(L+s) + W(L-s)) / (e^(s/2) + e^(-s/2)) with s = log(q / (1-q)). A
// worker between two steps s of the grid is taken for a lottery of both with the same mean q. V is
// convex in q and in p, so the lottery, like the straight lines between points of the grid, is
// never below the truth; beyond 12.8 V counts as 1. The value is within 2e-3 of all orders tried,
// and of coin_price.hpp with many equal workers (tested).
//
// Cost: 257 points per worker, in one loop that the compiler turns into vectors.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace allot::index {

/// Number of items by their log-odds, spread over the points of the grid.
class OddsHistogram {
 public:
  /// A place between two points of the grid.
  struct Place {
    std::size_t low;  ///< the point below
    double share;     ///< of the next point, or of certainty beyond the last
  };
  /// The place of log-odds, whose sign does not matter.
  static Place place(double log_odds);

  OddsHistogram();
  /// Adds items at a place.
  void add(const Place& place, double weight);
  /// Adds items with the same log-odds.
  void add(double log_odds, double weight) { add(place(log_odds), weight); }
  /// Sum of the weights.
  double weight() const;

 private:
  friend class LabelSequence;
  std::vector<double> at_;  // by point
  double certain_ = 0;      // weight at certainty
};

/// The values V_n of one sequence from some worker on, for all log-odds.
class LabelSequence {
 public:
  /// Number of points of the grid, from log-odds 0 on.
  static constexpr std::size_t kPoints = 257;

  /// Nobody can be asked: V = max(p, 1-p).
  LabelSequence();
  /// As before, and then a worker who is always right can be asked for that price.
  static LabelSequence perfect(double price);

  /// Sets the values of asking a worker before `rest`, which must be another object.
  void put_before(const LabelSequence& rest, double reliability, double price);

  /// The value, not below the truth.
  double value(double log_odds) const;
  /// Sum of the values of all items.
  double value(const OddsHistogram& items) const;

 private:
  /// From log-odds -2 kTop to 2 kTop in steps of the grid; the middle is W, the rest has V = 1.
  std::array<double, 4 * kPoints - 3> scaled_;
};

}  // namespace allot::index
