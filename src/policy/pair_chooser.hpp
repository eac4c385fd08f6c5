// Choices of pairs, as index policies start them.
#pragma once

#include "allot/policy/pair_policy.hpp"

namespace allot::policy {

/// The crowd and the offers must outlive the chooser. Throws std::invalid_argument if the crowd is
/// a multi-class one and the index has no form for it.
std::unique_ptr<PairChooser> pair_index_chooser(const model::Crowd& crowd, const Offers& offers,
                                                const PairIndices& indices, TieBreak ties);

/// Draws every open pair with the same chance; for a given worker every open item.
std::unique_ptr<PairChooser> uniform_pair_chooser(const Offers& offers);

}  // namespace allot::policy
