// Multi-class labels by worker, as refits read them.
#pragma once

#include <cstdint>
#include <vector>

namespace allot::model {

struct WorkerClassLabel {
  std::uint32_t item;
  std::uint32_t label;
};

using MulticlassLabelsByWorker = std::vector<std::vector<WorkerClassLabel>>;

}  // namespace allot::model
