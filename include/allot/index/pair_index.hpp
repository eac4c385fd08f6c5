// Indices of pairs: one number for asking a given worker about a given item.
//
// The knowledge-gradient family reads the label through the worker's channel [CLZ
// eq:pos_label_worker, eq:neg_label_worker, eq:opt_KG_worker]. The expected information gain counts
// entropy instead of accuracy. `scout` adds the information that the label gives about its worker,
// because it sheds light on the worker's other labels.
//
// For an index that gains from more information, a worker's value is at most that of the one-coin
// worker who dominates them (model::dominating_reliability), and that value grows with the
// reliability. For hard classes each index has one peak in the odds, or falls to both sides of even
// odds. These facts give the bounds with which a choice looks at few of all pairs.
#pragma once

#include <cstdint>
#include <functional>

#include "allot/index/knowledge_gradient.hpp"
#include "allot/model/item_state.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::index {

/// The reward of one label through a channel. A perfect channel gives the reward of alike workers,
/// exact zeros included; a spammer's reward is 0. Cost: three Beta tails for a soft label.
Reward reward(const model::ItemState& item, const model::Channel& channel);

/// Expected fall of the entropy (nats) of the item's answer after one label; 0 for a spammer. It
/// uses Bayes' rule, not the matched Beta, whose entropy may rise, so it is never negative.
double information_gain(const model::ItemState& item, const model::Channel& channel);

/// Expected rise (nats) of the information that one later label of the worker, about an item with
/// even odds, will carry: its mean over both labels now, less the present one. Convex in
/// `positive`, so for a given worker it is largest where the item's answer is known.
double worker_information(double positive, const model::WorkerState& worker);

/// Everything an index may look at.
struct PairView {
  /// Belief about the item.
  const model::ItemState& item;
  std::uint32_t item_labels;  ///< received so far
  /// Belief about the worker.
  const model::WorkerState& worker;
  std::uint32_t worker_labels;  ///< given so far
  std::uint32_t worker_left;    ///< likely to be given after this one
};

/// An index with the bounds a search needs. The functions are pure; several threads may call them.
struct PairIndex {
  /// The index of a pair; larger is asked first.
  std::function<double(const PairView&)> value;
  /// Bound of the value, apart from `worker_bound`, up to a dominating reliability; grows with it.
  std::function<double(const model::ItemState&, std::uint32_t item_labels, double reliability)>
      bound;
  /// A growing function of the reliability in which `bound` is convex; empty if it is constant.
  std::function<double(double reliability)> scale = {};
  /// Upper bound of the value, apart from `worker_bound`, of a worker with that channel over all
  /// items of hard class between `low` and `high`; empty if unknown.
  std::function<double(const model::ItemState& low, const model::ItemState& high,
                       const model::Channel&)>
      hard_bound = {};
  /// Amount to add to a bound for a worker, for items with means from `low` to `high`; 0 if empty.
  std::function<double(const model::WorkerState&, std::uint32_t worker_left, double low,
                       double high)>
      worker_bound = {};
  /// Whether the value is a gain that can be divided by the price of a label, or only an order.
  bool is_gain = true;
};

/// The index of an item alone, the same for every worker: `function(item, item_labels)`.
template <typename Function>
PairIndex by_item(Function function) {
  return {.value = [=](const PairView& view) { return function(view.item, view.item_labels); },
          .bound = [=](const model::ItemState& item, std::uint32_t labels,
                       double) { return function(item, labels); },
          .scale = {}};
}

/// Expected reward R.
PairIndex pair_kg();
/// Optimistic reward, max(R_1, R_2).
PairIndex pair_opt_kg();
/// Pessimistic reward, min(R_1, R_2).
PairIndex pair_pessimistic_kg();
/// Mean of the best share alpha of the reward's distribution.
PairIndex pair_cvar_kg(double alpha);
/// Expected information gain.
PairIndex pair_information_gain();
/// Expected reward + kInformationWorth * expected information gain. The reward alone is 0 wherever
/// no single label can change the answer; the information tells such items apart.
PairIndex pair_kg_eig();
/// As pair_kg_eig for a one-coin worker who is right as often as this one, on average over both
/// classes. What few labels say about the lean of a worker is unsure, and a choice that trusts it
/// prefers workers who seem to lean.
PairIndex pair_even_kg();
/// information_gain + worker_left * worker_information.
PairIndex pair_scout();
/// The price of a label (coin_price.hpp) of an item of hard class, if all further labels came from
/// workers as reliable as this one on average over both classes: the best gain per label over all
/// ways to go on. For a soft label it uses the probability of its answer. It falls from even odds:
/// a rule's gain falls at least as fast as the error, and its expected labels fall more slowly.
PairIndex pair_label_price();
/// Probability that the item's answer is wrong; the same for every worker.
PairIndex pair_label_uncertainty();
/// Minus the number of labels of the item; the same for every worker.
PairIndex pair_least_labelled();
/// Fewest labels of the item first, then fewest labels of the worker: a random regular graph if
/// ties are broken at random [KOS11].
PairIndex pair_balanced();

}  // namespace allot::index
