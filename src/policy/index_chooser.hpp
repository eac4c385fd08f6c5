// Choices by an index where workers are alike: an index and IndexTree joined.
#pragma once

#include "allot/policy/policy.hpp"

namespace allot::policy {

/// The beliefs must outlive the chooser. An index with a bound is computed only where that bound
/// could be the best.
std::unique_ptr<Chooser> index_chooser(const model::Beliefs& beliefs, Ranking ranking);
std::unique_ptr<Chooser> index_chooser(const model::MulticlassBeliefs& beliefs,
                                       MulticlassRanking ranking);

}  // namespace allot::policy
