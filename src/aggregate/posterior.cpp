#include "allot/aggregate/posterior.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "aggregate/item_labels.hpp"
#include "allot/base/text.hpp"
#include "allot/math/beta_tail.hpp"
#include "allot/model/best_class.hpp"
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
  ClassAnswers answers{2, {}, {}};
  for (const auto& [label, probability] : posterior_vote(beliefs)) {
    const bool positive = label == Label::positive;
    answers.answers.push_back(model::to_class(label));
    answers.probabilities.push_back(positive ? 1 - probability : probability);
    answers.probabilities.push_back(positive ? probability : 1 - probability);
  }
  return by_agreement(std::move(answers), labels);
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
  return by_agreement(multiclass_vote(beliefs), labels);
}

Result<Aggregation> posterior(const model::LabelSet& labels) {
  TRY(check_several("posterior", labels));
  return posterior(labels, model::DirichletPrior::symmetric(labels.class_count));
}

std::vector<Answer> posterior_vote(const model::Beliefs& beliefs) {
  std::vector<Answer> answers(beliefs.item_count());
  // Items whose prior is one Beta are computed in one batch, mixtures once per state.
  std::vector<std::uint32_t> items;
  std::vector<double> a, b;
  std::map<std::pair<std::uint32_t, model::Counts>, Answer> known;
  for (std::uint32_t i = 0; i < answers.size(); ++i) {
    const model::ItemBelief belief = beliefs[ItemId{i}];
    if (!belief.prior->is_mixture()) {
      const model::BetaComponent& prior = belief.prior->components().front();
      items.push_back(i);
      a.push_back(prior.a + belief.counts.positive);
      b.push_back(prior.b + belief.counts.negative);
      continue;
    }
    auto [place, is_new] = known.try_emplace({beliefs.prior_of(ItemId{i}), belief.counts});
    if (is_new) {
      const double error = model::error_probability(belief);
      place->second = {model::best_label(model::favoured_label(belief), error), 1 - error};
    }
    answers[i] = place->second;
  }
  std::vector<double> error(items.size());
  math::error_probability(a, b, error);
  for (std::size_t n = 0; n < items.size(); ++n) {
    const Label favoured = a[n] >= b[n] ? Label::positive : Label::negative;
    answers[items[n]] = {model::best_label(favoured, error[n]), 1 - error[n]};
  }
  return answers;
}

std::vector<ItemId> positive_set(std::span<const Answer> answers) {
  std::vector<ItemId> items;
  for (std::uint32_t i = 0; i < answers.size(); ++i) {
    if (answers[i].label == Label::positive) items.push_back(ItemId{i});
  }
  return items;
}

double expected_accuracy(std::span<const Answer> answers) {
  double sum = 0;
  for (const Answer& answer : answers) sum += answer.probability;
  return sum / static_cast<double>(answers.size());
}

ClassAnswers multiclass_vote(const model::MulticlassBeliefs& beliefs) {
  ClassAnswers result{beliefs.class_count(), {}, {}};
  result.probabilities.resize(std::size_t{beliefs.item_count()} * result.class_count);
  std::vector<std::size_t> order(result.class_count);
  // Class probabilities of states, each computed once with its parameters sorted.
  std::map<std::vector<double>, std::vector<double>> known;
  for (std::uint32_t i = 0; i < beliefs.item_count(); ++i) {
    const model::DirichletBelief belief = beliefs[ItemId{i}];
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, std::greater(), [&](std::size_t c) { return belief.alpha[c]; });
    model::DirichletBelief sorted;
    for (const std::size_t c : order) sorted.alpha.push_back(belief.alpha[c]);
    auto [place, is_new] = known.try_emplace(sorted.alpha);
    if (is_new) place->second = model::class_probabilities(sorted);
    double* const row = &result.probabilities[std::size_t{i} * order.size()];
    for (std::size_t n = 0; n < order.size(); ++n) row[order[n]] = place->second[n];
    result.answers.push_back(model::best_class(result.of(ItemId{i})));
  }
  return result;
}

}  // namespace allot::aggregate
