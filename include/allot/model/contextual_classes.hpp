// Beliefs about items with features and several classes: one model against the rest for each class
// [CLZ sec:multi, last paragraph].
//
// Class c has its own weights and is a binary question, "is it c?"; a label answers all C
// questions. The chance that a label names c is the share of sigma(kappa m_c) in the sum over
// classes, and so is the probability of c as the answer. A softmax would need one covariance of C p
// dimensions; this costs C times the binary model, and its updates stay in one dimension. The
// price: the weights of the classes are taken as independent.
//
// With two classes the answers are those of Contextual. Their probability is that of the label, not
// Pr(soft label >= 1/2), so it does not approach 1 for an item on which perfect workers differ.
//
// Cost of a label: C times that of Contextual. The design is kept once.
#pragma once

#include <vector>

#include "allot/model/contextual.hpp"

namespace allot::model {

/// Beliefs about items with features and C classes: one Contextual per class, against the rest.
class ContextualClasses {
 public:
  /// Beliefs before the first label. Throws std::invalid_argument for fewer than two classes.
  ContextualClasses(const Design& design, std::uint32_t class_count,
                    const ContextualOptions& options = {});

  /// Different rows of the design, and the row of each item; all classes share them.
  const ItemRows& rows() const { return *rows_; }
  /// Number of items in the design, with or without labels.
  std::uint32_t item_count() const { return rows_->item_count(); }
  /// Number of classes, C; at least 2.
  std::uint32_t class_count() const { return static_cast<std::uint32_t>(models_.size()); }
  /// Number of labels absorbed so far, over all items.
  std::uint64_t label_count() const { return models_.front().label_count(); }
  /// The model of a class against the rest.
  const Contextual& model(ClassId label) const { return models_[position(label)]; }

  /// Absorbs a label by a perfect worker.
  void record(ItemId item, ClassId label);

  /// Probabilities of all classes, in order; they sum to 1.
  std::vector<double> probabilities(ItemId item) const;

 private:
  std::shared_ptr<const ItemRows> rows_;
  std::vector<Contextual> models_;
};

}  // namespace allot::model
