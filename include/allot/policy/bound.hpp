// Upper bounds that no policy can beat: the accuracy that a budget can buy, and the worth of one
// more label.
//
// If labels had a price lambda instead of a budget, every item would be a problem of its own (see
// index/stopping.hpp), worth V_lambda(S_i). A policy with T labels left could pay for them. So the
// expected number of right answers of every policy, dynamic programming included, is at most
//   lambda T + sum_i V_lambda(S_i)       for every lambda >= 0,
// and the smallest of these is the bound [relaxation of the budget to an expected one]. It is
// convex in lambda; the minimising lambda is what one more label is worth. With many items the
// policy label-price nearly reaches the bound: it asks where the price is highest.
//
// The bound is concave in T. Its inverse is the fewest labels that an accuracy needs: no policy
// reaches accuracy x with fewer than max over lambda of (x - V_lambda) / lambda.
//
// Cost: items in the same state are counted once, 20 ns per item; then about 25 prices, each one
// sweep per prior (index/stopping.hpp). Prices once computed are kept for the next question.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "allot/model/belief.hpp"

namespace allot::policy {

/// Means over the items, if every label costs `price` and each item is asked while it pays.
struct PricedMean {
  double value;   // accuracy minus the price of the labels, not below the truth
  double labels;  // per item
};

/// Upper bound on the accuracy that any policy can reach with a budget.
struct AccuracyBound {
  double accuracy;  // expected share of right answers that no policy exceeds
  double price;     // gain in expected right answers from one more label
};

/// Bounds as functions of the budget. Threads must not share one object.
class BudgetCurve {
 public:
  /// Computes the means over the items at a price per label; convex in it, slope -labels.
  using Evaluate = std::function<PricedMean(double price)>;

  /// `evaluate` is for any price > 0; `accuracy_now` is the accuracy without labels.
  BudgetCurve(Evaluate evaluate, double accuracy_now, double tolerance = 1e-9);

  /// The bound for further labels per item, at most `tolerance` above the best of all prices.
  AccuracyBound accuracy_for_budget(double labels_per_item);

  /// The inverse: fewest labels per item for an accuracy (0 to 1); infinite for 1.
  double budget_for_accuracy(double accuracy);

 private:
  struct Point {
    double price, value, labels;
    double accuracy() const { return value + price * labels; }
  };
  /// Two neighbouring prices, between which the answer lies.
  struct Bracket {
    Point low, high;
  };

  const Point& at(double price);
  template <typename Enough>
  Bracket bracket(Enough enough);
  double between(const Bracket& bracket) const;

  const Evaluate evaluate_;
  const double tolerance_;
  std::map<double, Point> points_;
};

/// Binary items and workers who are alike, with any priors and labels so far. A larger tolerance
/// still gives a bound, a little higher; under priors without ties 1e-6 costs a tenth of 1e-9.
BudgetCurve budget_curve(const model::Beliefs& beliefs, double tolerance = 1e-9);

/// Any number of such items before their first label: to 1e-9 where ties are possible, else 1e-6.
BudgetCurve budget_curve(const model::Prior& prior);

/// Items that are positive with the given log-odds. Labels of worse workers say less, so the bound
/// holds for a crowd whose best worker is right with probability `reliability`.
BudgetCurve coin_budget_curve(std::span<const double> log_odds, double reliability);

/// The bound for `budget` further labels in total.
AccuracyBound accuracy_bound(const model::Beliefs& beliefs, std::uint64_t budget);

/// Labels of one type that can be bought for an item.
struct LabelOffer {
  double reliability;  ///< probability that a label is right
  double price;        ///< price of one label, in units of money; above 0
  /// The number of such labels; 0 if unlimited.
  std::uint32_t count = 0;
};

/// The worth V of an item at a price of money > 0; not below the truth.
double pool_value(double prob_positive, std::vector<LabelOffer> offers, double money_price);

/// Bounds where workers differ in reliability and price. Threads must not share one object.
///
/// Suppose a policy knew every reliability, and all workers of a type were as good as the best of
/// them. It would be no worse than any real policy: labels of other workers say less. For such a
/// policy an item is a problem of its own once money has a price lambda: with p the probability
/// that the item is positive and u the labels it has had from each type,
///   V(p, u) = max( max(p, 1-p), max over types left of -lambda price + E V(p after, u + 1) ),
/// and no policy has more than lambda B/K + E V_lambda(p) right with B for K items, the mean being
/// over what the reliabilities may be.
///
/// V is convex in p, so backward induction on a grid with linear interpolation is never below it.
/// The grid is even in the log-odds, 0.05 apart; with one worker the value is within 1e-3 of
/// coin_price.hpp's (tested). With more than 300 different u, workers can be asked about an item
/// any number of times: value iteration from V = 1 down, never below V at any round. Prices of
/// money are tried downwards by a tenth each until the bound rises, and kept. Cost: a few
/// microseconds per price, pool and u (without u, each of up to 5,000 rounds).
class PoolBound {
 public:
  /// Items are positive with this probability before their first label. The pools are the possible
  /// outcomes of drawing the workers, all with the same chance.
  PoolBound(double prob_positive, std::vector<std::vector<LabelOffer>> pools);

  /// The bound for an amount of money per item, and the gain from one more unit of money.
  AccuracyBound accuracy_for_budget(double money_per_item);

  /// The least money per item that could reach the accuracy (0 to 1); infinite for 1.
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
