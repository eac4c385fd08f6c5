// Beliefs about items with features and several classes: one model against the rest for each class
// [CLZ sec:multi, last paragraph].
//
// Class c has weights of its own and is a yes/no question, "is it c?"; a label answers all C of
// them. The chance that a label names c is the share of sigma(kappa m_c) in the sum over classes,
// and so is the probability of c as the answer. Unlike a softmax with one covariance of C p
// dimensions, this costs C times the model for two classes and its updates stay in one dimension.
// What it gives up: the classes' weights are taken as independent.
//
// With two classes the answers are those of Contextual; their probability is that of the label, not
// Pr(soft label >= 1/2), so it does not go to 1 for an item on which perfect workers differ.
//
// Cost of a label: C times that of Contextual. The design is kept once.
#pragma once

#include <vector>

#include "allot/model/contextual.hpp"

namespace allot::model {

class ContextualClasses {
 public:
  /// Throws for fewer than two classes.
  ContextualClasses(const Design& design, std::uint32_t class_count,
                    const ContextualOptions& options = {});

  const ItemRows& rows() const { return *rows_; }
  std::uint32_t item_count() const { return rows_->item_count(); }
  std::uint32_t class_count() const { return static_cast<std::uint32_t>(models_.size()); }
  std::uint64_t label_count() const { return models_.front().label_count(); }
  /// The model of a class against the rest.
  const Contextual& model(ClassId one) const { return models_[position(one)]; }

  /// A label by a perfect worker.
  void record(ItemId item, ClassId label);

  /// Of every class, in order; they sum to 1.
  std::vector<double> probabilities(ItemId item) const;

 private:
  std::shared_ptr<const ItemRows> rows_;
  std::vector<Contextual> models_;
};

}  // namespace allot::model
