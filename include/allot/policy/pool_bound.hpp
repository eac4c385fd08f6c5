// What no policy can beat where workers differ in reliability and price, in money.
//
// Items are positive or not, and a worker's label is right with the worker's reliability (the class
// model). A policy that were told every reliability, and whose workers of a type were all as good
// as the best of them, would be no worse than any real one: labels of others say less. For it an
// item is a problem of its own once money has a price lambda (see bound.hpp): with p the
// probability that the item is positive and u the labels it has had from each type,
//   V(p, u) = max( max(p, 1-p), max over types left of -lambda price + E V(p after, u + 1) ),
// and no policy has more than lambda B/K + E V_lambda(p) right with B for K items, the mean being
// over what the reliabilities may be.
//
// How. V is convex in p, so a line between two grid points is never below it: backward induction on
// a grid with linear interpolation is never below V. The grid is even in the log-odds, 0.05 apart;
// with one worker the value is within 1e-3 of coin_price.hpp's (tested). Where there are more than
// 300 different u, workers may be asked about an item again and again: value iteration from V = 1
// down, which is never below V at any round.
//
// Cost: prices of money are tried downwards by a tenth each until the bound rises, and kept; a
// price is a few microseconds for each u (without u, each of up to 5,000 rounds) and pool.
#pragma once

#include <cstdint>
#include <vector>

#include "allot/policy/bound.hpp"

namespace allot::policy {

/// Labels that can be bought about an item: right with this probability, at this price > 0.
struct LabelOffer {
  double reliability;
  double price;
  /// How many; 0 if there is no end of them.
  std::uint32_t count = 0;
};

/// V at one price of money > 0 and one probability of positive; not below the truth.
double pool_value(double prob_positive, std::vector<LabelOffer> offers, double money_price);

/// Not to be shared between threads.
class PoolBound {
 public:
  /// Items are positive with this probability before their first label; each pool is what the
  /// workers may turn out to be, all with the same chance.
  PoolBound(double prob_positive, std::vector<std::vector<LabelOffer>> pools);

  /// The bound for so much money an item, and what one more unit of money adds.
  AccuracyBound accuracy_for_budget(double money_an_item);

  /// Money an item without which no policy reaches the accuracy (0 to 1); infinite for 1.
  double budget_for_accuracy(double accuracy);

 private:
  struct Point {
    double price, value;
  };
  /// Nothing beyond the last price that is tried.
  const Point* point(std::size_t number);

  double prob_positive_;
  std::vector<std::vector<LabelOffer>> pools_;
  double cheapest_, dearest_;
  std::vector<Point> points_;
};

}  // namespace allot::policy
