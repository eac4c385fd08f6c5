// Recorded labels, to be played back.
#pragma once

#include <optional>
#include <vector>

#include "allot/model/label_set.hpp"

namespace allot::sim {

/// Labels of any number of classes; a pair of item and worker has one label. Scores count the items
/// whose truth is known; a truth that is none of the classes is always missed.
struct Recording {
  /// Recorded labels with the numbers of items, workers and classes.
  model::LabelSet labels;
  std::vector<std::optional<ClassId>> truth;  // true classes, one per item; nothing if unknown
};

/// Throws std::invalid_argument if a label names an unknown item, worker or class, `truth` does not
/// have one entry per item, or no truth is known.
void check(const Recording& recording);

}  // namespace allot::sim
