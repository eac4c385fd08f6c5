// The paper's way to choose: compute every index, scan for the best. What the fast choosers must
// agree with.
#pragma once

#include <vector>

#include "allot/policy/policy.hpp"

namespace allot::test {

inline std::vector<double> all_indices(const model::Beliefs& beliefs, const index::Index& index) {
  std::vector<double> values;
  for (std::uint32_t i = 0; i < beliefs.item_count(); ++i)
    values.push_back(policy::quantised(index(beliefs[ItemId{i}])));
  return values;
}

inline ItemId scan(const model::Beliefs& beliefs, const policy::Ranking& ranking, Rng& rng) {
  const std::vector<double> values = all_indices(beliefs, ranking.index);
  return ItemId{policy::break_tie(policy::best_candidates(values), ranking.ties, rng)};
}

}  // namespace allot::test
