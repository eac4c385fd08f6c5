#include "allot/aggregate/posterior.hpp"

#include <fmt/format.h>

#include "aggregate/item_labels.hpp"
#include "allot/aggregate/multiclass_vote.hpp"
#include "allot/aggregate/posterior_vote.hpp"
#include "allot/base/text.hpp"
#include "base/try.hpp"

namespace allot::aggregate {

Result<Aggregation> posterior(const model::LabelSet& labels, const model::Prior& prior) {
  if (labels.class_count != 2) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the prior has two classes, but the labels have {}; expected uniform, "
                            "jeffreys or dirichlet",
                            labels.class_count));
  }
  TRY(check_size("posterior", labels, 2.0 * labels.item_count));
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

Result<Aggregation> posterior(const model::LabelSet& labels, const model::DirichletPrior& prior) {
  if (prior.class_count() != labels.class_count) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("the prior has {}, but the labels have {}; expected the same number",
                    count_text(prior.class_count(), "class", "classes"), labels.class_count));
  }
  if (labels.class_count == 2) {
    return posterior(labels, model::Prior::beta(prior.alpha()[1], prior.alpha()[0]));
  }
  // The beliefs, the counts and the answers.
  TRY(check_size("posterior", labels, 4.0 * labels.item_count * labels.class_count));
  model::MulticlassBeliefs beliefs(labels.item_count, prior);
  for (const auto& [item, worker, label] : labels.labels) beliefs.record(item, label);
  Aggregation result;
  result.answers = multiclass_vote(beliefs);
  result.workers.reliability = agreement(labels, result.answers);
  return result;
}

Result<Aggregation> posterior(const model::LabelSet& labels) {
  TRY(check_several("posterior", labels));
  return posterior(labels, model::DirichletPrior::symmetric(labels.class_count));
}

}  // namespace allot::aggregate
