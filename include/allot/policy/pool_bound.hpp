// Upper bounds in money that no policy can beat where workers differ in reliability and price.
//
// Items are positive or negative, and a worker's label is right with the worker's reliability.
// Suppose a policy knew every reliability, and all workers of a type were as good as the best of
// them. It would be no worse than any real policy: labels of other workers say less. For such a
// policy an item is a problem of its own once money has a price lambda (see bound.hpp): with p the
// probability that the item is positive and u the labels it has had from each type,
//   V(p, u) = max( max(p, 1-p), max over types left of -lambda price + E V(p after, u + 1) ),
// and no policy has more than lambda B/K + E V_lambda(p) right with B for K items, the mean being
// over what the reliabilities may be.
//
// Method. V is convex in p, so a line between two grid points is never below it: backward induction
// on a grid with linear interpolation is never below V. The grid is even in the log-odds, 0.05
// apart; with one worker the value is within 1e-3 of coin_price.hpp's (tested). With more than 300
// different u, workers can be asked about an item any number of times: value iteration from V = 1
// down, which is never below V at any round.
//
// Cost: prices of money are tried downwards by a tenth each until the bound rises, and kept; a
// price is a few microseconds for each u (without u, each of up to 5,000 rounds) and pool.
#pragma once

#include <cstdint>
#include <vector>

#include "allot/policy/bound.hpp"

namespace allot::policy {

/// Labels of one type that can be bought for an item.
struct LabelOffer {
  double reliability;  ///< probability that a label is right
  double price;        ///< price of one label, in units of money; above 0
  /// The number of such labels; 0 if unlimited.
  std::uint32_t count = 0;
};

/// V at one price of money > 0 and one probability of positive; not below the truth.
double pool_value(double prob_positive, std::vector<LabelOffer> offers, double money_price);

/// Bounds as functions of the money per item. Threads must not share one object.
class PoolBound {
 public:
  /// Items are positive with this probability before their first label. The pools are the possible
  /// outcomes of drawing the workers, all with the same chance.
  PoolBound(double prob_positive, std::vector<std::vector<LabelOffer>> pools);

  /// The bound for an amount of money per item, and the gain from one more unit of money.
  AccuracyBound accuracy_for_budget(double money_per_item);

  /// The least money per item with which a policy could reach the accuracy (0 to 1); infinite
  /// for 1.
  double budget_for_accuracy(double accuracy);

 private:
  struct Point {
    double price, value;
  };
  /// Nothing beyond the last price that is tried.
  const Point* point(std::size_t number);

  double prob_positive_;
  std::vector<std::vector<LabelOffer>> pools_;
  double cheapest_, most_expensive_;
  std::vector<Point> points_;
};

}  // namespace allot::policy
