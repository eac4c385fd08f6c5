// A prior learned from the labels: empirical Bayes [CLZ sec:discussion].
//
// Items are taken to be alike before their first label: theta_i ~ p(theta) for one unknown p. Given
// p, an item with n+ positive and n- negative labels has the likelihood
//   E theta^n+ (1 - theta)^n-  =  B(a + n+, b + n-) / B(a, b)          for p = Beta(a,b),
// and the estimate maximises the product over all labelled items times a hyper-prior. The choice of
// items depended on earlier labels only, so the likelihood does not depend on the policy.
//
// The Beta prior has two parameters, mean m and strength s: a = s m, b = s (1 - m). The hyper-prior
// is log m + log(1 - m) times a small number, and log s ~ Normal around that of the uniform prior.
// So without labels the uniform prior is learned, labels that are all positive leave a mean below
// 1, and where only the mean shows (one label per item) the strength stays. For one s the objective
// is concave in m, and Newton's method in a bracket finds the best; the s with the best m is found
// by a grid of all strengths allowed, then the root of the derivative next to the best of the grid.
//
// The mixture is the paper's w_1 Beta(c,1) + w_2 Beta(1,1) + w_3 Beta(1,c) with c = 5: items mostly
// positive, of any kind, mostly negative. EM learns its weights; the objective is concave in them.
//
// Cost: O(items) to group the counts, 5 ms for a million. The rest depends on the different counts
// alone: with 230 of them, 0.06 ms for a Beta prior and 0.3 ms for a mixture.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/math/beta_match.hpp"
#include "allot/model/belief.hpp"

namespace allot::model {

/// Items with the same labels.
struct CountGroup {
  Counts counts;            ///< labels of each of the items
  std::uint64_t items = 0;  ///< number of items with these counts

  bool operator==(const CountGroup&) const = default;
};

/// The labelled items of a campaign by their counts, in ascending order.
std::vector<CountGroup> count_groups(const Beliefs& beliefs);

/// The belief about priors before the first label.
///
/// Chosen on five truths together, Beta(1,1), (4,1), (1,9), (1/2,1/2) and (10,10), by the loss of
/// learning against a run that knows the truth (50 items, Opt-KG, 1 to 20 labels per item, 2,000
/// runs of one seed, an estimate every 25 labels). mean_items of 1 lose .007 under the uniform
/// truth at one label per item, 8 lose .05 under Beta(4,1). A spread of 2 loses .013 under
/// Beta(10,10), 1/4 .003 under Beta(4,1). With 4 and 1/2 no truth loses more than .004 except the
/// skewed ones at one and two labels per item, where labels cannot tell yet: up to .031.
struct HyperPrior {
  /// The factor of log m and log(1 - m): so many more items surely positive, and negative.
  double mean_items = 4;
  /// Standard deviation of log s around log 2. Positive.
  double log_strength_spread = 0.5;
  /// Items added to each component of the mixture. Positive.
  double component_items = 1;

  bool operator==(const HyperPrior&) const = default;
};

/// log Pr(all labels | prior), in the order they came. The prior must be proper. Accurate to 1e-14
/// of n log n for an item of n labels.
double log_marginal(std::span<const CountGroup> groups, const Prior& prior);

/// The Beta prior with the largest marginal likelihood times hyper-prior, to a relative 1e-8. Its
/// strength is from 0.05 to 500 and its mean at least 1e-6 from 0 and 1.
math::BetaShape fit_beta(std::span<const CountGroup> groups, const HyperPrior& hyper = {});

/// The three components with the best weights, by EM until none moves by 1e-12.
std::vector<BetaComponent> fit_mixture(std::span<const CountGroup> groups,
                                       const HyperPrior& hyper = {});

/// Settings of a prior that is learned while labels come in.
struct PriorLearning {
  /// Family of priors to choose from.
  enum class Family {
    beta,    ///< one Beta, by fit_beta
    mixture  ///< three fixed components with learned weights, by fit_mixture
  };
  Family family = Family::beta;  ///< family of the learned prior
  /// Labels between two estimates; at least 2 % of all labels, or one label per thousand items.
  std::uint32_t every = 25;
  HyperPrior hyper = {};  ///< belief about the prior before the first label

  bool operator==(const PriorLearning&) const = default;
};

/// The estimate from all labels so far, rounded to what labels can determine. Estimates therefore
/// often stay equal, and indices that keep one table per prior need few tables.
Prior learned_prior(const Beliefs& beliefs, const PriorLearning& learning);

}  // namespace allot::model
