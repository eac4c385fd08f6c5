#include "campaign/succession.hpp"

#include <algorithm>
#include <numeric>

namespace allot::campaign {

std::vector<double> handed_on(const State& state, const model::Crowd& beliefs, WorkerId worker) {
  const std::uint32_t classes = beliefs.class_count();
  std::vector<double> seen(classes), item_classes(classes);  // n_k
  for (std::uint32_t i = 0; i < state.item_count(); ++i) {
    const ItemId item{i};
    if (state.pairs().status(item, worker) != PairStatus::labelled) continue;
    if (!state.sessions().counts(worker)) continue;
    if (const auto known = state.items().known(item)) {
      seen[position(*known)] += 1;
      continue;
    }
    beliefs.probabilities(item, item_classes);
    for (std::uint32_t k = 0; k < classes; ++k) seen[k] += item_classes[k];
  }
  const auto inherited = state.inherited();
  if (position(worker) < inherited.size()) {
    const std::vector<double>& counts = inherited[position(worker)];
    for (std::size_t n = 0; n < counts.size(); ++n) seen[n / classes] += counts[n];
  }
  const double all = std::accumulate(seen.begin(), seen.end(), 0.0);
  if (all == 0) return {};
  const double weight = std::min(1.0, kMostInherited / all);
  std::vector<double> result(std::size_t{classes} * classes), chances(classes);
  for (std::uint32_t y = 0; y < classes; ++y) {
    beliefs.likelihood(worker, ClassId{y}, chances);
    for (std::uint32_t k = 0; k < classes; ++k)
      result[k * classes + y] = weight * seen[k] * chances[k];
  }
  return result;
}

}  // namespace allot::campaign
