// Labels in the order they came: item, worker and class.
#pragma once

#include <cstdint>
#include <vector>

#include "allot/base/ids.hpp"

namespace allot::model {

struct GivenLabel {
  ItemId item;
  WorkerId worker;
  ClassId label;

  bool operator==(const GivenLabel&) const = default;
};

/// With two classes, the second is the positive one.
constexpr Label to_label(ClassId label) {
  return position(label) == 1 ? Label::positive : Label::negative;
}
constexpr ClassId to_class(Label label) { return ClassId{label == Label::positive ? 1U : 0U}; }

/// Items, workers and classes are numbered from 0; some may have no label. 12 bytes per label.
struct LabelSet {
  std::uint32_t item_count = 0;
  std::uint32_t worker_count = 0;
  std::uint32_t class_count = 0;
  /// In the order they came.
  std::vector<GivenLabel> labels;
};

}  // namespace allot::model
