#include "sim/alike_runner.hpp"

namespace allot::sim {

RecordedItems::RecordedItems(const Recording& recording, std::uint64_t seed, std::uint64_t run)
    : recording_(recording), labels_(recording.labels.item_count) {
  for (const model::GivenLabel& one : recording.labels.labels) {
    labels_[position(one.item)].push_back(one.label);
  }
  for (std::uint32_t item = 0; item < labels_.size(); ++item) {
    Rng rng(seed, Rng::Purpose::label, run, item);
    std::vector<ClassId>& labels = labels_[item];
    for (std::size_t n = labels.size(); n > 1; --n) {
      std::swap(labels[n - 1], labels[below(rng, n)]);
    }
  }
}

}  // namespace allot::sim
