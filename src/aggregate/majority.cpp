#include "allot/aggregate/majority.hpp"

#include <algorithm>

#include "aggregate/vote_shares.hpp"
#include "base/try.hpp"

namespace allot::aggregate {

Result<Aggregation> majority(const model::LabelSet& labels) {
  const double cells = static_cast<double>(labels.item_count) * labels.class_count;
  TRY(check_size("majority", labels, cells));
  Aggregation result;
  result.answers = with_answers(vote_shares(ItemLabels(labels), class_shares(labels)), labels);
  result.workers.reliability = agreement(labels, result.answers);
  return result;
}

}  // namespace allot::aggregate
