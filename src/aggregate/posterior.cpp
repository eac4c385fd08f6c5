#include "allot/aggregate/posterior.hpp"

#include "aggregate/item_labels.hpp"
#include "allot/aggregate/posterior_vote.hpp"

namespace allot::aggregate {

Result<Aggregation> posterior(const model::LabelSet& labels, const model::Prior& prior) {
  if (const auto two = check_binary("posterior", labels); !two) return tl::unexpected(two.error());
  const auto fits = check_size("posterior", labels, 2.0 * labels.item_count);
  if (!fits) return tl::unexpected(fits.error());
  model::Beliefs beliefs(labels.item_count, prior);
  for (const auto& [item, worker, label] : labels.labels)
    beliefs.record(item, model::to_label(label));
  Aggregation result;
  result.answers.class_count = 2;
  for (const auto& [label, probability] : posterior_vote(beliefs)) {
    const bool positive = label == Label::positive;
    result.answers.answers.push_back(model::to_class(label));
    const double other = 1 - probability;
    result.answers.probabilities.push_back(positive ? other : probability);
    result.answers.probabilities.push_back(positive ? probability : other);
  }
  result.workers.reliability = agreement(labels, result.answers);
  return result;
}

}  // namespace allot::aggregate
