#include "allot/aggregate/posterior_vote.hpp"

#include <map>

#include "allot/math/beta_tail.hpp"
#include "allot/model/best_class.hpp"

namespace allot::aggregate {
namespace {

using model::Beliefs;
using model::Counts;

/// Items whose prior is one Beta, all in one batch.
class BetaItems {
 public:
  void add(std::uint32_t item, const model::ItemBelief& belief) {
    const model::BetaComponent& prior = belief.prior->components().front();
    items_.push_back(item);
    a_.push_back(prior.a + belief.counts.positive);
    b_.push_back(prior.b + belief.counts.negative);
  }

  void answer(std::vector<Answer>& answers) const {
    std::vector<double> error(items_.size());
    math::error_probability(a_, b_, error);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const Label favoured = a_[i] >= b_[i] ? Label::positive : Label::negative;
      answers[items_[i]] = {model::best_label(favoured, error[i]), 1 - error[i]};
    }
  }

 private:
  std::vector<std::uint32_t> items_;
  std::vector<double> a_, b_;
};

/// Answers of items under mixtures, each state computed once.
class MixtureItems {
 public:
  Answer answer(std::uint32_t prior, const model::ItemBelief& belief) {
    auto [known, is_new] = answers_.try_emplace({prior, belief.counts});
    if (is_new) {
      const double error = model::error_probability(belief);
      known->second = {model::best_label(model::favoured_label(belief), error), 1 - error};
    }
    return known->second;
  }

 private:
  std::map<std::pair<std::uint32_t, Counts>, Answer> answers_;
};

}  // namespace

std::vector<Answer> posterior_vote(const Beliefs& beliefs) {
  std::vector<Answer> answers(beliefs.item_count());
  BetaItems beta_items;
  MixtureItems mixture_items;
  for (std::uint32_t i = 0; i < answers.size(); ++i) {
    const model::ItemBelief belief = beliefs[ItemId{i}];
    if (belief.prior->is_mixture()) {
      answers[i] = mixture_items.answer(beliefs.prior_of(ItemId{i}), belief);
    } else {
      beta_items.add(i, belief);
    }
  }
  beta_items.answer(answers);
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

}  // namespace allot::aggregate
