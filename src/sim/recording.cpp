#include "allot/sim/recording.hpp"

#include <algorithm>

#include "allot/base/check.hpp"

namespace allot::sim {

void check(const Recording& recording) {
  constexpr std::string_view kName = "sim::Recording";
  const model::LabelSet& labels = recording.labels;
  for (const auto& [item, worker, label] : labels.labels) {
    require(position(item) < labels.item_count, kName, "item", position(item),
            "expected less than item_count");
    require(position(worker) < labels.worker_count, kName, "worker", position(worker),
            "expected less than worker_count");
    require(position(label) < labels.class_count, kName, "label", position(label),
            "expected less than class_count");
  }
  require(recording.truth.size() == labels.item_count, kName, "size of truth",
          static_cast<double>(recording.truth.size()), "expected one per item");
  require(std::ranges::any_of(recording.truth, [](const auto& one) { return one.has_value(); }),
          kName, "number of known truths", 0, "expected at least 1");
}

}  // namespace allot::sim
