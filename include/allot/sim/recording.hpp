// Labels that were given once, to be played back.
#pragma once

#include <optional>
#include <vector>

#include "allot/model/label_set.hpp"

namespace allot::sim {

/// Two classes; a pair of item and worker has one label. Scores count the items whose truth is
/// known.
struct Recording {
  model::LabelSet labels;
  std::vector<std::optional<ClassId>> truth;  // one an item
};

/// Throws std::invalid_argument if there are not two classes, a label names an item, worker or
/// class that is not there, `truth` is not one an item, or no truth is known.
void check(const Recording& recording);

inline Label to_label(ClassId one) {
  return position(one) == 1 ? Label::positive : Label::negative;
}
inline ClassId to_class(Label label) { return ClassId{label == Label::positive ? 1U : 0U}; }

}  // namespace allot::sim
