// Small label sets for tests.
#pragma once

#include <vector>

#include "allot/base/rng.hpp"
#include "allot/model/label_set.hpp"

namespace allot::test {

/// From rows of item, worker, class; the counts are just large enough, or as given.
inline model::LabelSet label_set(const std::vector<std::array<std::uint32_t, 3>>& rows,
                                 std::uint32_t items = 0, std::uint32_t workers = 0,
                                 std::uint32_t classes = 0) {
  model::LabelSet set{items, workers, classes, {}};
  for (const auto& [item, worker, label] : rows) {
    set.item_count = std::max(set.item_count, item + 1);
    set.worker_count = std::max(set.worker_count, worker + 1);
    set.class_count = std::max(set.class_count, label + 1);
    set.labels.push_back({ItemId{item}, WorkerId{worker}, ClassId{label}});
  }
  return set;
}

/// Labels of workers who are right with their own chance, between 0.3 and 1; about half of all
/// pairs, in a random order.
inline model::LabelSet random_crowd(std::uint64_t seed, std::uint32_t items, std::uint32_t workers,
                                    std::uint32_t classes) {
  Rng rng(seed);
  std::vector<std::uint64_t> truth;
  for (std::uint32_t i = 0; i < items; ++i) truth.push_back(below(rng, classes));
  model::LabelSet set{items, workers, classes, {}};
  for (std::uint32_t j = 0; j < workers; ++j) {
    const double reliability = 0.3 + 0.7 * uniform(rng);
    for (std::uint32_t i = 0; i < items; ++i) {
      if (uniform(rng) < 0.5) continue;
      const std::uint64_t label = uniform(rng) < reliability ? truth[i] : below(rng, classes);
      set.labels.push_back({ItemId{i}, WorkerId{j}, ClassId{static_cast<std::uint32_t>(label)}});
    }
  }
  for (std::size_t n = set.labels.size(); n > 1; --n)
    std::swap(set.labels[n - 1], set.labels[below(rng, n)]);
  return set;
}

}  // namespace allot::test
