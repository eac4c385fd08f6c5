// Labels by worker, for tests of refits.
#pragma once

#include <numeric>
#include <vector>

#include "allot/base/rng.hpp"
#include "model/by_worker.hpp"

namespace allot::test {

inline Label opposite(Label label) {
  return label == Label::positive ? Label::negative : Label::positive;
}

/// A label of each pair with the given chance. Half of the items are positive, workers are right
/// nine times out of ten, the first one just three times.
inline model::LabelsByWorker random_labels(Rng& rng, std::uint32_t items, std::uint32_t workers,
                                           double chance) {
  model::LabelsByWorker labels(workers);
  for (std::uint32_t j = 0; j < workers; ++j) {
    for (std::uint32_t i = 0; i < items; ++i) {
      if (uniform(rng) >= chance) continue;
      const bool right = uniform(rng) < (j == 0 ? 0.3 : 0.9);
      labels[j].push_back({i, right == (i % 2 == 0) ? Label::positive : Label::negative});
    }
  }
  return labels;
}

inline std::vector<std::uint32_t> random_order(Rng& rng, std::uint32_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[below(rng, k)]);
  return order;
}

/// Item i becomes items[i], worker j workers[j]; labels of a worker are given in another order.
inline model::LabelsByWorker renamed(const model::LabelsByWorker& labels,
                                     const std::vector<std::uint32_t>& items,
                                     const std::vector<std::uint32_t>& workers) {
  model::LabelsByWorker result(labels.size());
  for (std::size_t j = 0; j < labels.size(); ++j) {
    auto& given = result[workers[j]];
    for (const auto& [item, label] : labels[j]) given.insert(given.begin(), {items[item], label});
  }
  return result;
}

inline model::LabelsByWorker reversed(model::LabelsByWorker labels) {
  for (auto& given : labels) {
    for (auto& one : given) one.label = opposite(one.label);
  }
  return labels;
}

}  // namespace allot::test
