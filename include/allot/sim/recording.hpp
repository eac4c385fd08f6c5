// Labels that were given once, to be played back.
#pragma once

#include <optional>
#include <vector>

#include "allot/model/label_set.hpp"

namespace allot::sim {

/// Any number of classes; experiments with yes/no items ask for two. A pair of item and worker has
/// one label. Scores count the items whose truth is known; a truth that is none of the classes can
/// only be missed.
struct Recording {
  model::LabelSet labels;
  std::vector<std::optional<ClassId>> truth;  // one an item
};

/// Throws std::invalid_argument if a label names an item, worker or class that is not there,
/// `truth` is not one an item, or no truth is known.
void check(const Recording& recording);

}  // namespace allot::sim
