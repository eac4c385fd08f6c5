#include "allot/aggregate/majority.hpp"

#include "aggregate/item_labels.hpp"
#include "base/try.hpp"

namespace allot::aggregate {

Result<Aggregation> majority(const model::LabelSet& labels) {
  const double cells = static_cast<double>(labels.item_count) * labels.class_count;
  TRY(check_size("majority", labels, cells));
  const ItemLabels items(labels);
  return by_agreement(with_answers(vote_shares(items, class_shares(labels)), labels), labels);
}

}  // namespace allot::aggregate
