// Labels in the order they came: item, worker and class.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "allot/base/ids.hpp"

namespace allot::model {

/// One label: a worker says that an item is of a class.
struct GivenLabel {
  ItemId item;      ///< labelled item
  WorkerId worker;  ///< worker who gave the label
  ClassId label;    ///< class named, right or wrong

  bool operator==(const GivenLabel&) const = default;
};

/// Stands for the confidence of a label whose worker told none.
inline constexpr float kNoConfidence = std::numeric_limits<float>::quiet_NaN();
/// Whether a worker told how sure they are of a label.
inline bool has_confidence(float confidence) { return !std::isnan(confidence); }

/// Binary label of one of two classes: class 1 is positive.
constexpr Label to_label(ClassId label) {
  return position(label) == 1 ? Label::positive : Label::negative;
}
/// Class of a binary label: 0 for negative, 1 for positive.
constexpr ClassId to_class(Label label) { return ClassId{label == Label::positive ? 1U : 0U}; }

/// Labels of many items by many workers, all numbered from 0. 12 bytes per label, 16
/// with confidences.
struct LabelSet {
  std::uint32_t item_count = 0;    ///< items, with or without labels
  std::uint32_t worker_count = 0;  ///< workers, with or without labels
  std::uint32_t class_count = 0;   ///< classes; 2 for binary items
  std::vector<GivenLabel> labels;  ///< labels in the order they came
  /// How sure workers are of their labels, one number per label on any scale; empty if none tells.
  std::vector<float> confidences = {};

  /// Confidence of the label at that place.
  float confidence(std::size_t place) const {
    return confidences.empty() ? kNoConfidence : confidences[place];
  }
};

}  // namespace allot::model
