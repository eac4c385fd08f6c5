// Binary labels by worker, as refits read them.
#pragma once

#include <cstdint>
#include <vector>

#include "allot/base/ids.hpp"

namespace allot::model {

struct WorkerLabel {
  std::uint32_t item;
  Label label;
};

using LabelsByWorker = std::vector<std::vector<WorkerLabel>>;

}  // namespace allot::model
