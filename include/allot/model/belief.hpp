// Beliefs about binary items after some labels, where all workers are alike.
//
// A label of item i is positive with probability theta_i, so the counts of labels are sufficient:
// under a Beta(a,b) prior the belief after n+ positive and n- negative labels is Beta(a + n+, b +
// n-). Under a mixture every component moves in this way, and its weight is multiplied by how well
// it predicted the labels. The order of labels does not matter.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/base/check.hpp"
#include "allot/base/ids.hpp"
#include "allot/model/prior.hpp"

namespace allot::model {

/// Numbers of labels that an item has received.
struct Counts {
  std::uint32_t positive = 0;  ///< positive labels, n+
  std::uint32_t negative = 0;  ///< negative labels, n-

  /// Number of all labels, n+ + n-.
  std::uint32_t total() const { return positive + negative; }
  /// Counts with one more label of this kind.
  Counts after(Label label) const {
    return label == Label::positive ? Counts{positive + 1, negative}
                                    : Counts{positive, negative + 1};
  }
  auto operator<=>(const Counts&) const = default;
};

/// The belief about one item: its prior (not owned) and its labels.
struct ItemBelief {
  const Prior* prior;  ///< not owned, never null
  Counts counts;       ///< labels so far

  /// Belief after one more label.
  ItemBelief after(Label label) const { return {prior, counts.after(label)}; }
};

/// The posterior distribution of theta: a mixture of the prior's components, moved and reweighted,
///   w_m' ~ w_m B(a_m + n+, b_m + n-) / B(a_m, b_m),   scaled to sum to 1.
std::vector<BetaComponent> posterior(const ItemBelief& belief);

/// Chance that the next label is positive, E(theta) [CLZ eq:tran_prob]; 1/2 if nothing is known.
double chance_positive(const ItemBelief& belief);

/// Pr(theta >= 1/2), the probability that the item is positive [CLZ Pti].
double prob_positive(const ItemBelief& belief);

/// The probability that the better answer is wrong, min(P, 1-P); exact where it is small.
double error_probability(const ItemBelief& belief);

/// The label of the larger probability, positive if both are equal [CLZ prop:H, cor:majority_vote]:
/// a side for the mathematics of indices. Reported answers follow model/best_class.hpp.
Label favoured_label(const ItemBelief& belief);

/// The beliefs about all items of a campaign: 8 bytes per item, 12 if priors differ.
class Beliefs {
 public:
  /// All items share one prior.
  Beliefs(std::uint32_t item_count, Prior prior);
  /// Item i has priors[prior_of_item[i]].
  Beliefs(std::vector<Prior> priors, std::vector<std::uint32_t> prior_of_item);

  /// Number of items; ids run from 0.
  std::uint32_t item_count() const { return static_cast<std::uint32_t>(counts_.size()); }
  /// Labels recorded so far.
  std::uint64_t stage() const { return stage_; }
  /// Different priors; a single one if all items share it. Valid until set_prior.
  std::span<const Prior> priors() const { return priors_; }
  /// Position of an item's prior in priors().
  std::uint32_t prior_of(ItemId item) const {
    return prior_of_item_.empty() ? 0 : prior_of_item_[position(item)];
  }
  /// Labels of the item so far.
  Counts counts(ItemId item) const { return counts_[position(item)]; }
  /// Belief about the item now. Its prior is valid as long as this object, until set_prior.
  ItemBelief operator[](ItemId item) const { return {&priors_[prior_of(item)], counts(item)}; }

  /// Adds a label to the item. Throws std::invalid_argument beyond 4,294,967,295 labels per item.
  void record(ItemId item, Label label) {
    require(counts(item).total() < UINT32_MAX, "Beliefs::record", "labels of the item", UINT32_MAX,
            "expected fewer");
    counts_[position(item)] = counts(item).after(label);
    ++stage_;
  }

  /// Replaces the prior of all items and keeps their labels. The caller must start new choosers.
  void set_prior(Prior prior);

 private:
  std::vector<Prior> priors_;
  std::vector<std::uint32_t> prior_of_item_;  // empty if there is one prior
  std::vector<Counts> counts_;
  std::uint64_t stage_ = 0;
};

/// Change of P = Pr(theta >= 1/2) that the next label of one item brings, without differences of
/// nearly equal probabilities:
///   Beta(a,b):   rise = c/a,  fall = c/b,  c = 2^-(a+b) / B(a,b)           [CLZ eq:I_a_1,
///   eq:I_b_1]
///                overshoot = 0 wherever |a-b| >= 1, exactly, so always for integers that differ
///                [CLZ lem:reward]
///   mixtures:    these sums, weighted by how each component predicts the label, plus the change of
///                the weights.
struct Outlook {
  /// Probability of a positive label.
  double chance_positive;
  /// The present answer: whether P >= 1/2.
  Label answer;
  double rise;  ///< increase of P after a positive label
  double fall;  ///< decrease of P after a negative label
  /// Distance beyond 1/2 after a label against the answer; 0 if it stays, or was tied.
  double overshoot;
};

/// The outlook of an item. Cost: a kernel (about 0.2 us), for a mixture and a tail per component.
Outlook outlook(const ItemBelief& belief);

/// The outlook of a Beta(a,b) belief with any parameters that are not negative.
Outlook beta_outlook(double a, double b);

}  // namespace allot::model
