// Choices among items with features.
//
// A label moves the index of every item, so nothing can be kept from one decision to the next: a
// decision costs n K (p + 120) multiply-adds or what takes as long, n being the candidates. Where
// all open items fit the cost limit, all are candidates and the choice is exact. Otherwise half of
// the candidates are the open items with the largest
//   variance of the logit x variance of the label, s2 q (1 - q),
// and half are drawn at random from the others; which ones follows from the seed and the number of
// labels alone. Items with the same features are one candidate and share their index.
//
// Ties (policy/ties.hpp): every tied item with the same chance, or the first.
#pragma once

#include "allot/index/feature_index.hpp"
#include "allot/policy/policy.hpp"

namespace allot::policy {

/// The belief must outlive the chooser.
std::unique_ptr<Chooser> feature_chooser(const model::Contextual& belief,
                                         const index::FeatureIndex& index, TieBreak ties,
                                         const FeatureSearch& search);
std::unique_ptr<Chooser> feature_chooser(const model::ContextualClasses& belief,
                                         const index::FeatureIndex& index, TieBreak ties,
                                         const FeatureSearch& search);

}  // namespace allot::policy
