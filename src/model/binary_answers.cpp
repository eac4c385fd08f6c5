#include "model/binary_answers.hpp"

#include <algorithm>
#include <cmath>

#include "model/clear_votes.hpp"
#include "model/uneven_classes.hpp"

namespace allot::model {
namespace {

/// From so many labels on rounds settle sooner, and the likelier shares of classes count alone.
constexpr std::size_t kManyLabels = 200'000;
constexpr int kRounds = 20, kRoundsOfMany = 8;
/// Workers who are spammers with a larger probability are left out.
constexpr double kSpammer = 0.5;

MulticlassLabelsByWorker without_spammers(MulticlassLabelsByWorker labels,
                                          const std::optional<Spammers>& spammers) {
  if (!spammers) return labels;
  for (std::size_t j = 0; j < labels.size(); ++j)
    if (spammers->probability(j) > kSpammer) labels[j].clear();
  return labels;
}

LabelsByWorker as_binary(const MulticlassLabelsByWorker& labels) {
  LabelsByWorker result(labels.size());
  for (std::size_t j = 0; j < labels.size(); ++j)
    for (const auto& [item, label, confidence] : labels[j])
      result[j].push_back({item, label == 1 ? Label::positive : Label::negative});
  return result;
}

/// The probabilities of each item, negative first, by belief propagation.
std::vector<double> propagated(const MulticlassLabelsByWorker& labels,
                               const MulticlassFitOptions& options,
                               const ByWorker<WorkerGrid>& grids, const KnownLabels& known,
                               const ClearVotes& votes) {
  const LabelsByWorker binary = as_binary(labels);
  std::size_t count = 0;
  for (const auto& given : labels) count += given.size();
  const bool many = count >= kManyLabels;
  const auto from_share = [&](double share) {
    const std::vector<double> log_odds =
        belief_propagation(binary, options.item_count, grids, share, many ? kRoundsOfMany : kRounds,
                           known, {options.design, options.weight_variance})
            .log_odds;
    std::vector<double> result;
    result.reserve(2 * log_odds.size());
    for (const double value : log_odds) {
      result.push_back(1 / (1 + std::exp(value)));
      result.push_back(1 / (1 + std::exp(-value)));
    }
    return result;
  };
  if (!options.are_shares_open()) return from_share(options.shares[1]);
  const double weight = 1 / (1 + std::exp(-log_odds_of_uneven_classes(labels, 2)));
  if (many) return from_share(weight > 0.5 ? positive_share(binary) : options.shares[1]);
  std::vector<double> result = from_share(options.shares[1]);
  const std::vector<double> voted = from_share(positive_share(binary));
  for (std::size_t i = 0; i < options.item_count; ++i)
    votes.mix(i, std::span(result).subspan(2 * i, 2), std::span(voted).subspan(2 * i, 2), weight);
  return result;
}

}  // namespace

MulticlassLabelsByWorker as_multiclass(const LabelsByWorker& labels) {
  MulticlassLabelsByWorker result(labels.size());
  for (std::size_t j = 0; j < labels.size(); ++j)
    for (const auto& [item, label] : labels[j])
      result[j].push_back({item, label == Label::positive ? 1u : 0u});
  return result;
}

MulticlassAnswers binary_answers(const MulticlassLabelsByWorker& labels,
                                 const MulticlassFitOptions& options,
                                 const ByWorker<WorkerGrid>& grids, const KnownLabels& known) {
  MulticlassAnswers result = multiclass_answers(labels, options, kFitRounds, &known);
  const bool has_groups =
      std::ranges::any_of(options.groups, [](auto group) { return group != 0; });
  if (has_groups || result.fit.confidences.strength > 0) return result;
  const ClearVotes votes(labels, options);
  const std::vector<double> by_propagation =
      propagated(without_spammers(labels, result.fit.spammers), options, grids, known, votes);
  std::vector<double>& answers = result.fit.probabilities;
  for (std::size_t n = 0; n < answers.size(); ++n) {
    // Tables of workers whom the prior makes certain give no number.
    answers[n] =
        std::isfinite(answers[n]) ? (answers[n] + by_propagation[n]) / 2 : by_propagation[n];
  }
  votes.settle_doubts(answers);
  return result;
}

}  // namespace allot::model
