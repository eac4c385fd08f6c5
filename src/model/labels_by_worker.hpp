// The labels so far, by worker: what refits work on.
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
