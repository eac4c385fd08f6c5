// The choosers that index policies start.
#pragma once

#include <functional>
#include <memory>

#include "allot/index/contextual_reward.hpp"
#include "allot/policy/pair_policy.hpp"
#include "allot/policy/policy.hpp"

namespace allot::policy {

/// Where workers are alike: an index and IndexTree joined. The beliefs must outlive the chooser. An
/// index with a bound is computed only where that bound could be the best.
std::unique_ptr<Chooser> index_chooser(const model::Beliefs& beliefs, Ranking ranking);
std::unique_ptr<Chooser> index_chooser(const model::MulticlassBeliefs& beliefs,
                                       MulticlassRanking ranking);

/// The crowd and the offers must outlive the chooser. Throws if the index lacks the form for it.
std::unique_ptr<PairChooser> pair_index_chooser(const model::Crowd& crowd, const Offers& offers,
                                                const PairIndices& indices, TieBreak ties);

/// Draws every open pair with the same chance; for a given worker every open item.
std::unique_ptr<PairChooser> uniform_pair_chooser(const Offers& offers);

/// Chooses by an index, but one pair in 40 is a probe: a random item that has labels, and a random
/// worker who has not labelled it. Only labels of the same items tell good workers from bad ones,
/// and an index asks about fresh items first. A choice for a given worker is by the index alone.
/// Expensive workers are probed less often. A probe costs O(workers).
std::unique_ptr<PairChooser> probing_chooser(std::unique_ptr<PairChooser> by_index,
                                             const Offers& offers);

/// Chooses pairs by one chooser while more than one label per item is left, and by another after
/// that; Offers::labels_left tells. A choice for a given worker is always by the second. The first
/// is made when it is needed, and again if the budget grows later; the objects that it refers to
/// must outlive the result.
std::unique_ptr<PairChooser> budget_chooser(std::function<std::unique_ptr<PairChooser>()> early,
                                            std::unique_ptr<PairChooser> late,
                                            const Offers& offers);

/// Choices among items with features. The belief must outlive the chooser.
///
/// A label moves the index of every item, so nothing can be kept from one decision to the next: a
/// decision costs n K (p + 120) multiply-adds or what takes as long, n being the candidates. Where
/// all open items fit the cost limit, all are candidates and the choice is exact. Otherwise half of
/// the candidates are the open items with the largest
///   variance of the logit x variance of the label, s2 q (1 - q),
/// and half are drawn at random from the others; which ones follows from the seed and the number of
/// labels alone. Items with the same features are one candidate and share their index.
template <typename Belief>  // Contextual or ContextualClasses
std::unique_ptr<Chooser> feature_chooser(const Belief& belief, const index::FeatureIndex& index,
                                         TieBreak ties, const FeatureSearch& search);

}  // namespace allot::policy
