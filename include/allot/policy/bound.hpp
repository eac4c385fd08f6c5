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
  /// Computes the means over the items at a price per label, in right answers.
  using Evaluate = std::function<PricedMean(double price)>;

  /// `evaluate` gives the means at any price > 0 (convex in it, slope -labels); `accuracy_now` is
  /// the accuracy without labels.
  BudgetCurve(Evaluate evaluate, double accuracy_now, double tolerance = 1e-9);

  /// The bound for a number of further labels per item, at most `tolerance` above the best of all
  /// prices.
  AccuracyBound accuracy_for_budget(double labels_per_item);

  /// The fewest labels per item with which a policy could reach the accuracy (0 to 1); infinite
  /// for 1. The inverse of accuracy_for_budget.
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

/// Any number of such items before their first label: to 1e-9 where labels can lead to a tie, else
/// to 1e-6, because 1e-9 would take seconds.
BudgetCurve budget_curve(const model::Prior& prior);

/// Items that are positive with the given log-odds, every label right with probability
/// `reliability` or less: labels of worse workers say less, so the bound holds for a crowd whose
/// best worker is that good.
BudgetCurve coin_budget_curve(std::span<const double> log_odds, double reliability);

/// The bound for `budget` further labels in total.
AccuracyBound accuracy_bound(const model::Beliefs& beliefs, std::uint64_t budget);

}  // namespace allot::policy
