#include "model/clear_votes.hpp"

#include <algorithm>
#include <cmath>

#include "allot/model/best_class.hpp"

namespace allot::model {
namespace {

/// An answer with a smaller probability does not overrule a clear vote.
constexpr double kLeastToOverrule = 0.57;

/// Makes the class the answer, at the price of the class that is.
void make_answer(ClassId answer, std::span<double> probabilities) {
  std::swap(probabilities[position(answer)], probabilities[position(best_class(probabilities))]);
}

}  // namespace

ClearVotes::ClearVotes(const MulticlassLabelsByWorker& labels, const MulticlassFitOptions& options)
    : classes_(options.tables.class_count),
      are_clear_(std::ranges::all_of(options.groups, [](auto group) { return group == 0; })),
      label_counts_(options.item_count),
      votes_(options.item_count * classes_) {
  for (std::size_t j = 0; j < labels.size(); ++j) {
    const math::BetaShape& prior =
        options.worker_priors ? (*options.worker_priors)[j] : options.tables.prior;
    const bool can_vote = prior.mean() * static_cast<double>(classes_) > 1;
    for (const auto& [item, label, confidence] : labels[j]) {
      ++label_counts_[item];
      if (can_vote) ++votes_[item * classes_ + label];
      if (!std::isnan(confidence)) are_clear_ = false;
    }
  }
}

std::optional<ClassId> ClearVotes::winner(std::size_t item) const {
  if (!are_clear_) return {};
  const auto row = std::span(votes_).subspan(item * classes_, classes_);
  const auto most = std::ranges::max_element(row);
  if (std::ranges::count(row, *most) > 1) return {};
  return ClassId{static_cast<std::uint32_t>(most - row.begin())};
}

bool ClearVotes::mix(std::size_t item, std::span<double> even, std::span<const double> other,
                     double weight) const {
  const ClassId by_even = best_class(even), by_other = best_class(other);
  const auto vote = winner(item);
  const bool vote_decides = by_even != by_other && vote && (*vote == by_even || *vote == by_other);
  // Where the vote decides, neither belief counts more.
  const double part = vote_decides ? 0.5 : weight;
  for (std::size_t k = 0; k < classes_; ++k) even[k] += part * (other[k] - even[k]);
  if (vote_decides) make_answer(*vote, even);
  return by_even != by_other;
}

void ClearVotes::settle_doubts(std::span<double> probabilities) const {
  for (std::size_t item = 0; item * classes_ < probabilities.size(); ++item) {
    const std::span<double> p = probabilities.subspan(item * classes_, classes_);
    const auto vote = winner(item);
    if (vote && std::ranges::max(p) < kLeastToOverrule) make_answer(*vote, p);
  }
}

}  // namespace allot::model
