#include "allot/model/contextual_classes.hpp"

#include <numeric>

#include "allot/base/check.hpp"

namespace allot::model {

ContextualClasses::ContextualClasses(const Design& design, std::uint32_t class_count,
                                     const ContextualOptions& options)
    : rows_(std::make_shared<const ItemRows>(design)) {
  require(class_count >= 2, "ContextualClasses", "class_count", class_count, "expected at least 2");
  models_.assign(class_count, Contextual(rows_, options));
}

void ContextualClasses::record(ItemId item, ClassId label) {
  require(position(label) < class_count(), "ContextualClasses::record", "label", position(label),
          "expected one of the classes");
  for (std::uint32_t c = 0; c < class_count(); ++c) {
    models_[c].record(item, ClassId{c} == label ? Label::positive : Label::negative);
  }
}

std::vector<double> ContextualClasses::probabilities(ItemId item) const {
  std::vector<double> result;
  for (const Contextual& model : models_) result.push_back(model.chance_positive(item));
  const double sum = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& share : result) share /= sum;
  return result;
}

}  // namespace allot::model
