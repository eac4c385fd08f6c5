// What a new version of a worker starts from.
//
// A language model that changes behind its name is another worker. It starts as if it had labelled
// some known items as the version before is believed to label them: with n_k labels of that version
// about items of class k, and T its mean confusion table,
//   inherited(k, y) = w n_k T(k, y),   w = min(1, kMostInherited / sum_k n_k).
// The belief is thus worth at most kMostInherited labels, and the new version's own labels soon
// outweigh it. n_k counts items as believed, and what the version before has inherited itself.
//
// Ten labels were chosen by simulation (Succession in tests/campaign/succession_test.cpp; most
// labels of 3, 6, 10, 20 and 40 tried). A version that stays the same gains as much at its first
// labels as with twenty, within a quarter. One that falls from .90 to .55 costs two thirds as much
// there, and a quarter after 160 labels.
//
// Cost: O(items + labels) of the campaign.
#pragma once

#include <vector>

#include "allot/campaign/state.hpp"
#include "allot/model/crowd.hpp"

namespace allot::campaign {

/// Labels that the belief about a version is worth for the next one, at most.
inline constexpr double kMostInherited = 10;

/// The counts that a new version of the worker inherits, true class by true class; empty if the
/// worker has no label that counts, and inherits nothing.
std::vector<double> handed_on(const State& state, const model::Crowd& beliefs, WorkerId worker);

}  // namespace allot::campaign
