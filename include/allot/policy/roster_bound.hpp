// Upper bounds on the accuracy of any policy where workers differ and each labels an item at most
// once.
//
// Three relaxations, none of which can hurt a policy:
//   the budget   holds in expectation: money has a price lambda, and every item is a problem of its
//                own (policy/bound.hpp).
//   workers      are revealed: the policy knows how reliable each one is. Nobody can do better by
//                knowing less. The mean over what the workers may be is taken outside: with the
//                mean reliability inside, the result would be too low, because the value of an item
//                is convex in every reliability.
//   prices       the n-th label of an item costs the n-th lowest price of all workers, whoever
//                gives it. Any n labels cost at least as much.
// What is left is optimal stopping with the most reliable worker first (index/label_sequence.hpp).
// With equal prices and known workers it is the optimum for one item at that lambda, not a bound.
//
// Two coins. A worker with sensitivity s and specificity t is no better than a single coin who
// answers with probability w and else stays silent, which costs nothing:
//   q = the dominating reliability (model/worker_state.hpp),   w = |s + t - 1| / (2q - 1).
// Seen from even odds, the posterior after a label of either has the same mean distance from 1/2,
// and that of the silent coin lies farther out (convex order, so Blackwell). Silence is drawn and
// revealed together with the reliability.
//
// The mean over the workers is taken over draws. The bound adds 2.33 standard errors, so a right
// bound is missed by chance in at most one of a hundred uses; with known one-coin workers there is
// no error.
//
// Cost: per price and draw, one step of label_sequence.hpp for every worker of every group (at most
// 128 each); groups whose less reliable workers are the same share their steps. About 20 prices for
// the first budget, kept for the next.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "allot/base/rng.hpp"
#include "allot/index/label_sequence.hpp"
#include "allot/model/worker_state.hpp"
#include "allot/policy/bound.hpp"

namespace allot::policy {

/// Reliability of one label by a worker with these coins, as a draw: the dominating one, or 1/2
/// for a worker who stays silent.
double draw_label(const model::Channel& worker, Rng& rng);

/// A worker's coins drawn from the Betas with their first two moments; coins that are always equal
/// are drawn once, others independently.
model::Channel draw_channel(const model::WorkerState& worker, Rng& rng);

/// Items that the same workers can still label.
struct Roster {
  /// Reliabilities of the workers in any order; 1/2 for those who stay silent.
  std::vector<double> reliabilities;
  /// The items by their log-odds.
  index::OddsHistogram items;
};

/// One draw of the workers: all items, by the workers who can still label them.
using RosterDraw = std::vector<Roster>;

/// Bounds as functions of the budget. Threads must not share one object.
class RosterBound {
 public:
  /// `prices` are those of all workers, above 0, in any order. The draws are equally likely, each
  /// with at least one item.
  RosterBound(std::vector<double> prices, const std::vector<RosterDraw>& draws);

  /// The bound for an amount of money per item, and the gain from one more unit of money.
  AccuracyBound accuracy_for_budget(double money_per_item);

 private:
  /// The next worker to ask, and the place of the price.
  struct Step {
    double reliability;
    std::size_t price;
    auto operator<=>(const Step&) const = default;
  };
  struct Sequence {
    std::vector<Step> steps;  // the last worker to ask comes first
    std::size_t shared = 0;   // steps that the sequence before has too
    index::OddsHistogram items;
  };
  struct Draw {
    std::vector<Sequence> sequences;
    double weight;
  };
  struct Point {
    double value, error;  // mean over the draws, and its standard error
  };

  Sequence sequence_of(const Roster& roster) const;
  double price_at(int place) const;
  const Point& at(int place);
  double value(const Draw& draw, double money_price);

  std::vector<double> prices_;  // the lowest first, at most one more than the longest sequence
  std::vector<Draw> draws_;
  std::vector<index::LabelSequence> stack_;
  std::map<int, Point> points_;  // by place of the money price on a ladder
};

}  // namespace allot::policy
