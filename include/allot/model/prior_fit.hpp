// A prior learned from the labels: empirical Bayes [CLZ sec:discussion].
//
// Items are taken to be alike before their first label, theta_i ~ p(theta) for one p that nobody
// knows. Given p an item with n+ positive and n- negative labels has the likelihood
//   E theta^n+ (1 - theta)^n-  =  B(a + n+, b + n-) / B(a, b)          for p = Beta(a,b),
// and p is chosen to make the product over all items, times a hyper-prior, as large as it can be.
// Which item was asked depended on earlier labels only, so the likelihood is the same whatever the
// policy was; items without labels have none and do not count.
//
// The Beta prior has two parameters, mean m and strength s: a = s m, b = s (1 - m). The hyper-prior
// is log m + log(1 - m) times a small number, and log s ~ Normal around that of the uniform prior.
// So without labels the uniform prior is learned, labels that are all positive leave a mean below
// 1, and where only the mean shows (one label an item) the strength stays. For one s the objective
// is concave in m; the best m is found by Newton's method in a bracket, and the s with the best m
// by a grid of all strengths allowed, then the root of the derivative next to the best of the grid.
//
// The mixture is the paper's w_1 Beta(c,1) + w_2 Beta(1,1) + w_3 Beta(1,c) with c = 5: items mostly
// positive, items of any kind, items mostly negative. Its weights are learned by EM; the objective
// is concave in them.
//
// Cost: O(items) to group the counts, 5 ms for a million; then no more than their differences: 0.06
// ms for a Beta prior and 0.3 ms for a mixture where 230 different counts occur. The Beta prior
// needs the different numbers of positive, negative and all labels only, each kind a sum of up to a
// few dozen terms and of logarithms beyond.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/math/beta_match.hpp"
#include "allot/model/belief.hpp"

namespace allot::model {

/// Items with the same labels.
struct CountGroup {
  Counts counts;
  std::uint64_t items = 0;

  bool operator==(const CountGroup&) const = default;
};

/// The labelled items of a campaign by their counts, in ascending order.
std::vector<CountGroup> count_groups(const Beliefs& beliefs);

/// What is thought of priors before the first label.
///
/// Chosen on five truths together, Beta(1,1), (4,1), (1,9), (1/2,1/2) and (10,10), by what learning
/// loses against the run that knows the truth (50 items, Opt-KG, 1 to 20 labels an item, 2,000
/// runs of one seed, an estimate every 25 labels). Tried: mean_items 1 to 8 with a spread of 1,
/// then spreads from 1/4 to 2. A mean that is free (1) loses .007 under the uniform truth at one
/// label an item, one that is held (8) .05 under Beta(4,1) there; a strength that is free (2) loses
/// .013 under Beta(10,10), one that is held (1/4) .003 under Beta(4,1) at 3 labels an item. With 4
/// and 1/2 no truth loses more than .004 but the skewed at one and two labels an item, where labels
/// cannot tell yet: .031 and .005 under Beta(4,1). Estimates every 10 or 50 labels differ at one
/// and two labels an item only. component_items: 1 and 3 were tried.
struct HyperPrior {
  /// log m and log(1 - m) are multiplied by this: so many items more that are surely positive, and
  /// as many that are surely negative. Positive.
  double mean_items = 4;
  /// Standard deviation of log s around log 2. Positive.
  double log_strength_spread = 0.5;
  /// So many items more in each component of the mixture. Positive.
  double component_items = 1;

  bool operator==(const HyperPrior&) const = default;
};

/// log Pr(all labels | prior), in the order they came; the prior must be proper. Accurate to 1e-14
/// of n log n for an item of n labels.
double log_marginal(std::span<const CountGroup> groups, const Prior& prior);

/// The Beta prior with the largest marginal likelihood times hyper-prior. Its strength is from 0.05
/// to 500 and its mean at least 1e-6 from 0 and 1. Parameters are found to a relative 1e-8 or
/// better where the labels determine them.
math::BetaShape fit_beta(std::span<const CountGroup> groups, const HyperPrior& hyper = {});

/// The three components with the best weights: EM until a round moves none by 1e-12, at most 10,000
/// rounds.
std::vector<BetaComponent> fit_mixture(std::span<const CountGroup> groups,
                                       const HyperPrior& hyper = {});

/// A prior that is learned while labels come in.
struct PriorLearning {
  enum class Family { beta, mixture };
  Family family = Family::beta;
  /// Labels between two estimates; there are more where 2 % of all labels, or one for a thousand
  /// items, are more.
  std::uint32_t every = 25;
  HyperPrior hyper = {};

  bool operator==(const PriorLearning&) const = default;
};

/// The estimate from all labels so far, rounded: what labels do not tell anyway is left out, so
/// that estimates often stay the same and indices that keep a table a prior need few of them.
Prior learned_prior(const Beliefs& beliefs, const PriorLearning& learning);

}  // namespace allot::model
