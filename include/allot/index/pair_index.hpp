// Indices of pairs: one number for asking a given worker about a given item.
//
// The knowledge-gradient family as for items alone, with the label read through the worker's
// channel [CLZ eq:pos_label_worker, eq:neg_label_worker, eq:opt_KG_worker]; the expected
// information gain, which counts entropy instead of accuracy; and `scout`, which adds to it what
// the label would teach about its worker, since the worker's other labels will be read in that
// light.
//
// An index that gains from knowing more is at most as large for a worker as for the one-coin worker
// who dominates it (model::dominating_reliability), and that grows with the reliability. For items
// that are positive or not, each index has one peak in the odds or two slopes from even odds. Hence
// the bounds by which a choice looks at few of all pairs.
#pragma once

#include <cstdint>
#include <functional>

#include "allot/index/knowledge_gradient.hpp"
#include "allot/model/item_state.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::index {

/// The reward of one label through a channel; a perfect channel gives that of alike workers, exact
/// zeros included. A spammer's is 0. Cost: three Beta tails for a soft label, else a few divisions.
Reward reward(const model::ItemState& item, const model::Channel& channel);

/// Expected fall of the entropy (nats) of the item's answer by one label; 0 for a spammer. By
/// Bayes' rule, not by the matched Beta, whose entropy may rise: so it is never negative.
double information_gain(const model::ItemState& item, const model::Channel& channel);

/// Expected rise of what one later label of the worker, about an item of which nothing is known,
/// will tell (nats): the mean of its information over both labels, less the present one. Convex in
/// `positive`, so largest, for a given worker, where the item's answer is known.
double worker_information(double positive, const model::WorkerState& worker);

/// What an index may look at.
struct PairView {
  const model::ItemState& item;
  std::uint32_t item_labels;  // received so far
  const model::WorkerState& worker;
  std::uint32_t worker_labels;  // given so far
  std::uint32_t worker_left;    // that the worker is likely to give after this one
};

/// Must not change its values once made; several threads may call it.
struct PairIndex {
  std::function<double(const PairView&)> value;
  /// Never below the value of any worker whose dominating reliability is at most the given one,
  /// apart from `worker_bound`. Grows with the reliability.
  std::function<double(const model::ItemState&, std::uint32_t item_labels, double reliability)>
      bound;
  /// A growing function of the reliability in which `bound` is convex; empty if `bound` is the same
  /// for all reliabilities.
  std::function<double(double reliability)> scale = {};
  /// Never below the value, apart from `worker_bound`, of a worker with that channel for any item
  /// that is positive or not and lies between two such; empty if unknown.
  std::function<double(const model::ItemState& low, const model::ItemState& high,
                       const model::Channel&)>
      hard_bound = {};
  /// To be added to a bound for a worker, for items with means from `low` to `high`; nothing if
  /// empty.
  std::function<double(const model::WorkerState&, std::uint32_t worker_left, double low,
                       double high)>
      worker_bound = {};
  /// Whether the value is what a label gains, to be compared by what it costs; otherwise it is an
  /// order of pairs, in which prices do not count.
  bool is_gain = true;
};

PairIndex pair_kg();
PairIndex pair_opt_kg();
PairIndex pair_pessimistic_kg();
PairIndex pair_cvar_kg(double alpha);
PairIndex pair_information_gain();
/// information_gain + worker_left * worker_information.
PairIndex pair_scout();
/// The price of a label (coin_price.hpp) of an item that is positive or not, if all further labels
/// came from workers as reliable as this one on average over both classes: the best gain per label
/// of all ways to go on. Of a soft label the probability of its answer counts. It falls from even
/// odds: with e the error, a rule's gain falls as fast as e or faster, its labels, of which e times
/// those if the answer is wrong are a part, slower.
PairIndex pair_label_price();
/// The probability that the item's answer is wrong, whoever is asked.
PairIndex pair_label_uncertainty();
/// The fewest labels first, whoever is asked.
PairIndex pair_least_labelled();
/// The fewest labels first, then the worker who gave fewest: a random regular graph if ties are
/// broken at random [KOS11].
PairIndex pair_balanced();

}  // namespace allot::index
